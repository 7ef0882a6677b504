extension Store {
    /// Records the result of a claimed write without claiming another.
    ///
    /// - Returns: the entry afterwards; nil if this sender no longer owned it, in which case nothing was changed.
    public func settle(
        _ write: ClaimedWrite, _ settlement: WriteSettlement
    ) async throws(StoreError) -> QueueEntry? {
        try await settle(write, settlement, claiming: nil).entry
    }
}

/// Why waiting may end early.
public enum WaitsEnd: Sendable, Hashable {
    /// A link, an address or a route appeared: entries that wait for the network are due.
    case lineReturned
    /// An operator asks to try now: entries that wait for a sign-in are due as well.
    case personAsks
    /// Entries that wait for a sign-in are due; entries that wait for the network keep waiting.
    case credentialsChanged
}
