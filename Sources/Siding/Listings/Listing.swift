/// How a listing is to begin.
public struct ListingOpening: Sendable {
    public var resource: String
    public var source: String
    public var definition: ResourceDefinition
    public var lease: Lease
    public var run: RunID
    /// Whether a checkpoint is dropped rather than resumed.
    public var startsAnew: Bool
    /// Whether no page is asked for on a condition, however often the listing is interrupted: stored validators are forgotten.
    public var isUnconditional = false
    /// Checkpoints older than this are dropped.
    public var resumeWithin: Duration
    /// Where a new listing begins.
    public var first: PageRequest
    /// What a new listing asks for and does to the cursor.
    public var cursor: ListingCursor
    /// Whether the stored cursor leads nowhere any more, and is forgotten with the restart.
    public var forgetsCursor = false
    /// Whether the listing is one of its own (`--limit`), which begins at the first page and leaves checkpoint,
    /// validators and retained fetch as they are.
    public var isAside: Bool
    /// How the resource's records are to be looked at from now on; a listing of its own leaves that as it is, too.
    public var shape: RecordShape
    /// The record that the listing is about; nil where the resource has one listing only.
    public var parent: ListingParent?
    /// The first page as it is asked for all there is, where the parent decides that: a cursor that was found elsewhere means
    /// nothing there.
    public var root: String?

    public init(
        resource: String, source: String, definition: ResourceDefinition, lease: Lease, run: RunID,
        startsAnew: Bool = false, resumeWithin: Duration = AnyResource.usualResumeWithin, first: PageRequest,
        cursor: ListingCursor = ListingCursor(),
        isAside: Bool = false, shape: RecordShape = RecordShape()
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
        self.isAside = isAside
        self.shape = shape
    }
}

extension ListingOpening {
    /// Whether a listing that was last carried on at `progress` goes on.
    package func resumes(_ progress: Timestamp, now: Timestamp) -> Bool {
        Resumption.isTimely(progress, within: resumeWithin, now: now)
    }
}

/// What a listing has to do with the cursor of its resource.
public struct ListingCursor: Sendable, Hashable {
    /// The value that the listing begins at; nil for all there is.
    public var from: String?
    /// The furthest value of its pages so far.
    public var reached: String?
    /// Whether its end moves the stored cursor.
    public var moves: Bool
    /// Whether it asks for changes from beyond the stored cursor on: between the two lies what nobody has asked for.
    public var isPassing: Bool { from != nil && !moves }
    /// Whether its pages came out of order: then nothing but its end does, and it goes to that.
    public var waits: Bool

    public init(from: String? = nil, reached: String? = nil, moves: Bool = false, waits: Bool = false) {
        (self.from, self.reached, self.moves, self.waits) = (from, reached, moves, waits)
    }
}

/// Where a listing stands when it is opened.
public struct ListingPosition: Sendable, Hashable {
    /// Names the listing among those of its resource; 0 for one of its own.
    public var listing: Int64
    /// The page to ask for now.
    public var page: PageRequest
    /// Whether the page is a checkpoint or a retained fetch rather than the first of a new listing.
    public var isResumed: Bool
    /// The retained fetch that this page answers, claimed by the opening.
    public var entry: QueueEntry?
    /// The aspects in which the definition changed since the last sync; not empty means that everything is asked anew.
    public var changedAspects: [String]
    /// How many stored records a changed condition left out, which the run counts already.
    public var leftOut = 0
    /// Set where an old checkpoint was dropped, and says why.
    public var droppedCheckpoint: String?
    /// A retained fetch that waits for a person; the listing stays where it is.
    public var blockedBy: QueueEntry?
    /// What the listing asks for, as it was when it was begun, and how far it has come.
    public var cursor = ListingCursor()
    /// What the first page of an unfinished listing said of asking again.
    public var freshness = ListingFreshness()

    public init(
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

/// What a page's row remembers: what makes a conditional request possible, and what a 304 does not repeat.
public struct StoredPage: Sendable, Hashable {
    public var etag: String?
    public var lastModified: String?
    /// Nil where the page was the last one.
    public var next: PageRequest?
    public var recordCount: Int
    /// Where the way on was found when the page was last had whole; nil where that is not known.
    public var lead: NextPageSource?
    /// When the page was last had whole; nil where that is not known.
    public var readAt: Timestamp?
    /// As of ``PageCommit/Progress/furthest``; nil also where it is not known.
    public var furthest: String?
    /// Of its records, as ``PageCommit/Progress/digest`` was; nil where it is not known.
    public var digest: UInt64?

    public init(
        etag: String?, lastModified: String?, next: PageRequest?, recordCount: Int, lead: NextPageSource? = nil,
        readAt: Timestamp? = nil, furthest: String? = nil, digest: UInt64? = nil
    ) {
        self.etag = etag
        self.lastModified = lastModified
        self.next = next
        self.recordCount = recordCount
        self.lead = lead
        self.readAt = readAt
        self.furthest = furthest
        self.digest = digest
    }
}

/// Where the pages of a listing say which one is next: what a 304 can be taken to say of it goes by that.
public enum NextPageSource: String, Sendable, CaseIterable {
    /// In header fields, which a 304 may leave out.
    case header
    /// In the body, or by what it holds: a body that did not change leads on as before.
    case body
    /// Nowhere that was looked at.
    case nowhere
}
