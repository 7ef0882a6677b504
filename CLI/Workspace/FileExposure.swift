// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What others than its owner can do to a file or directory, and should not: `db has mode 644: others can read it; 'chmod go-rwx'
/// stops that`.
struct FileExposure: CustomStringConvertible {
    let description: String

    /// - Parameter unwanted: the bits that its mode should not have.
    /// - Returns: nil if the mode has none of them, or cannot be read.
    init?(of path: String, unwanted: Int) {
        // The mode of a link itself is always 777.
        let file = URL(filePath: path).resolvingSymlinksInPath().path
        guard let mode = try? FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int,
            // In a folder with the sticky bit, such as /tmp, nobody can replace the files of others.
            mode & unwanted != 0, mode & 0o1000 == 0
        else { return nil }
        let who = mode & unwanted & 0o070 != 0 ? "go" : "o"
        let (what, bits) = mode & unwanted & 0o022 != 0 ? ("change", "w") : ("read", "rwx")
        description =
            "\(path) has mode \(String(mode & 0o777, radix: 8)): others can \(what) it; 'chmod \(who)-\(bits)' stops that"
    }

    /// A file with a secret: its group may read it.
    init?(ofSecret path: String) { self.init(of: path, unwanted: 0o037) }
}
