package import SidingChain

/// How to open a listing.
package struct ListingOpening: Sendable {
    package var resource: String
    package var source: String
    package var definition: ResourceDefinition
    package var lease: Lease
    package var run: RunID
    /// Whether a checkpoint is dropped rather than resumed.
    package var startsAnew: Bool
    /// Whether all pages are requested without conditions, even after an interruption: stored validators are deleted.
    package var isUnconditional = false
    /// Older checkpoints are dropped.
    package var resumeWithin: Duration
    /// The first page of a new listing.
    package var first: PageRequest
    /// The cursor range of a new listing.
    package var cursor: ListingCursor
    /// Whether a restart deletes the stored cursor, as the origin no longer accepts it.
    package var forgetsCursor = false
    /// Whether this is an ad-hoc listing (`--limit`): it begins at the first page, and leaves checkpoint, validators and
    /// retained fetch as they are.
    package var isAdHoc: Bool
    /// The record schema to apply; an ad-hoc listing leaves the stored one as it is.
    package var schema: RecordSchema
    /// The parent of the listing; nil if the resource has a single listing.
    package var parent: ListingParent?
    /// The first URL of the parent's listing without a cursor; nil without a parent. A cursor found under another first URL
    /// does not count.
    package var root: String?

    package init(
        resource: String, source: String, definition: ResourceDefinition, lease: Lease, run: RunID,
        startsAnew: Bool = false, resumeWithin: Duration = AnyResource.usualResumeWithin, first: PageRequest,
        cursor: ListingCursor = ListingCursor(),
        isAdHoc: Bool = false, schema: RecordSchema = RecordSchema()
    ) {
        self.resource = resource
        self.source = source
        self.definition = definition
        self.lease = lease
        self.run = run
        self.startsAnew = startsAnew
        self.resumeWithin = resumeWithin
        self.first = first
        self.cursor = cursor
        self.isAdHoc = isAdHoc
        self.schema = schema
    }
}

extension ListingOpening {
    /// Whether to resume a listing that last made progress at `progress`.
    package func resumes(_ progress: Timestamp, now: Timestamp) -> Bool {
        Resumption.isTimely(progress, within: resumeWithin, now: now)
    }
}

/// How a listing uses the cursor of its resource.
package struct ListingCursor: Sendable, Hashable {
    /// The cursor value that the listing starts from; nil to list everything.
    package var from: String?
    /// The high-water mark of its pages so far.
    package var reached: String?
    /// Whether its end moves the stored cursor.
    package var moves: Bool
    /// Whether it starts beyond the stored cursor, so that no listing covers the changes between the two.
    package var isPassing: Bool { from != nil && !moves }
    /// Whether its pages came out of order: then it is read to its end, and only its end moves the cursor.
    package var waits: Bool

    package init(from: String? = nil, reached: String? = nil, moves: Bool = false, waits: Bool = false) {
        (self.from, self.reached, self.moves, self.waits) = (from, reached, moves, waits)
    }
}

/// The position of a listing when it is opened.
package struct ListingPosition: Sendable, Hashable {
    /// The number of the listing among those of its resource; 0 for an ad-hoc listing.
    package var listing: Int64
    /// The page to request now.
    package var page: PageRequest
    /// Whether the page is a checkpoint or a retained fetch, not the first page of a new listing.
    package var isResumed: Bool
    /// The retained fetch for this page, claimed when the listing was opened.
    package var entry: QueueEntry?
    /// The changed aspects of the definition since the last sync. If not empty, everything is listed again.
    package var changedAspects: [String]
    /// The number of stored records that a changed `where` filtered out; the run's counters include it.
    package var leftOut = 0
    /// Why an old checkpoint was dropped; nil if none was.
    package var droppedCheckpoint: String?
    /// A retained fetch that waits for an operator action; the listing does not advance.
    package var blockedBy: QueueEntry?
    /// The cursor range as of the listing's start, and its high-water mark so far.
    package var cursor = ListingCursor()
    /// The freshness that the first page of an unfinished listing reported.
    package var freshness = ListingFreshness()

    package init(
        listing: Int64, page: PageRequest, isResumed: Bool, entry: QueueEntry? = nil, changedAspects: [String] = [],
        droppedCheckpoint: String? = nil, blockedBy: QueueEntry? = nil
    ) {
        self.listing = listing
        self.page = page
        self.isResumed = isResumed
        self.entry = entry
        self.changedAspects = changedAspects
        self.droppedCheckpoint = droppedCheckpoint
        self.blockedBy = blockedBy
    }
}

/// The stored row of a page: its validators, and what a 304 does not repeat.
package struct StoredPage: Sendable, Hashable {
    package var etag: String?
    package var lastModified: String?
    /// Nil if the page was the last one.
    package var next: PageRequest?
    package var recordCount: Int
    /// Where the next page was found when the page was last fetched in full; nil if unknown.
    package var nextPageSource: NextPageSource?
    /// When the page was last fetched in full; nil if unknown.
    package var readAt: Timestamp?
    /// See ``PageCommit/Progress/highWaterMark``; nil also if unknown.
    package var highWaterMark: String?
    /// See ``PageCommit/Progress/digest``; nil also if unknown.
    package var digest: UInt64?

    /// Stored instead of a page's highest value if the page is out of order, so that a 304 to it ends no listing.
    static let disorder = ""

    package init(
        etag: String?, lastModified: String?, next: PageRequest?, recordCount: Int,
        nextPageSource: NextPageSource? = nil,
        readAt: Timestamp? = nil, highWaterMark: String? = nil, digest: UInt64? = nil
    ) {
        self.etag = etag
        self.lastModified = lastModified
        self.next = next
        self.recordCount = recordCount
        self.nextPageSource = nextPageSource
        self.readAt = readAt
        self.highWaterMark = highWaterMark
        self.digest = digest
    }
}

/// Where the pages of a listing name their next page. It decides whether a 304 may end the listing.
package enum NextPageSource: String, Sendable, CaseIterable {
    /// In header fields, which a 304 may leave out.
    case header
    /// In the body, or derived from it: an unchanged body has the same next page as before.
    case body
    /// In no known place.
    case nowhere
}
