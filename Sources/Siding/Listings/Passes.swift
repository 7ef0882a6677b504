package import SidingChain

/// How to open a fan-out pass.
package struct PassOpening: Sendable {
    /// What all its listings share; the first page is ignored.
    package var listing: ListingOpening
    /// The resource whose records are the parents.
    package var parent: String

    package init(_ listing: ListingOpening, over parent: String) {
        self.listing = listing
        self.parent = parent
    }
}

/// The state of a fan-out pass when it is opened.
package struct PassPosition: Sendable, Hashable {
    package var pass: Int64
    /// Whether all parents are due, changed or not.
    package var takesAll: Bool
    package var isResumed: Bool
    package var changedAspects: [String]
    /// The number of stored records that a changed `where` filtered out; the run's counters include it.
    package var leftOut = 0
    /// Why an old pass was dropped; nil if none was.
    package var droppedPass: String?

    package init(
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
package struct PassState: Sendable, Hashable {
    package var pass: Int64
    package var isOpen: Bool
    package var takesAll: Bool
    package var startedAt: Timestamp
    package var endedAt: Timestamp?

    package init(pass: Int64, isOpen: Bool, takesAll: Bool, startedAt: Timestamp, endedAt: Timestamp?) {
        self.pass = pass
        self.isOpen = isOpen
        self.takesAll = takesAll
        self.startedAt = startedAt
        self.endedAt = endedAt
    }
}

/// How a fan-out pass ended.
package struct PassEnd: Sendable {
    package var resource: String
    package var parent: String
    package var pass: Int64
    package var lease: Lease
    package var run: RunID
    /// Whether every parent's listing is complete, and with it the resource.
    package var isComplete: Bool
    /// Whether only new and changed parents were asked about: then absence proves nothing.
    package var isOfChanges = false
    /// Which missing or filtered-out records may be deleted; nil for the defaults.
    package var deletions: DeletionTerms?

    package init(resource: String, parent: String, pass: Int64, lease: Lease, run: RunID, isComplete: Bool) {
        self.resource = resource
        self.parent = parent
        self.pass = pass
        self.lease = lease
        self.run = run
        self.isComplete = isComplete
    }
}

/// The result of reconciling deletions at the end of a fan-out pass.
package struct PassFindings: Sendable, Hashable {
    /// The numbers of deleted records and blocked deletions.
    package var counters = RunCounters()
    /// Records that no page shows any more but that were kept, because the pass does not count.
    package var unproven = 0
    /// Live parents whose listing was not completed in the pass.
    package var unasked = 0
    /// Whether the parents were not listed completely since the last complete pass, so that some may not be stored.
    package var areParentsUnlisted = false
    /// Listings with pages whose records are not all known.
    package var unknown = 0
    /// Whether several runs read the pass, and its pages are not stable.
    package var isInterrupted = false

    package init() {}

    /// Whether the pass counts.
    var isProof: Bool { unasked == 0 && unknown == 0 && !areParentsUnlisted && !isInterrupted }
}

/// Selects parents of a fan-out.
package struct ParentSelection: Sendable, Hashable {
    /// The resource with a listing per parent.
    package var resource: String
    /// The resource of the parents.
    package var parent: String
    package var filter: RecordFilter?
    /// Only these keys; nil for all.
    package var keys: [String]?
    /// Skips parents whose listing ended in this pass; nil skips none.
    package var pass: Int64?
    /// Only parents that are new or changed, or whose listing is not complete.
    package var areChanged: Bool
    /// Only keys after this one.
    package var after: String?
    /// Nil for no limit.
    package var limit: Int?

    package init(
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
package struct Parent: Sendable, Hashable {
    package var key: String
    package var body: [UInt8]
    /// The revision of its resource when it was last written.
    package var revision: Int64
    /// The next page of its open listing.
    package var checkpoint: PageRequest?
    /// When that listing last made progress.
    package var checkpointAt: Timestamp?
    /// The first URL of its listing; see ``ListingOpening/root``.
    package var root: String?

    package init(
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
package struct ListingParent: Sendable, Hashable {
    package var resource: String
    package var revision: Int64
    /// The fan-out pass; nil for an ad-hoc listing.
    package var pass: Int64?

    package init(resource: String, revision: Int64, pass: Int64?) {
        self.resource = resource
        self.revision = revision
        self.pass = pass
    }
}

/// The number of parents, and of those that are due.
package struct ParentOutlook: Sendable, Hashable {
    /// All that match the filter.
    package var all = 0
    package var due = 0
    /// Due because they were never listed.
    package var new = 0
    /// Due because the listing is not complete.
    package var unfinished = 0
    /// Due because the parent changed since its listing began.
    package var changed = 0

    package init(all: Int = 0, due: Int = 0, new: Int = 0, unfinished: Int = 0, changed: Int = 0) {
        self.all = all
        self.due = due
        self.new = new
        self.unfinished = unfinished
        self.changed = changed
    }
}

/// The cursor of one parent's listing.
package struct ScopedCursor: Sendable, Hashable {
    /// The key of the parent.
    package var scope: String
    package var value: String
    package var movedAt: Timestamp

    package init(scope: String, value: String, movedAt: Timestamp) {
        self.scope = scope
        self.value = value
        self.movedAt = movedAt
    }
}
