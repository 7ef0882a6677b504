/// One stored record: the JSON value as it came, under its key.
public struct Record: Sendable, Hashable {
    public var resource: String
    public var key: String
    /// The JSON text, byte for byte.
    public var body: [UInt8]
    public var firstSeenAt: Timestamp
    public var changedAt: Timestamp
    /// Set on a tombstone.
    public var deletedAt: Timestamp?
    /// The run that last wrote it.
    public var run: RunID
    /// The resource's revision at which it was last written.
    public var revision: Int64
    /// How many of the user's own writes to it the origin has not answered yet. They show in the body; a tombstone with
    /// some is about to be deleted at the origin.
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

/// How many records a resource has.
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

/// How fresh a resource is.
public struct ResourceState: Sendable, Hashable {
    public var resource: String
    public var source: String
    /// What the resource was at its last sync.
    public var definition: ResourceDefinition
    public var records: Int
    /// Records that broke their contract on the pages as they were last seen.
    public var quarantined: Int
    /// Records that the last complete listings lacked, and that are not deleted yet.
    public var missing = 0
    /// When the last complete listing ended.
    public var completedAt: Timestamp?
    /// The page at which an open listing goes on.
    public var checkpoint: PageRequest?
    /// What that listing asks for, and how far it has come.
    public var checkpointCursor: ListingCursor
    /// How soon asking again is pointless, as the last complete listing was told.
    public var freshness: ListingFreshness
    /// The newest round of a resource with a listing per parent.
    public var round: RoundState?
    /// When the open listing, or the newest round, was last carried on; nil where there is none.
    public var progressedAt: Timestamp?

    public init(
        resource: String, source: String, definition: ResourceDefinition, records: Int, quarantined: Int = 0,
        completedAt: Timestamp?,
        checkpoint: PageRequest?, checkpointCursor: ListingCursor = ListingCursor(),
        freshness: ListingFreshness = ListingFreshness(), round: RoundState? = nil
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
        self.round = round
    }
}
