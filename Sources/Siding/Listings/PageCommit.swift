public import SidingJSON

/// Everything that one page changes, to be committed at once or not at all.
public struct PageCommit: Sendable {
    public var resource: String
    public var lease: Lease
    public var run: RunID
    public var listing: Int64
    public var page: PageRequest
    public var content: Content
    /// Nil for a listing of its own (`--limit`) that must not touch checkpoint and validators.
    public var progress: Progress?
    /// The retained fetch that this page answers.
    public var settles: String?
    /// What the request cost: added to the run's counters with the page.
    public var requests: Int
    public var bytes: Int
    /// What was asked and answered, for the provenance of its records; nil where the caller does not say.
    public var exchange: Exchange?

    /// A request and its answer, as far as a person asks for it later.
    public struct Exchange: Sendable, Hashable {
        public var method: String
        public var status: Int
        public var etag: String?
        public var lastModified: String?

        public init(method: String, status: Int, etag: String? = nil, lastModified: String? = nil) {
            (self.method, self.status, self.etag, self.lastModified) = (method, status, etag, lastModified)
        }
    }
    /// By whose condition the records of a listing of its own are kept, which changes nothing that is declared; nil for that
    /// of the resource as it is stored.
    public var shape: RecordShape?
    /// Whether the answer had no list of records, not even an empty one: then it says of none that it is not there.
    public var hasNoList = false
    /// Which of its records are deleted, and what its listing's end proves.
    public var deletions = DeletionTerms()

    /// What the page holds.
    public enum Content: Sendable {
        /// The body as it came, and where its records lie in it.
        case records([UInt8], [RecordSlice])
        /// 304: the records are those that are stored.
        case notModified(recordCount: Int)
        /// An answer that is no page, to be kept in the quarantine.
        case setAside([UInt8], reason: String)

        /// How many records the page shows.
        package var recordCount: Int {
            switch self {
            case .records(_, let slices): slices.count
            case .notModified(let count): count
            case .setAside: 0
            }
        }

        /// Whether the origin sent the page, rather than that it did not change.
        package var isWhole: Bool { if case .notModified = self { false } else { true } }
    }

    /// How the page moves its listing.
    public struct Progress: Sendable {
        public var status: Int
        public var etag: String?
        public var lastModified: String?
        public var next: NextPage
        /// The paging that leads on, for the run record.
        public var paging: String
        /// What the page does to the cursor; nil where the resource has none.
        public var cursor: CursorMove?
        /// What the first page of the listing said; kept with the last one.
        public var freshness: ListingFreshness
        /// Where the way on was found; nil where that is not known.
        public var lead: NextPageSource?
        /// The page behind this one, where the listing ends before it as all from there on is known: the page's row keeps its
        /// way on.
        public var behind: PageRequest?
        /// The cursor's value that is furthest on among the page's records; nil where there is none, and empty where they do not
        /// come in the descending order that is declared.
        public var furthest: String?
        /// What tells the page's records from those of others; nil where it has none.
        public var digest: UInt64?

        public init(
            status: Int, etag: String?, lastModified: String?, next: NextPage, paging: String,
            cursor: CursorMove? = nil, freshness: ListingFreshness = ListingFreshness(), lead: NextPageSource? = nil
        ) {
            self.status = status
            self.etag = etag
            self.lastModified = lastModified
            self.next = next
            self.paging = paging
            self.cursor = cursor
            self.freshness = freshness
            self.lead = lead
        }
    }

    public init(
        resource: String, lease: Lease, run: RunID, listing: Int64, page: PageRequest, content: Content,
        progress: Progress?, settles: String?, requests: Int, bytes: Int
    ) {
        self.resource = resource
        self.lease = lease
        self.run = run
        self.listing = listing
        self.page = page
        self.content = content
        self.progress = progress
        self.settles = settles
        self.requests = requests
        self.bytes = bytes
    }
}
