public import HTTPTypes
public import SidingChain

/// What else can be done with writes that are not settled.
public protocol EditStore: WriteStore {
    /// Carries a person's word out on every entry that `selection` means: on each wholly or not at all, and all at once. What
    /// is refused to one entry changes nothing about the others.
    ///
    /// - Parameter isRehearsal: nothing is changed, and what would be is answered. What dead senders left is not taken up, so
    ///   it counts as being sent.
    /// - Throws: ``StoreError/Kind/invalidWrite`` for a change that no write may be kept with, ``StoreError/Kind/notFound``
    ///   and ``StoreError/Kind/ambiguous`` for ids.
    func carryOut(
        _ decision: QueueDecision, on selection: QueueSelection, isRehearsal: Bool
    ) async throws(StoreError) -> [QueueChange]

    /// Puts another request in the place of one that is not settled: a person's edit.
    ///
    /// What was accepted under a key is never sent otherwise under the same key, so this makes a new entry with a new id and
    /// a new key, at the same place in the lane, and drops the old one with a note of what replaced it. What waited for the
    /// old entry waits for the new one.
    /// - Throws: ``StoreError/Kind/invalidWrite`` where the entry is settled, is being sent, is a fetch, or cannot be kept
    ///   so.
    func replace(_ entry: String, with change: WriteChange) async throws(StoreError) -> QueueEntry

    /// What an unsettled edit and the origin each would have of the record; nil for a write that is no edit, or is settled.
    func conflict(of entry: String) async throws(StoreError) -> ConflictReport?

    /// Carries out a person's decision, for any write that is not settled and not being sent.
    ///
    /// - Returns: the entry as it is now; for a merge the new one.
    /// - Throws: ``StoreError/Kind/invalidWrite`` where it cannot be done.
    func resolve(_ entry: String, as resolution: ConflictResolution) async throws(StoreError) -> QueueEntry
}

/// What a person changes about a write.
public struct WriteChange: Sendable, Hashable {
    /// Nil leaves the URL as it is. An edit of a record stays one of that record.
    public var url: HTTPURL?
    /// Nil leaves the body as it is.
    public var body: [UInt8]?
    /// Nil leaves the fields as they are.
    public var headerFields: HTTPFields?
    /// Whether an entry that was parked goes back to the queue at once, as it does unless said otherwise; if not, it is held
    /// until it is released.
    public var releases: Bool

    public init(
        url: HTTPURL? = nil, body: [UInt8]? = nil, headerFields: HTTPFields? = nil, releases: Bool = true
    ) {
        (self.url, self.body, self.headerFields, self.releases) = (url, body, headerFields, releases)
    }
}
