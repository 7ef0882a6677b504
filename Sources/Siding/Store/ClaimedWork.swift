internal import SidingSynchronization

/// The queue entries and leases that this process works on.
///
/// A row names only the process that claimed it. If the end of the work could not be stored, such as on a full disk, the
/// process lives on but nobody in it completes the row. A row of this process that is not in this list was left behind.
final class ClaimedWork: Sendable {
    /// The token of each entry by its id, and of each lease by its name.
    private let tokens = Mutex<[String: Int64]>([:])

    /// Adds an entry or lease that this process works on.
    func take(_ name: String, _ token: Int64) {
        tokens.withLock { $0[name] = token }
    }

    /// Keeps a name that was claimed again meanwhile with another token.
    func leave(_ name: String, _ token: Int64) {
        tokens.withLock { tokens in
            if tokens[name] == token { tokens[name] = nil }
        }
    }

    /// Whether this process works on it.
    func holds(_ name: String) -> Bool {
        tokens.withLock { $0[name] != nil }
    }
}
