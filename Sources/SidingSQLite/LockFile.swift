import Glibc

/// A lock file that stays open, so that taking and giving back its lock costs one system call each.
///
/// `flock(2)` and not `fcntl(2)`: the lock belongs to this open file, so two holders in one process exclude each other
/// too, and closing another descriptor of the same file does not drop it. The kernel gives it back at any death.
struct LockFile: ~Copyable {
    let path: String
    let descriptor: Int32

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
    func tryLock() throws(SQLiteError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
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
