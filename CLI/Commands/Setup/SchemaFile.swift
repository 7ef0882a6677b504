// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization

/// The JSON Schema of the config as a file, which `make install` and the Debian package put beside the executable.
enum SchemaFile {
    /// The comment by which editors find the schema (yaml-language-server), with its line break; empty if it is not installed.
    static var comment: String {
        let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return executable.map { comment(ofExecutable: $0) } ?? ""
    }

    /// - Parameter path: such as `/usr/bin/siding`, whose schema is `/usr/share/siding/siding.schema.json`.
    static func comment(ofExecutable path: String) -> String {
        let prefix = FileSystem.parent(of: FileSystem.parent(of: path))
        let file = "\(prefix == "/" ? "" : prefix)/share/siding/siding.schema.json"
        // The comment ends at a space.
        guard !file.contains(where: \.isWhitespace), FileManager.default.fileExists(atPath: file) else { return "" }
        return "# yaml-language-server: $schema=\(file)\n"
    }
}
