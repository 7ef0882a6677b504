/// Missing records about which the origin is to be asked.
public struct UnconfirmedDeletions: Sendable, Hashable {
    /// Those that were never asked about first, each part in key order; without those that have pending edits.
    public var keys: [String] = []
    /// How many of them were never asked about: as many may turn out to be deleted at once.
    public var unconfirmed = 0
    /// The parents in whose listings they were seen last, by the keys of the records.
    public var parents: [String: String] = [:]

    public init() {}
}

/// The answers of the origin for single missing records.
public struct VerificationFindings: Sendable {
    public var resource: String
    public var lease: Lease
    public var run: RunID
    /// Whether a record is deleted at the origin, by key.
    public var isGone: [String: Bool]
    /// How many requests the answers took: added to the run's counters.
    public var requests: Int
    /// How many of them may be deleted at once.
    public var terms: DeletionTerms

    public init(
        resource: String, lease: Lease, run: RunID, isGone: [String: Bool], requests: Int, terms: DeletionTerms
    ) {
        (self.resource, self.lease, self.run) = (resource, lease, run)
        (self.isGone, self.requests, self.terms) = (isGone, requests, terms)
    }
}
