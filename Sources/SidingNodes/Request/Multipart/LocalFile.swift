// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSynchronization

/// A regular file open for reading; closed on deinitialization.
struct LocalFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private let field: String
    private let phase: Failure.Phase

    /// Opens `path` for the form field `field`.
    ///
    /// - Throws: a failure in phase `phase` that names the file, if it is missing, unreadable, or not a regular file.
    init(_ path: String, field: String, phase: Failure.Phase) throws(Failure) {
        (self.path, self.field, self.phase) = (path, field, phase)
        // The system would end the name at the NUL and open another file. Without O_NONBLOCK, opening a FIFO would block.
        let code: Int32
        if path.utf8.contains(0) {
            (descriptor, code) = (-1, ENOENT)
        } else {
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            code = errno
        }
        guard descriptor >= 0 else { throw Self.failure(code, path, field, phase) }
        guard try kind() == S_IFREG else {
            throw Self.failure(try kind() == S_IFDIR ? "is a directory" : "is not a regular file", path, field, phase)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The current size in bytes.
    func size() throws(Failure) -> Int { Int(try status().st_size) }

    /// Up to `count` bytes from the current position; empty at the end of the file.
    func read(_ count: Int) throws(Failure) -> [UInt8] {
        do { return try FileSystem.readSome(count, from: descriptor) } catch {
            throw Self.failure(error.code, path, field, phase)
        }
    }

    /// The failure of a file that has changed.
    func failure(_ why: String) -> Failure { Self.failure(why, path, field, phase) }

    private func kind() throws(Failure) -> mode_t { try status().st_mode & S_IFMT }

    private func status() throws(Failure) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(errno, path, field, phase) }
        return status
    }

    private static func failure(_ code: Int32, _ path: String, _ field: String, _ phase: Failure.Phase) -> Failure {
        switch code {
        case ENOENT, ENOTDIR: failure("is not there", path, field, phase)
        case EACCES, EPERM: failure("may not be read by this process", path, field, phase)
        case EMFILE, ENFILE, ENOMEM, EIO:
            failure("cannot be read: \(message(code))", path, field, phase, reason: .localResource)
        default: failure("cannot be read: \(message(code))", path, field, phase)
        }
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func failure(
        _ why: String, _ path: String, _ field: String, _ phase: Failure.Phase,
        reason: Failure.Reason = .invalidRequest
    ) -> Failure {
        // Each is bounded, so that a long name never displaces the reason.
        let (path, field) = (PlainText.oneLine(path, limit: 250), PlainText.oneLine(field, limit: 100))
        return Failure(reason, phase: phase, detail: "the file '\(path)' for the field '\(field)' \(why)")
    }
}

/// Guesses a file's media type from its extension.
enum MediaType {
    /// The media type for `name`; `application/octet-stream` if its extension is unknown.
    static func ofFile(named name: String) -> String {
        known(ofFileNamed: name) ?? "application/octet-stream"
    }

    /// The media type for `name`; nil if its extension is unknown.
    static func known(ofFileNamed name: String) -> String? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return types[name[name.index(after: dot)...].lowercased()]
    }

    private static let types = [
        "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv", "gif": "image/gif",
        "gz": "application/gzip", "heic": "image/heic", "htm": "text/html", "html": "text/html",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
        "m4a": "audio/mp4", "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "ogg": "audio/ogg", "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml",
        "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff", "txt": "text/plain",
        "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip",
    ]
}
