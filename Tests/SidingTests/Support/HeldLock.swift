// SPDX-License-Identifier: Apache-2.0
import SidingSQLite
import SidingSynchronization

/// A lock that somebody else holds until he dies.
final class HeldLock: Sendable {
    private let lock: Mutex<FileLock?>

    /// Takes the lock at `path`; nil where it is taken.
    init?(_ path: String) throws {
        guard let taken = try FileLock.tryAcquire(path) else { return nil }
        lock = Mutex(consume taken)
    }

    /// The holder dies: the lock is free, its file stays.
    func die() { lock.withLock { $0 = nil } }
}
