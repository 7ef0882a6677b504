// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Creates private temporary directories.
enum TemporaryDirectory {
    /// Creates `siding-NAME-` plus six characters in `parent`, else in `$TMPDIR` or `/tmp`, with mode 0700.
    ///
    /// - Throws: ``CommandError`` with code 74 and `hint` if it cannot be created.
    static func make(_ name: String, in parent: String? = nil, hint: String) throws -> String {
        let base = parent ?? ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(base)/siding-\(name)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandError(
                .inputOutput, "input_output",
                "no directory could be made in \(base): \(String(cString: strerror(errno)))", hint: hint)
        }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
