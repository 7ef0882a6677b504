internal import SidingSynchronization

/// The queue entries and leases that this process is at work on.
///
/// A row says only which process has an entry or a lease. Where its end could not be stored, say because the disk was full,
/// the process lives on, and nobody of it comes back to the row: by this it is known as left behind.
final class WorkInHand: Sendable {
    /// The token of each entry, by its id, and of each lease, by its name.
    private let tokens = Mutex<[String: Int64]>([:])

    func take(_ name: String, _ token: Int64) {
        tokens.withLock { $0[name] = token }
    }

    /// What was taken anew meanwhile stays in its new hand.
    func leave(_ name: String, _ token: Int64) {
        tokens.withLock { tokens in
            if tokens[name] == token { tokens[name] = nil }
        }
    }

    func holds(_ name: String) -> Bool {
        tokens.withLock { $0[name] != nil }
    }
}
