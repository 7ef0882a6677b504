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

    /// What a holder wrote into the file at this path (also while it holds it); nil where there is no such file.
    public static func contents(at path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return SmallFile.text(from: descriptor)
    }

    public var path: String { file.path }

    /// What the file holds.
    public var contents: String { SmallFile.text(from: file.descriptor) }

    /// Says who holds the lock, for people and for other processes; replaces what was there.
    public func write(_ contents: String) throws(SQLiteError) {
        let bytes = Array(contents.utf8)
        let isWritten =
            ftruncate(file.descriptor, 0) == 0 && pwrite(file.descriptor, bytes, bytes.count, 0) == bytes.count
        guard isWritten else {
            throw SQLiteError(errno: errno, operation: "write into the lock file", path: path)
        }
    }

    /// Removes the file and gives the lock back, in this order: whoever opened it before finds that it is gone.
    public consuming func remove() {
        unlink(file.path)
    }
}
