// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// A lock between processes, held for the lifetime of this value and released whenever the process dies.
///
/// Use it to detect dead owners (try the lock of a request's sender) and for commands that must not run twice. It needs no
/// process id, which could be reused, and no heartbeat.
public struct FileLock: ~Copyable {
    private let file: LockFile

    /// Takes the lock, or returns nil at once if it is held. Creates the file (0600) if it is missing.
    public static func tryAcquire(_ path: String) throws(SQLiteError) -> FileLock? {
        while true {
            let file = try LockFile(openingAt: path)
            guard try file.tryLock() else { return nil }
            // The last holder may have removed the file between opening and locking: then lock the new file.
            if file.isInPlace { return FileLock(file: file) }
        }
    }

    /// Whether the lock is held now. Never waits; concurrent calls do not see each other as holders.
    ///
    /// Creates the file if it is missing.
    public static func isHeld(_ path: String) throws(SQLiteError) -> Bool {
        try !LockFile(openingAt: path).tryLock(isShared: true)
    }

    /// Waits for the lock, polling every 20 ms.
    ///
    /// - Throws: ``SQLiteError`` of kind `cancelled` if the task is cancelled, of kind `busy` after `timeout`.
    public static func acquire(_ path: String, timeout: Duration) async throws(SQLiteError) -> FileLock {
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            if let lock = try tryAcquire(path) { return lock }
            guard ContinuousClock.now < deadline else {
                throw SQLiteError(
                    .busy, "it is \(LockHolder.describe(path))", operation: "take the lock", path: path)
            }
            do { try await Task.sleep(for: .milliseconds(20)) } catch {
                throw SQLiteError(.cancelled, "the wait was cancelled", operation: "take the lock", path: path)
            }
        }
    }

    /// The path of the lock file.
    public var path: String { file.path }

    /// Makes the lock file this large, with its space on the disk allocated; 0 gives the space back.
    ///
    /// - Throws: ``SQLiteError`` of kind `full` if there is no such space.
    public func allocate(_ bytes: Int) throws(SQLiteError) { try file.allocate(bytes) }
}

/// A lock file that stays open, so that locking and unlocking cost one system call each.
///
/// It uses `flock(2)`, not `fcntl(2)`: the lock belongs to the open file, so two holders in one process exclude each other,
/// and closing another descriptor of the file does not drop it. The kernel releases it when the process dies.
struct LockFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens the file, or creates it with mode 0600 (and its directory with 0700).
    init(openingAt path: String) throws(SQLiteError) {
        let operation = "open the lock file"
        try DatabaseFile.create(FileSystem.parent(of: path), operation: operation)
        // Without close-on-exec a child process would inherit the lock and keep it.
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            let code = errno
            guard code != ELOOP else {
                throw SQLiteError(.unsafeFile("symlink"), "it is a symbolic link", operation: operation, path: path)
            }
            throw SQLiteError(errno: code, operation: operation, path: path)
        }
        var status = stat()
        if fstat(opened, &status) == 0, status.st_mode & 0o777 != 0o600, status.st_uid == geteuid() {
            fchmod(opened, 0o600)  // whatever the umask made of it
        }
        descriptor = opened
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// Takes the lock if it is free; never waits.
    ///
    /// - Parameter isShared: takes a shared lock, which excludes only exclusive holders.
    func tryLock(isShared: Bool = false) throws(SQLiteError) -> Bool {
        do { return try FileSystem.lock(descriptor, isShared: isShared) } catch {
            throw SQLiteError(errno: error.code, operation: "take the lock", path: path)
        }
    }

    func allocate(_ bytes: Int) throws(SQLiteError) {
        let code = bytes == 0 ? (ftruncate(descriptor, 0) == 0 ? 0 : errno) : posix_fallocate(descriptor, 0, bytes)
        guard code != 0 else { return }
        // A part of the space may have been allocated.
        ftruncate(descriptor, 0)
        throw SQLiteError(errno: code, operation: "allocate \(bytes) bytes", path: path)
    }

    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    var isInPlace: Bool { FileSystem.isInPlace(descriptor, path) }
}
