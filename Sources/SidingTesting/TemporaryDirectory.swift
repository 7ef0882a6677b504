// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// A temporary directory for a test; removed with its content when the last reference is released.
public final class TemporaryDirectory: Sendable {
    /// The absolute path, without a trailing slash.
    public let path: String

    /// Creates a directory with mode 0700 in the system's temporary directory.
    ///
    /// - Throws: an error of the file system.
    public init() throws {
        let parent = FileManager.default.temporaryDirectory.path
        path = "\(parent.hasSuffix("/") ? String(parent.dropLast()) : parent)/siding-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // The test may have removed it already.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` in this directory; nothing is created.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes the file `name`, and returns its path.
    @discardableResult package func write(_ text: String, to name: String) throws -> String {
        try write(Array(text.utf8), to: name)
    }

    /// Writes the file `name`, and returns its path.
    @discardableResult package func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(of: name)))
        return path(of: name)
    }

    /// Removes the directory now.
    ///
    /// - Throws: an error of the file system.
    public func remove() throws {
        try FileManager.default.removeItem(atPath: path)
    }
}
