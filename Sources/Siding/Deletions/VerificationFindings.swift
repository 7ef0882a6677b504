public import SidingChain

/// Records that a complete listing lacked, and of which the origin has not said whether they are there.
public struct UnconfirmedDeletions: Sendable, Hashable {
    /// Those that were never asked about first, each part in key order; without those that edits of the user's own lie on.
    public var keys: [String]
    /// How many of them the origin has never said to be there: as many may turn out to be gone at once.
    public var unconfirmed = 0
    /// The parents in whose listings they were seen last, by the keys of the records.
    public var parents: [String: String] = [:]

    public init(keys: [String]) { self.keys = keys }
}

/// What the origin said of records that a complete listing lacked, when it was asked for each of them.
public struct VerificationFindings: Sendable {
    public var resource: String
    public var lease: Lease
    public var run: RunID
    /// Whether a record is gone, by key.
    public var isGone: [String: Bool]
    /// When the first of them was asked for: what was answered before says nothing of now.
    public var since: Timestamp
    /// How many requests that took: added to the run's counters.
    public var requests: Int
    /// What may be deleted of what is gone. Nil while there is more to ask: how many are gone is not known before.
    public var terms: DeletionTerms?

    public init(
        resource: String, lease: Lease, run: RunID, isGone: [String: Bool], since: Timestamp,
        requests: Int, terms: DeletionTerms? = nil
    ) {
        (self.resource, self.lease, self.run) = (resource, lease, run)
        (self.isGone, self.since, self.requests, self.terms) = (isGone, since, requests, terms)
    }
}
