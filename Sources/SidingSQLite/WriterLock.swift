import Glibc

/// The lock that every write transaction and every checkpoint holds, in `<database>.writer`.
///
/// It keeps writers in one order without SQLite's busy errors, and it keeps commits out of a checkpoint: SQLite before
/// 3.51.3 can lose commits where both overlap (sqlite.org/wal.html, "WAL-reset bug").
final class WriterLock {
    let path: String
    private let timeout: Duration
    private var file: LockFile?

    init(path: String, timeout: Duration) {
        self.path = path
        self.timeout = timeout
    }

    /// Waits in short sleeps on the calling thread, which is a private queue's.
    ///
    /// A cancellation that comes while waiting ends the wait. A task that was cancelled before may still have to give
    /// back what it holds, so it waits too, but for one second at most.
    /// - Throws: ``SQLiteError`` of kind `busy` after the timeout, naming the holder, or `cancelled`.
    func acquire() throws(SQLiteError) {
        if try tryAcquire() { return }
        let wasCancelled = Task.isCancelled
        let deadline = ContinuousClock.now.advanced(by: wasCancelled ? min(timeout, .seconds(1)) : timeout)
        var pause: UInt32 = 100
        while true {
            guard wasCancelled || !Task.isCancelled else { throw cancelled }
            guard ContinuousClock.now < deadline else { throw wasCancelled ? cancelled : timedOut }
            usleep(pause)  // microseconds
            pause = min(pause * 2, 4_000)
            if try tryAcquire() { return }
        }
    }

    /// Takes the lock if nobody has it; never waits.
    func tryAcquire() throws(SQLiteError) -> Bool {
        if file == nil { file = try LockFile(openingAt: path) }
        guard try file?.tryLock() == true else {
            if file?.isInPlace != true { file = nil }
            return false
        }
        guard file?.isInPlace == true else {
            file = nil  // somebody removed the file: what counts is the one that the next process makes
            return false
        }
        return true
    }

    func release() {
        file?.unlock()
    }

    private var timedOut: SQLiteError {
        let wait = "\(timeout) were not enough: the writer lock is \(LockHolder.describe(path))"
        return SQLiteError(.busy, wait, operation: "take the writer lock", path: path)
    }

    private var cancelled: SQLiteError {
        SQLiteError(.cancelled, "the wait was cancelled", operation: "take the writer lock", path: path)
    }
}
