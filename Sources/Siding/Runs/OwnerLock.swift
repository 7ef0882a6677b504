internal import FoundationEssentials
internal import SidingSQLite
internal import SidingSynchronization

/// This process as an owner of leases and entries: a file on which it holds a flock(2) while it lives.
///
/// Who can take the lock of an owner knows that the owner is dead; there is no heartbeat, and no process id that could be
/// reused. The kernel frees the lock at any death.
final class OwnerLock: Sendable {
    let directory: String
    private let held = Mutex<Held?>(nil)

    private struct Held: ~Copyable {
        let id: String
        let lock: FileLock
    }

    init(directory: String) {
        self.directory = directory
    }

    /// The owner's name; the lock is taken at the first call.
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

    /// Whether the process that is known as `owner` still lives. This process itself does.
    func isAlive(_ owner: String) -> Bool {
        guard held.withLock({ $0?.id }) != owner else { return true }
        let path = path(of: owner)
        guard DatabaseFiles.exists(path) else { return false }
        // Of what cannot be looked at, nothing is taken over.
        return (try? FileLock.isHeld(path)) ?? true
    }

    /// Removes the lock file of an owner that is dead and owns nothing any more.
    func forget(_ owner: String) {
        DatabaseFiles.remove(path(of: owner))
    }

    /// How long a lock file must have lain there to be taken for one that a killed process left, in seconds: a process that
    /// makes itself known has its file for an instant before it has its lock.
    static let restingTime = 3_600

    /// Removes the lock files of processes that were killed with nothing in hand, so that nobody asks for them.
    func sweep() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names {
            guard let age = DatabaseFiles.age(path(of: name)), age > Self.restingTime, !isAlive(name) else { continue }
            forget(name)
        }
    }

    /// Gives this process's lock back.
    func release() {
        held.withLock { held in
            guard let id = held?.id else { return }
            // The file goes first: nobody may take the lock of a file that is about to go.
            DatabaseFiles.remove(path(of: id))
            held = nil
        }
    }

    private func path(of owner: String) -> String { "\(directory)/\(owner)" }
}
