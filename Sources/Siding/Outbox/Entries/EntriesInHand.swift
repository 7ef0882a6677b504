internal import SidingSynchronization

/// The writes that senders of this process are at work on.
///
/// A row says only which process has an entry. Where a settlement could not be stored, say because the disk was full, the
/// process lives on, and nobody of it comes back to the entry: by this it is known as left behind.
final class EntriesInHand: Sendable {
    /// The token of each entry.
    private let tokens = Mutex<[String: Int64]>([:])

    func take(_ write: ClaimedWrite) {
        tokens.withLock { $0[write.entry.id] = write.token }
    }

    /// An entry that was claimed anew meanwhile stays in its new hand.
    func leave(_ write: ClaimedWrite) {
        tokens.withLock { tokens in
            if tokens[write.entry.id] == write.token { tokens[write.entry.id] = nil }
        }
    }

    func holds(_ entry: String) -> Bool {
        tokens.withLock { $0[entry] != nil }
    }
}
