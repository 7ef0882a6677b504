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

/// Who holds a lock file: the kernel knows, so nobody has to write it down for each transaction.
enum LockHolder {
    /// "held by process 1234 (siding)", or what can be said without knowing.
    static func describe(_ path: String) -> String {
        // The kernel hands the list out in pieces, between which it may change: a line can be missed.
        let attempts = (0..<5).lazy.map { _ in processes(holding: path) }
        guard let holders = attempts.first(where: { !$0.isEmpty }) else { return "held by another process" }
        let names = holders.map { process in
            let name = text(at: "/proc/\(process)/comm")?.split(separator: "\n").first
            return "process \(process)" + (name.map { " (\($0))" } ?? "")
        }
        return "held by " + names.joined(separator: ", ")
    }

    /// A line of `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`; device in hexadecimal, then the
    /// inode.
    static func processes(holding path: String) -> [Int] {
        var status = stat()
        guard lstat(path, &status) == 0, let locks = text(at: "/proc/locks") else { return [] }
        // As the C library's major() and minor() take a device number apart (makedev(3)).
        let device = UInt64(status.st_dev)
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        return locks.split(separator: "\n").compactMap { line -> Int? in
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == "FLOCK", let process = Int(fields[4]), process > 0 else { return nil }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, UInt64(place[0], radix: 16) == major, UInt64(place[1], radix: 16) == minor,
                UInt64(place[2]) == UInt64(status.st_ino)
            else { return nil }
            return process
        }
    }

    /// A page of `/proc`, which has no size beforehand; nil where there is none.
    private static func text(at path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
