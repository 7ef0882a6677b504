// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingSQLite
internal import SidingSynchronization

/// This process as an owner of leases and entries: a file on which it holds a flock(2) while it lives.
///
/// A process that can take the lock of an owner knows that the owner is dead. There is no heartbeat, and no process id that
/// could be reused. The kernel releases the lock when a process dies in any way.
final class OwnerLock: Sendable {
    let directory: String
    private let held = Mutex<Held?>(nil)

    private struct Held: ~Copyable {
        let id: String
        let lock: FileLock
        /// The bytes of the lock file.
        var reserved = 0
    }

    init(directory: String) {
        self.directory = directory
    }

    /// The owner's name; the first call takes the lock.
    func id() throws -> String {
        try held.withLock { held in
            if let id = held?.id { return id }
            let id = UUID().uuidString.lowercased()
            guard let lock = try FileLock.tryAcquire(path(of: id)) else {
                throw StoreError(.inputOutput, "the owner lock \(path(of: id)) is taken already")
            }
            held = Held(id: id, lock: lock)
            return id
        }
    }

    /// The bytes that saving the result of one write needs at most: about 40 pages of the database, an answer of up to 64 KiB
    /// and a record.
    static let reservedSpace = 2 << 20

    /// The bytes that saving the failure of a run needs at most.
    static let reservedForRun = 256 << 10

    /// Makes the lock file `bytes` long: before a write is sent, and when a run begins. If the disk is full when the answer comes or
    /// the run fails, the file is emptied (``freeSpace(upTo:)``), and the result has space.
    ///
    /// - Throws: ``SQLiteError`` of kind `full` if the disk has not that much space.
    func reserveSpace(_ bytes: Int = reservedSpace) throws {
        _ = try id()
        try held.withLock { held in
            guard let reserved = held?.reserved, reserved < bytes else { return }
            // A failure empties the file.
            held?.reserved = 0
            do { try held?.lock.allocate(bytes) } catch {
                // A run still needs what it had.
                if reserved > 0, (try? held?.lock.allocate(reserved)) != nil { held?.reserved = reserved }
                throw error
            }
            held?.reserved = bytes
        }
    }

    /// Empties the lock file; false if it reserved no space, or more than `bytes` while a write is on its way, which may need it.
    ///
    /// - Parameter hasWrites: whether this process works on any write. One that is claimed later reserves its space after this.
    func freeSpace(upTo bytes: Int = .max, hasWrites: () -> Bool = { true }) -> Bool {
        held.withLock { held in
            guard let reserved = held?.reserved, reserved > 0, reserved <= bytes || !hasWrites() else { return false }
            held?.reserved = 0
            do { try held?.lock.allocate(0) } catch { return false }
            return true
        }
    }

    /// Whether the process named `owner` is alive; true for this process.
    func isAlive(_ owner: String) -> Bool {
        guard held.withLock({ $0?.id }) != owner else { return true }
        let path = path(of: owner)
        guard access(path, F_OK) == 0 || errno != ENOENT else { return false }
        // If the file cannot be read, the owner counts as alive, so that nothing is taken over: another user may look.
        return (try? FileLock.isHeld(path)) ?? true
    }

    /// Removes the lock file of a dead owner that owns nothing any more.
    func forget(_ owner: String) {
        unlink(path(of: owner))
    }

    /// How old a lock file must be to count as left by a killed process, in seconds: a starting process has its file for an
    /// instant before it has its lock.
    static let restingTime = 3_600

    /// Removes the lock files of processes that were killed without owning anything.
    func sweep() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names {
            var status = stat()
            guard stat(path(of: name), &status) == 0, time(nil) - status.st_mtim.tv_sec > Self.restingTime,
                !isAlive(name)
            else { continue }
            forget(name)
        }
    }

    /// Releases this process's lock.
    func release() {
        held.withLock { held in
            guard let id = held?.id else { return }
            // The file is removed first, so that nobody takes the lock of a file that is about to be removed.
            unlink(path(of: id))
            held = nil
        }
    }

    private func path(of owner: String) -> String { "\(directory)/\(owner)" }
}

/// The queue entries and leases that this process works on.
///
/// A row names only the process that claimed it. If the end of the work could not be stored, such as on a full disk, the
/// process lives on but nobody in it completes the row. A row of this process that is not in this list was left behind.
final class ClaimedWork: Sendable {
    /// The token of each entry by its id, and of each lease by its name.
    private let tokens = Mutex<[String: (token: Int64, isLease: Bool)]>([:])

    /// Whether this process works on any entry.
    var hasWrites: Bool { tokens.withLock { $0.values.contains { !$0.isLease } } }

    /// Adds an entry or lease that this process works on.
    func add(_ name: String, _ token: Int64, isLease: Bool = false) {
        tokens.withLock { $0[name] = (token, isLease) }
    }

    /// Keeps a name that was claimed again meanwhile with another token.
    func remove(_ name: String, _ token: Int64) {
        tokens.withLock { tokens in
            if tokens[name]?.token == token { tokens[name] = nil }
        }
    }

    /// Whether this process works on it.
    func holds(_ name: String) -> Bool {
        tokens.withLock { $0[name] != nil }
    }
}
