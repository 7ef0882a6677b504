/// What senders of writes need of persistence: each call happens whole or not at all.
public protocol WriteStore: QueueStore {
    /// Accepts a write: when this returns it is durable, and is sent sooner or later whatever happens to the process.
    ///
    /// - Returns: the entry; the one that is there already where `write` names its key and is the same request.
    /// - Throws: ``StoreError/Kind/invalidWrite`` where the key stands for another request or a parent is settled as
    ///   dropped, ``StoreError/Kind/notFound`` for a parent that is not there.
    func enqueue(_ write: WriteRequest) async throws(StoreError) -> QueueEntry

    /// Takes the next write in hand: the oldest of its lane, without unsettled parents, due, of a source whose gate is open;
    /// sources take turns. While a gate's time is over but nothing has succeeded since, one request at a time probes it.
    ///
    /// What is past its expiry or its key's lifetime, or cannot be read, is parked instead. A wait that is longer than any
    /// can be, because the clock was set back since, is over.
    func claim(_ request: ClaimRequest) async throws(StoreError) -> ClaimedWrite?

    /// Notes that the first byte is about to leave, for a write that may not be sent twice.
    ///
    /// - Throws: ``StoreError/Kind/leaseLost`` where the entry is not this sender's any more: nothing may be sent.
    func markSent(_ write: ClaimedWrite) async throws(StoreError)

    /// Settles a write in hand and takes the next one, in one transaction: a sender waits for the disk once per write.
    ///
    /// - Parameter request: nil to take none.
    /// - Returns: the entry as it is now, nil where it was not this sender's any more, and nothing was changed; and the next
    ///   write as ``claim(_:)`` answers it.
    func settle(
        _ write: ClaimedWrite, _ settlement: WriteSettlement, claiming request: ClaimRequest?
    ) async throws(StoreError) -> (entry: QueueEntry?, next: ClaimedWrite?)

    /// Takes up what dead senders had in hand.
    ///
    /// - Returns: the entries that were taken up, as they are now.
    func reap() async throws(StoreError) -> [QueueEntry]

    /// What the queue keeps of a write; nil where `entry`, a whole id, is none.
    func content(of entry: String) async throws(StoreError) -> WriteContent?

    /// What there is for a sender to do: for claims, from these sources.
    ///
    /// A look that changes nothing, and so needs no turn among the writers: who waits for work looks here again and again.
    func outlook(of sources: Set<String>) async throws(StoreError) -> QueueOutlook

    /// Ends waiting that has no reason any more: gates open for a probe, and entries that waited for the line are due.
    /// What an origin asked for, its `Retry-After`, holds.
    ///
    /// - Parameter sources: whose; nil for all.
    func endWaits(of sources: Set<String>?, because cause: WaitsEnd) async throws(StoreError)
}

extension WriteStore {
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
