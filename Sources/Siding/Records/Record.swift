public import SidingChain

/// One stored record.
public struct Record: Sendable, Hashable {
    public var resource: String
    public var key: String
    /// The original JSON bytes.
    public var body: [UInt8]
    public var firstSeenAt: Timestamp
    public var changedAt: Timestamp
    /// When the record was deleted; nil for a live record.
    public var deletedAt: Timestamp?
    /// The run that last wrote it; 0 if none did.
    public var run: RunID
    /// The resource's revision of its last write.
    public var revision: Int64
    /// The number of pending edits. The body includes them; a tombstone with pending edits is about to be deleted at the origin.
    public var pending: Int

    public init(
        resource: String, key: String, body: [UInt8], firstSeenAt: Timestamp, changedAt: Timestamp,
        deletedAt: Timestamp?, run: RunID, revision: Int64, pending: Int = 0
    ) {
        self.resource = resource
        self.key = key
        self.body = body
        self.firstSeenAt = firstSeenAt
        self.changedAt = changedAt
        self.deletedAt = deletedAt
        self.run = run
        self.revision = revision
        self.pending = pending
    }
}

/// The number of live records and tombstones of a resource.
public struct RecordCount: Sendable, Hashable {
    public var resource: String
    public var count: Int
    public var deleted: Int

    public init(resource: String, count: Int, deleted: Int) {
        self.resource = resource
        self.count = count
        self.deleted = deleted
    }
}

/// The state of a resource's data.
public struct ResourceState: Sendable, Hashable {
    public var resource: String
    public var source: String
    /// The resource's definition at its last sync.
    public var definition: ResourceDefinition
    public var records: Int
    /// Records in quarantine.
    public var quarantined: Int
    /// Missing records: in no page of the last complete listings, and not deleted yet.
    public var missing = 0
    /// When the last complete listing ended.
    public var completedAt: Timestamp?
    /// The next page of an unfinished listing.
    public var checkpoint: PageRequest?
    /// The cursor of that listing: where it began and its high-water mark.
    public var checkpointCursor: ListingCursor
    /// Until when the origin declared the data fresh, in the last complete listing.
    public var freshness: ListingFreshness
    /// The last fan-out pass of a resource with parents.
    public var pass: PassState?
    /// When the unfinished listing, or the last fan-out pass, last made progress; nil if there is none.
    public var progressedAt: Timestamp?

    public init(
        resource: String, source: String, definition: ResourceDefinition, records: Int, quarantined: Int = 0,
        completedAt: Timestamp?,
        checkpoint: PageRequest?, checkpointCursor: ListingCursor = ListingCursor(),
        freshness: ListingFreshness = ListingFreshness(), pass: PassState? = nil
    ) {
        self.resource = resource
        self.source = source
        self.definition = definition
        self.records = records
        self.quarantined = quarantined
        self.completedAt = completedAt
        self.checkpoint = checkpoint
        self.checkpointCursor = checkpointCursor
        self.freshness = freshness
        self.pass = pass
    }
}
