extension Store {
    /// Settles a write in hand, and takes no other.
    ///
    /// - Returns: the entry as it is now; nil where it was not this sender's any more, and nothing was changed.
    public func settle(
        _ write: ClaimedWrite, _ settlement: WriteSettlement
    ) async throws(StoreError) -> QueueEntry? {
        try await settle(write, settlement, claiming: nil).entry
    }
}

/// Why waiting may end early.
public enum WaitsEnd: Sendable, Hashable {
    /// A link, an address or a route came: what waited for the line is worth a try.
    case lineReturned
    /// A person asks to try now: what waits for a sign-in is worth a try as well.
    case personAsks
    /// What waits for a sign-in is worth a try; what waits for the line waits on.
    case credentialsChanged
}
