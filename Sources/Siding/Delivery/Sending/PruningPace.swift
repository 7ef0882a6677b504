// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// When a sender looked last whether something is to be pruned.
final class PruningPace: Sendable {
    /// The time between two looks.
    static let interval = Duration.seconds(3_600)
    private let lookedAt = Mutex<Timestamp?>(nil)

    /// Whether a look is due; the caller then looks.
    func isDue(at now: Timestamp) -> Bool {
        lookedAt.withLock { lookedAt in
            // A moment that has not come yet was noted before the clock was set back.
            if let last = lookedAt, last <= now, now - last < Self.interval { return false }
            lookedAt = now
            return true
        }
    }
}
