// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The lock `<database>.writer`, held by every write transaction and every checkpoint.
///
/// It serializes writers without SQLite's busy errors, and it keeps commits out of checkpoints: SQLite before 3.51.3 can lose
/// commits when both overlap (sqlite.org/wal.html, "WAL-reset bug").
final class WriterLock {
    let path: String
    private let timeout: Duration
    private var file: LockFile?

    init(path: String, timeout: Duration) {
        self.path = path
        self.timeout = timeout
    }

    /// Waits for the lock in short sleeps on the calling thread, which belongs to a private queue.
    ///
    /// Cancelling the task ends the wait. A task that was already cancelled may still have cleanup to write, so it waits too, but
    /// for one second at most.
    /// - Throws: ``SQLiteError`` of kind `busy` with the holder after the timeout, or `cancelled`.
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

    /// Takes the lock if it is free; never waits.
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

/// Finds the holders of a lock file in the kernel's list, so that no transaction has to record them.
enum LockHolder {
    /// "held by process 1234 (siding)", or "held by another process" if the holder is unknown.
    static func describe(_ path: String) -> String {
        // The kernel returns the list in pieces and it may change in between, so a line can be missed.
        let attempts = (0..<5).lazy.map { _ in processes(holding: path) }
        guard let holders = attempts.first(where: { !$0.isEmpty }) else { return "held by another process" }
        return "held by " + holders.map(name).joined(separator: ", ")
    }

    /// "process 1234 (siding)" for each other process that has the database open: SQLite locks a byte of its `-shm` for as long
    /// (sqlite.org/walformat.html, section 2.1).
    static func users(ofDatabase path: String) -> [String] {
        let processes = Set(processes(holding: path + "-shm", kind: "POSIX")).subtracting([Int(getpid())])
        return processes.sorted().map(name)
    }

    private static func name(of process: Int) -> String {
        let name = text(at: "/proc/\(process)/comm")?.split(separator: "\n").first
        return "process \(process)" + (name.map { " (\($0))" } ?? "")
    }

    /// Parses `/proc/locks`, whose lines read `1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF`; the device is in hexadecimal,
    /// followed by the inode.
    static func processes(holding path: String, kind: Substring = "FLOCK") -> [Int] {
        var status = stat()
        guard lstat(path, &status) == 0, let locks = text(at: "/proc/locks") else { return [] }
        // Splits the device number like the C library's major() and minor() (makedev(3)).
        let device = UInt64(status.st_dev)
        let major = (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        return locks.split(separator: "\n").compactMap { line -> Int? in
            let fields = line.split(separator: " ")
            guard fields.count >= 6, fields[1] == kind, let process = Int(fields[4]), process > 0 else { return nil }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, UInt64(place[0], radix: 16) == major, UInt64(place[1], radix: 16) == minor,
                UInt64(place[2]) == UInt64(status.st_ino)
            else { return nil }
            return process
        }
    }

    /// The content of a file in `/proc`, whose size is not known in advance; nil if it cannot be opened.
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
