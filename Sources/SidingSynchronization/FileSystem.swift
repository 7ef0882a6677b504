// SPDX-License-Identifier: Apache-2.0
/// An error of the system's: a value of `errno`.
package struct SystemError: Error, Hashable {
    package let code: Int32

    package init(_ code: Int32 = errno) {
        self.code = code
    }

    /// The system's text for it.
    package var message: String { String(cString: strerror(code)) }

    /// Whether there was no room: on the disk, within a quota, or within a file's largest size.
    package var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
}

/// Calls of the system for files. Signals do not interrupt them.
package enum FileSystem {
    package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        let code = bytes.withUnsafeBytes { all -> Int32 in
            var rest = all[...]
            while !rest.isEmpty {
                let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                rest = rest.dropFirst(count)
            }
            return 0
        }
        guard code == 0 else { throw SystemError(code) }
    }

    /// Reads up to `count` bytes from the current position; empty at the end of the file.
    package static func readSome(_ count: Int, from descriptor: Int32) throws(SystemError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            repeat {
                let got = read(descriptor, buffer.baseAddress, count)
                filled = max(0, got)
                code = got < 0 ? errno : 0
            } while code == EINTR
        }
        guard code == 0 else { throw SystemError(code) }
        return bytes
    }

    /// Reads to the end of the file; nil if more than `limit` bytes come.
    package static func readAll(from descriptor: Int32, upTo limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let next = try readSome(min(limit + 1, 65_536), from: descriptor)
            if next.isEmpty { return bytes }
            bytes += next
        }
        return nil
    }

    /// Takes the lock of flock(2) if it is free; false if someone else holds it. It lasts until the file is closed, even if this
    /// process dies.
    ///
    /// - Parameter isShared: takes a shared lock, which excludes only exclusive holders.
    package static func lock(_ descriptor: Int32, isShared: Bool = false) throws(SystemError) -> Bool {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw SystemError() }
        }
        return true
    }

    /// Whether `path` still names the open file: a lock on a renamed or removed file excludes nobody.
    package static func isInPlace(_ descriptor: Int32, _ path: String) -> Bool {
        var here = stat()
        var there = stat()
        return fstat(descriptor, &here) == 0 && lstat(path, &there) == 0
            && here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }

    /// Whether the open file is a regular one of this user's under a single name. Someone may have planted another one.
    package static func isOwn(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
            && status.st_nlink == 1
    }

    /// Sets the mode of a file of ours, for which only a file system without modes says that this is not permitted.
    package static func setMode(_ mode: mode_t, of descriptor: Int32) throws(SystemError) {
        guard fchmod(descriptor, mode) != 0, errno != EPERM, errno != ENOTSUP else { return }
        throw SystemError()
    }

    /// Replaces a file by one with mode 0600, whatever the umask. A crash or a loss of power leaves the old file or the
    /// new one.
    ///
    /// - Parameter draft: the path of the new file until it is whole, in the same directory; a random one by default. A file
    ///   there is removed.
    package static func replace(
        _ path: String, with bytes: [UInt8], by draft: String? = nil
    ) throws(SystemError) {
        let draft = draft ?? "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemError() }
        do throws(SystemError) {
            defer { close(descriptor) }
            try setMode(0o600, of: descriptor)
            try writeAll(bytes, to: descriptor)
            guard fsync(descriptor) == 0, rename(draft, path) == 0 else { throw SystemError() }
        } catch {
            unlink(draft)
            throw error
        }
        try synchronizeDirectory(parent(of: path))
    }

    /// Gives a finished file its name, and replaces no file: a hard link fails if the name is taken, whereas rename(2) would replace
    /// that file. Where there are no hard links (vfat, exFAT) the file is renamed if the name is free at that moment.
    ///
    /// - Parameter link: link(2), with its `errno`.
    package static func moveWithoutReplacing(
        _ draft: String, to path: String, link: (String, String) -> Int32 = { SidingSynchronization.link($0, $1) }
    ) throws(SystemError) {
        if link(draft, path) == 0 {
            unlink(draft)
            return
        }
        guard errno != EEXIST else { throw SystemError(EEXIST) }
        var status = stat()
        guard lstat(path, &status) != 0 else { throw SystemError(EEXIST) }
        guard rename(draft, path) == 0 else { throw SystemError() }
    }

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The file's size in bytes; 0 if there is none. Opening and closing a database file that SQLite has open would drop its locks
    /// (https://sqlite.org/howtocorrupt.html §2.2), so that is not done here.
    package static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The bytes that this user may still write on the file system of `path`; nil if they are not known.
    package static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        // Some file systems report neither a size nor free space.
        guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
        let (bytes, isTooLarge) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return isTooLarge ? .max : bytes
    }

    /// Makes renames in a directory durable.
    package static func synchronizeDirectory(_ path: String) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        // Some file systems do not support fsync of a directory; nothing more can be done there.
        guard fsync(descriptor) != 0, errno != EINVAL else { return }
        throw SystemError()
    }
}

// MARK: - Directories

extension FileSystem {
    /// Creates a directory and its missing parents, with mode 0700 whatever the umask, so that only their owner can enter
    /// them. One that exists stays as it is.
    package static func createPrivateDirectory(_ path: String) throws(SystemError) {
        if mkdir(path, 0o700) == 0 {
            chmod(path, 0o700)
            return
        }
        switch errno {
        case EEXIST:
            return
        case ENOENT where parent(of: path) != path:
            try createPrivateDirectory(parent(of: path))
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError() }
            chmod(path, 0o700)
        case let code:
            var status = stat()
            // For an existing read-only or foreign directory, mkdir may fail with other codes than EEXIST.
            guard stat(path, &status) == 0 else { throw SystemError(code) }
        }
    }

    /// The directory of a path's file: `.` for a name alone.
    package static func parent(of path: String) -> String {
        let directory = split(path).directory
        return directory.isEmpty ? "." : directory == "/" ? "/" : String(directory.dropLast())
    }

    /// A path's directory, with its last slash, and the name in it.
    package static func split(_ path: String) -> (directory: String, name: String) {
        // By bytes, as the system does: for a String, a slash with a combining accent is a different character.
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
        return (String(path.utf8[..<start]) ?? "", String(path.utf8[start...]) ?? "")
    }
}
