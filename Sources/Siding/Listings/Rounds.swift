/// How a round is to begin.
public struct RoundOpening: Sendable {
    /// What all its listings have in common; the first page is not looked at.
    public var listing: ListingOpening
    /// The resource whose records are the parents.
    public var parent: String

    public init(_ listing: ListingOpening, over parent: String) {
        self.listing = listing
        self.parent = parent
    }
}

/// Where a round stands when it is opened.
public struct RoundPosition: Sendable, Hashable {
    public var round: Int64
    /// Whether it asks for every parent, changed or not.
    public var takesAll: Bool
    public var isResumed: Bool
    public var changedAspects: [String]
    /// How many stored records a changed condition left out, which the run counts already.
    public var leftOut = 0
    /// Set where an old round was given up, and says why.
    public var droppedRound: String?

    public init(
        round: Int64, takesAll: Bool, isResumed: Bool, changedAspects: [String] = [], droppedRound: String? = nil
    ) {
        self.round = round
        self.takesAll = takesAll
        self.isResumed = isResumed
        self.changedAspects = changedAspects
        self.droppedRound = droppedRound
    }
}

/// A round as it is stored.
public struct RoundState: Sendable, Hashable {
    public var round: Int64
    public var isOpen: Bool
    public var takesAll: Bool
    public var startedAt: Timestamp
    public var endedAt: Timestamp?

    public init(round: Int64, isOpen: Bool, takesAll: Bool, startedAt: Timestamp, endedAt: Timestamp?) {
        self.round = round
        self.isOpen = isOpen
        self.takesAll = takesAll
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// How a round ended.
public struct RoundEnd: Sendable {
    public var resource: String
    public var parent: String
    public var round: Int64
    public var lease: Lease
    public var run: RunID
    /// Whether every parent's listing is complete: then so is the resource.
    public var isComplete: Bool
    /// What may be deleted of what is gone, and of what does not fit the condition any more; nil for the usual.
    public var deletions: DeletionTerms?

    public init(resource: String, parent: String, round: Int64, lease: Lease, run: RunID, isComplete: Bool) {
        self.resource = resource
        self.parent = parent
        self.round = round
        self.lease = lease
        self.run = run
        self.isComplete = isComplete
    }
}

/// What the end of a fan-out pass showed of records deleted at the origin.
public struct RoundFindings: Sendable, Hashable {
    /// What was deleted and blocked.
    public var counters = RunCounters()
    /// Records that no page shows any more and that were kept, because the pass proves nothing.
    public var unproven = 0
    /// Living parents whose listing was not completed in the pass.
    public var unasked = 0
    /// Whether the parents were not listed completely since the last complete pass: there may be one that is not stored.
    public var areParentsUnlisted = false
    /// Listings with pages of which not all records are known.
    public var unknown = 0
    /// Whether several runs read the pass, and its pages are not stable.
    public var isInterrupted = false

    public init() {}

    /// Whether the pass counts.
    var isProof: Bool { unasked == 0 && unknown == 0 && !areParentsUnlisted && !isInterrupted }
}

/// Which parents are wanted.
public struct ParentSelection: Sendable, Hashable {
    /// The resource that lists something for each of them.
    public var resource: String
    /// The resource whose records they are.
    public var parent: String
    public var filter: RecordFilter?
    /// Only these keys; nil for all.
    public var keys: [String]?
    /// Those whose listing ended in this round are left out; nil leaves out none.
    public var round: Int64?
    /// Only those that are new or changed, or whose listing is not complete.
    public var areChanged: Bool
    /// Only keys behind this one.
    public var after: String?
    /// Nil for no end.
    public var limit: Int?

    public init(
        for resource: String, of parent: String, filter: RecordFilter? = nil, keys: [String]? = nil,
        round: Int64? = nil, areChanged: Bool = false, after: String? = nil, limit: Int? = nil
    ) {
        self.resource = resource
        self.parent = parent
        self.filter = filter
        self.keys = keys
        self.round = round
        self.areChanged = areChanged
        self.after = after
        self.limit = limit
    }
}

/// A record that has a listing of its own in another resource.
public struct Parent: Sendable, Hashable {
    public var key: String
    public var body: [UInt8]
    /// The revision of its resource at which it was last written.
    public var revision: Int64
    /// The page at which its open listing goes on.
    public var checkpoint: PageRequest?
    /// When that listing was last carried on.
    public var checkpointAt: Timestamp?
    /// Where its listing began; see ``ListingOpening/root``.
    public var root: String?

    public init(
        key: String, body: [UInt8], revision: Int64, checkpoint: PageRequest? = nil, checkpointAt: Timestamp? = nil,
        root: String? = nil
    ) {
        self.root = root
        self.key = key
        self.body = body
        self.revision = revision
        self.checkpoint = checkpoint
        self.checkpointAt = checkpointAt
    }
}

/// What a listing is told of its parent when it is opened.
public struct ListingParent: Sendable, Hashable {
    public var resource: String
    public var revision: Int64
    /// Nil for a listing of its own.
    public var round: Int64?

    public init(resource: String, revision: Int64, round: Int64?) {
        self.resource = resource
        self.revision = revision
        self.round = round
    }
}

/// How many parents there are, and how many of them are due.
public struct ParentOutlook: Sendable, Hashable {
    /// Those that the filter means.
    public var all = 0
    public var due = 0
    /// Due, as there never was a listing.
    public var new = 0
    /// Due, as the listing is not complete.
    public var unfinished = 0
    /// Due, as the parent changed since its listing began.
    public var changed = 0

    public init(all: Int = 0, due: Int = 0, new: Int = 0, unfinished: Int = 0, changed: Int = 0) {
        self.all = all
        self.due = due
        self.new = new
        self.unfinished = unfinished
        self.changed = changed
    }
}

/// The cursor of one listing of a resource.
public struct ScopedCursor: Sendable, Hashable {
    /// The key of the parent.
    public var scope: String
    public var value: String
    public var movedAt: Timestamp

    public init(scope: String, value: String, movedAt: Timestamp) {
        self.scope = scope
        self.value = value
        self.movedAt = movedAt
    }
}
