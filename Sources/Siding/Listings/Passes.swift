public import SidingChain

/// How to open a fan-out pass.
public struct PassOpening: Sendable {
    /// What all its listings share; the first page is ignored.
    public var listing: ListingOpening
    /// The resource whose records are the parents.
    public var parent: String

    public init(_ listing: ListingOpening, over parent: String) {
        self.listing = listing
        self.parent = parent
    }
}

/// The state of a fan-out pass when it is opened.
public struct PassPosition: Sendable, Hashable {
    public var pass: Int64
    /// Whether all parents are due, changed or not.
    public var takesAll: Bool
    public var isResumed: Bool
    public var changedAspects: [String]
    /// The number of stored records that a changed `where` filtered out; the run's counters include it.
    public var leftOut = 0
    /// Why an old pass was dropped; nil if none was.
    public var droppedPass: String?

    public init(
        pass: Int64, takesAll: Bool, isResumed: Bool, changedAspects: [String] = [], droppedPass: String? = nil
    ) {
        self.pass = pass
        self.takesAll = takesAll
        self.isResumed = isResumed
        self.changedAspects = changedAspects
        self.droppedPass = droppedPass
    }
}

/// A stored fan-out pass.
public struct PassState: Sendable, Hashable {
    public var pass: Int64
    public var isOpen: Bool
    public var takesAll: Bool
    public var startedAt: Timestamp
    public var endedAt: Timestamp?

    public init(pass: Int64, isOpen: Bool, takesAll: Bool, startedAt: Timestamp, endedAt: Timestamp?) {
        self.pass = pass
        self.isOpen = isOpen
        self.takesAll = takesAll
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// How a fan-out pass ended.
public struct PassEnd: Sendable {
    public var resource: String
    public var parent: String
    public var pass: Int64
    public var lease: Lease
    public var run: RunID
    /// Whether every parent's listing is complete, and with it the resource.
    public var isComplete: Bool
    /// Whether only new and changed parents were asked about: then absence proves nothing.
    public var isOfChanges = false
    /// Which missing or filtered-out records may be deleted; nil for the defaults.
    public var deletions: DeletionTerms?

    public init(resource: String, parent: String, pass: Int64, lease: Lease, run: RunID, isComplete: Bool) {
        self.resource = resource
        self.parent = parent
        self.pass = pass
        self.lease = lease
        self.run = run
        self.isComplete = isComplete
    }
}

/// The result of reconciling deletions at the end of a fan-out pass.
public struct PassFindings: Sendable, Hashable {
    /// The numbers of deleted records and blocked deletions.
    public var counters = RunCounters()
    /// Records that no page shows any more but that were kept, because the pass does not count.
    public var unproven = 0
    /// Live parents whose listing was not completed in the pass.
    public var unasked = 0
    /// Whether the parents were not listed completely since the last complete pass, so that some may not be stored.
    public var areParentsUnlisted = false
    /// Listings with pages whose records are not all known.
    public var unknown = 0
    /// Whether several runs read the pass, and its pages are not stable.
    public var isInterrupted = false

    public init() {}

    /// Whether the pass counts.
    var isProof: Bool { unasked == 0 && unknown == 0 && !areParentsUnlisted && !isInterrupted }
}

/// Selects parents of a fan-out.
public struct ParentSelection: Sendable, Hashable {
    /// The resource with a listing per parent.
    public var resource: String
    /// The resource of the parents.
    public var parent: String
    public var filter: RecordFilter?
    /// Only these keys; nil for all.
    public var keys: [String]?
    /// Skips parents whose listing ended in this pass; nil skips none.
    public var pass: Int64?
    /// Only parents that are new or changed, or whose listing is not complete.
    public var areChanged: Bool
    /// Only keys after this one.
    public var after: String?
    /// Nil for no limit.
    public var limit: Int?

    public init(
        for resource: String, of parent: String, filter: RecordFilter? = nil, keys: [String]? = nil,
        pass: Int64? = nil, areChanged: Bool = false, after: String? = nil, limit: Int? = nil
    ) {
        self.resource = resource
        self.parent = parent
        self.filter = filter
        self.keys = keys
        self.pass = pass
        self.areChanged = areChanged
        self.after = after
        self.limit = limit
    }
}

/// A record with a listing of its own in another resource.
public struct Parent: Sendable, Hashable {
    public var key: String
    public var body: [UInt8]
    /// The revision of its resource when it was last written.
    public var revision: Int64
    /// The next page of its open listing.
    public var checkpoint: PageRequest?
    /// When that listing last made progress.
    public var checkpointAt: Timestamp?
    /// The first URL of its listing; see ``ListingOpening/root``.
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

/// The parent of a listing that is being opened.
public struct ListingParent: Sendable, Hashable {
    public var resource: String
    public var revision: Int64
    /// The fan-out pass; nil for an ad-hoc listing.
    public var pass: Int64?

    public init(resource: String, revision: Int64, pass: Int64?) {
        self.resource = resource
        self.revision = revision
        self.pass = pass
    }
}

/// The number of parents, and of those that are due.
public struct ParentOutlook: Sendable, Hashable {
    /// All that match the filter.
    public var all = 0
    public var due = 0
    /// Due because they were never listed.
    public var new = 0
    /// Due because the listing is not complete.
    public var unfinished = 0
    /// Due because the parent changed since its listing began.
    public var changed = 0

    public init(all: Int = 0, due: Int = 0, new: Int = 0, unfinished: Int = 0, changed: Int = 0) {
        self.all = all
        self.due = due
        self.new = new
        self.unfinished = unfinished
        self.changed = changed
    }
}

/// The cursor of one parent's listing.
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
