// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingInspection
import SidingChain
import SidingSynchronization

/// Writes data to standard output and messages to standard error.
enum Output {
    private static let data = OutputFile(STDOUT_FILENO)

    /// Writes a line of data.
    static func line(_ text: String) { write(Array((text + "\n").utf8)) }

    /// Writes an object of `--json` on a line.
    static func line(_ object: JSONObject) { line(object.text) }

    /// Writes bytes of data; they are buffered until ``flush()`` or until the buffer is full.
    static func write(_ bytes: [UInt8]) { data.append(bytes) }

    static func flush() { data.flush() }

    /// Writes a message for the user to standard error. It may contain text from outside, so control characters are removed.
    static func printMessage(_ text: String) {
        flush()
        draw(plain(text) + "\n")
    }

    /// `text` without control characters but its line breaks.
    static func plain(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { PlainText.oneLine(String($0), limit: .max) }.joined(separator: "\n")
    }

    /// Writes to standard error without a line end.
    static func draw(_ text: String) {
        // Standard error may be closed or full: nobody can be informed, and the work continues.
        try? FileSystem.writeAll(Array(text.utf8), to: STDERR_FILENO)
    }
}
