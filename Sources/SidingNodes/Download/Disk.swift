// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSynchronization

/// The system calls of a download; their failures name the path.
enum Disk {
    /// Opens a file of ours for reading and writing, created with mode 0600 if it is missing.
    ///
    /// Refuses a symbolic link, a device, another user's file and a file with several hard links, since someone may have
    /// planted it.
    static func openOwn(_ path: String) throws(Failure) -> Int32 {
        // Another download may remove or create the file between the two calls.
        for _ in 0..<16 {
            let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if made >= 0 { return made }
            guard errno == EEXIST else { throw failure(errno, "create", path) }
            let found = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            if found >= 0 {
                guard FileSystem.isOwn(found) else {
                    close(found)
                    throw refusal("'\(path)' is in the way, and is not a file of this program; remove it")
                }
                return found
            }
            guard errno == ENOENT else { throw failure(errno, "open", path) }
        }
        throw refusal("'\(path)' keeps appearing and disappearing: another program creates and removes it")
    }

    /// Locks the file; false if someone else holds it.
    static func lock(_ descriptor: Int32, _ path: String) throws(Failure) -> Bool {
        do { return try FileSystem.lock(descriptor) } catch { throw failure(error.code, "lock", path) }
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func size(_ descriptor: Int32, _ path: String) throws(Failure) -> Int64 {
        var status = stat()
        try check(fstat(descriptor, &status), "look at", path)
        return Int64(status.st_size)
    }

    /// Truncates the file to `size` bytes and seeks to its end.
    static func cut(_ descriptor: Int32, to size: Int64, _ path: String) throws(Failure) {
        try check(ftruncate(descriptor, off_t(size)), "truncate", path)
        guard lseek(descriptor, off_t(size), SEEK_SET) >= 0 else { throw failure(errno, "seek in", path) }
    }

    static func append(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(Failure) {
        do { try FileSystem.writeAll(bytes, to: descriptor) } catch { throw failure(error.code, "write to", path) }
    }

    static func synchronize(_ descriptor: Int32, _ path: String) throws(Failure) {
        try check(fsync(descriptor), "bring to disk", path)
    }

    static func setMode(_ mode: UInt32, of descriptor: Int32, _ path: String) throws(Failure) {
        do { try FileSystem.setMode(mode_t(mode), of: descriptor) } catch {
            throw failure(error.code, "set the mode of", path)
        }
    }

    static func move(_ path: String, to target: String) throws(Failure) {
        try check(rename(path, target), "rename the finished download to", target)
    }

    /// Removes a file; a missing one is not an error.
    static func remove(_ path: String) throws(Failure) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw failure(errno, "remove", path)
    }

    static func release(_ descriptor: Int32) {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Makes a rename in `directory` durable.
    static func synchronize(directory: String) throws(Failure) {
        do { try FileSystem.synchronizeDirectory(directory) } catch {
            throw failure(error.code, "bring to disk", directory)
        }
    }

    /// Writes a small file atomically.
    static func write(_ bytes: [UInt8], to path: String, by draft: String) throws(Failure) {
        do { try FileSystem.replace(path, with: bytes, by: draft) } catch { throw failure(error.code, "write", path) }
    }

    /// Reads a file of ours of at most `limit` bytes; nil if there is none.
    static func read(_ path: String, upTo limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard FileSystem.isOwn(descriptor) else { return nil }
        return try? FileSystem.readAll(from: descriptor, upTo: limit)
    }
}

// MARK: - Failures

extension Disk {
    private static func check(_ result: Int32, _ operation: String, _ path: String) throws(Failure) {
        guard result == 0 else { throw failure(errno, operation, path) }
    }

    /// Exhausted resources may become available again: `Failure.Reason.localResource`. A path that cannot be used must be
    /// changed by the caller: `Failure.Reason.invalidRequest`.
    static func failure(_ code: Int32, _ operation: String, _ path: String) -> Failure {
        // A path may be longer than the whole detail of a failure.
        let message = "cannot \(operation) '\(PlainText.oneLine(path, limit: 300))': \(SystemError(code).message)"
        switch code {
        case _ where SystemError(code).isFull:
            return Failure(.localResource, phase: .notSent, detail: "\(message); make room and try again")
        case EIO, EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOLCK, EINTR, EAGAIN, ESTALE:
            return Failure(.localResource, phase: .notSent, detail: message)
        case ENOENT, ENOTDIR:
            return refusal("\(message); its directory must exist")
        case ELOOP:
            return refusal("\(message); a symbolic link is in the way")
        default:
            return refusal(message)
        }
    }

    static func refusal(_ detail: String) -> Failure { Failure(.invalidRequest, phase: .notSent, detail: detail) }
}
