internal import FoundationEssentials

/// A directory of its own for a test, gone with all it holds when the last reference goes.
public final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at its end.
    public let path: String

    /// Makes a directory, mode 0700, below the system's temporary directory.
    ///
    /// - Throws: an error of the file system.
    public init() throws {
        let parent = FileManager.default.temporaryDirectory.path
        path = "\(parent.hasSuffix("/") ? String(parent.dropLast()) : parent)/siding-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // What a test removed itself is gone as it should be.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` in here; nothing is created.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Removes the directory now.
    ///
    /// - Throws: an error of the file system.
    public func remove() throws {
        try FileManager.default.removeItem(atPath: path)
    }
}
