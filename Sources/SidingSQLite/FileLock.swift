import Glibc

/// A lock between processes that lasts as long as this value, and ends with the process however it dies.
///
/// For owners ("is the sender of this request still alive?": try its lock) and for commands that must not run twice.
/// No process id that could be reused, no heartbeat.
public struct FileLock: ~Copyable {
    private let file: LockFile

    /// Takes the lock, or answers nil at once where another holder has it. The file is made (0600) where it is missing.
    public static func tryAcquire(_ path: String) throws(SQLiteError) -> FileLock? {
        while true {
            let file = try LockFile(openingAt: path)
            guard try file.tryLock() else { return nil }
            // Between opening and locking, the last holder may have removed the file: then a new one counts.
            if file.isInPlace { return FileLock(file: file) }
        }
    }

    /// Whether somebody holds the lock now. Never waits, and those who look do not take each other for holders.
    ///
    /// The file is made where it is missing.
    public static func isHeld(_ path: String) throws(SQLiteError) -> Bool {
        try !LockFile(openingAt: path).tryLock(isShared: true)
    }

    /// Waits for the lock, looking again every 20 ms.
    ///
    /// - Throws: ``SQLiteError`` of kind `cancelled` when the task is cancelled, of kind `busy` after `timeout`.
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

    public var path: String { file.path }
}

/// A lock file that stays open, so that taking and giving back its lock costs one system call each.
///
/// `flock(2)` and not `fcntl(2)`: the lock belongs to this open file, so two holders in one process exclude each other
/// too, and closing another descriptor of the same file does not drop it. The kernel gives it back at any death.
struct LockFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens the file, made with mode 0600 (and its directory with 0700) where it is missing.
    init(openingAt path: String) throws(SQLiteError) {
        let operation = "open the lock file"
        try PrivateDirectory.create(at: PrivateDirectory.parent(of: path), operation: operation)
        // Close-on-exec matters: a child process would inherit the lock and keep it alive.
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

    /// Takes the lock if nobody has it; never waits.
    ///
    /// - Parameter isShared: several may have it at once, beside nobody who has it alone.
    func tryLock(isShared: Bool = false) throws(SQLiteError) -> Bool {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            case let code: throw SQLiteError(errno: code, operation: "take the lock", path: path)
            }
        }
        return true
    }

    func unlock() {
        flock(descriptor, LOCK_UN)
    }

    /// Whether the path still leads to the file that is open: a lock on a file that somebody removed excludes nobody.
    var isInPlace: Bool {
        var here = stat()
        var there = stat()
        return fstat(descriptor, &here) == 0 && lstat(path, &there) == 0
            && here.st_ino == there.st_ino && here.st_dev == there.st_dev
    }
}
