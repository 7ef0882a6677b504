// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Reads small regular files; refuses anything that could block or never end.
package struct BoundedFile {
    /// Why a file could not be read, as a message.
    package struct ReadError: Error, Sendable {
        package let reason: String
        /// Whether the file does not exist.
        package var isMissing = false
        /// Whether the file was found, and its content is the reason.
        package var isContent = false
    }

    package let path: String
    /// The maximum size in bytes; larger files are refused.
    package let limit: Int

    package init(path: String, limit: Int) {
        (self.path, self.limit) = (path, limit)
    }

    /// Reads the bytes of the file.
    ///
    /// It is opened without blocking, so that a FIFO without a writer is refused like all other files that are not regular.
    package func read() throws(ReadError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(errno) }
        defer { close(descriptor) }
        try check(descriptor)
        let bytes: [UInt8]?
        do { bytes = try FileSystem.readAll(from: descriptor, upTo: limit) } catch { throw Self.error(error.code) }
        guard let bytes else { throw tooLarge }
        return bytes
    }

    private func check(_ descriptor: CInt) throws(ReadError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.error(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw ReadError(reason: "is a directory, not a file")
        default: throw ReadError(reason: "is not a regular file")
        }
        guard status.st_size <= limit else { throw tooLarge }
    }

    private var tooLarge: ReadError {
        ReadError(reason: "is too large; the limit is \(limit / 1024) KiB", isContent: true)
    }

    private static func error(_ code: CInt) -> ReadError {
        switch code {
        case ENOENT, ENOTDIR: ReadError(reason: "does not exist", isMissing: true)
        case EACCES, EPERM: ReadError(reason: "may not be read by this user")
        case ELOOP: ReadError(reason: "is a symbolic link that leads nowhere")
        case ENAMETOOLONG: ReadError(reason: "has a name that is too long")
        default: ReadError(reason: "cannot be read (\(String(cString: strerror(code))))")
        }
    }
}
