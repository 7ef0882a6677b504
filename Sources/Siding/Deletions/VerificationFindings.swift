public import SidingChain

/// Missing records that are to be verified by GET.
public struct UnconfirmedDeletions: Sendable, Hashable {
    /// Those that were never asked about first, then those asked about longest ago; without those that have pending edits.
    public var keys: [String] = []
    /// How many were never verified: up to this many may be deleted at once.
    public var unchecked = 0
    /// The parents whose listings showed the records last, by record key.
    public var parents: [String: String] = [:]

    public init() {}
}

/// The origin's answers for single missing records.
public struct VerificationFindings: Sendable {
    public var resource: String
    public var lease: Lease
    public var run: RunID
    /// Whether a record is deleted at the origin, by key.
    public var isGone: [String: Bool]
    /// The number of requests, added to the run's counters.
    public var requests: Int
    /// When the first of them was asked about: an answer says nothing of a record that was written later.
    public var since: Timestamp
    /// How the deletions are limited.
    public var terms: DeletionTerms

    public init(
        resource: String, lease: Lease, run: RunID, isGone: [String: Bool], requests: Int, since: Timestamp,
        terms: DeletionTerms
    ) {
        (self.resource, self.lease, self.run) = (resource, lease, run)
        (self.isGone, self.requests, self.since, self.terms) = (isGone, requests, since, terms)
    }
}
