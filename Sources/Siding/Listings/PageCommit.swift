public import SidingChain
public import SidingJSON

/// Everything that one page changes, committed atomically.
public struct PageCommit: Sendable {
    public var resource: String
    public var lease: Lease
    public var run: RunID
    public var listing: Int64
    public var page: PageRequest
    public var content: Content
    /// Nil for an ad-hoc listing (`--limit`), which must not touch checkpoint and validators.
    public var progress: Progress?
    /// The ID of the retained fetch that this page completes.
    public var settles: String?
    /// The cost of the request, added to the run's counters.
    public var requests: Int
    public var bytes: Int
    /// Request and answer, for the provenance of the records; nil if the caller does not say.
    public var exchange: Exchange?

    /// A request and its answer, as far as provenance keeps them.
    public struct Exchange: Sendable, Hashable {
        public var method: String
        public var status: Int
        public var etag: String?
        public var lastModified: String?

        public init(method: String, status: Int, etag: String? = nil, lastModified: String? = nil) {
            (self.method, self.status, self.etag, self.lastModified) = (method, status, etag, lastModified)
        }
    }
    /// The record schema whose `where` an ad-hoc listing applies, without changing the stored one; nil for the stored one.
    public var schema: RecordSchema?
    /// Whether the answer had no list of records, not even an empty one. Then it is no evidence of missing records.
    public var hasNoList = false
    /// Which records are deleted, and how the end of the listing reconciles deletions.
    public var deletions = DeletionTerms()

    /// The content of a page.
    public enum Content: Sendable {
        /// The unchanged body, and where its records are in it.
        case records([UInt8], [RecordSlice])
        /// 304: the records are the stored ones.
        case notModified(recordCount: Int)
        /// An answer that is not a page, to keep in quarantine.
        case setAside([UInt8], reason: String)

        /// The number of records on the page.
        package var recordCount: Int {
            switch self {
            case .records(_, let slices): slices.count
            case .notModified(let count): count
            case .setAside: 0
            }
        }

        /// Whether the origin sent the page, not a 304.
        package var isWhole: Bool { if case .notModified = self { false } else { true } }
    }

    /// How the page advances its listing.
    public struct Progress: Sendable {
        public var status: Int
        public var etag: String?
        public var lastModified: String?
        public var next: NextPage
        /// The next-page rule in use, for the run record.
        public var paging: String
        /// How the page moves the cursor; nil if the resource has none.
        public var cursor: CursorMove?
        /// The freshness that the first page of the listing reported; stored with the last page.
        public var freshness: ListingFreshness
        /// Where the next page was found; nil if unknown.
        public var nextPageSource: NextPageSource?
        /// The page behind this one, if the listing ends here because all pages from there on are known. The page's row keeps
        /// it as its next page.
        public var behind: PageRequest?
        /// The highest cursor value among the page's records; nil if there is none, and empty if the page breaks the declared
        /// descending order.
        public var highWaterMark: String?
        /// A digest of the page's records; nil if there are none.
        public var digest: UInt64?

        public init(
            status: Int, etag: String?, lastModified: String?, next: NextPage, paging: String,
            cursor: CursorMove? = nil, freshness: ListingFreshness = ListingFreshness(),
            nextPageSource: NextPageSource? = nil
        ) {
            self.status = status
            self.etag = etag
            self.lastModified = lastModified
            self.next = next
            self.paging = paging
            self.cursor = cursor
            self.freshness = freshness
            self.nextPageSource = nextPageSource
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

/// One page request; also a listing's checkpoint, and the request that the queue retains for a fetch.
public struct PageRequest: Sendable, Hashable {
    /// The page's URL, without credentials.
    public var url: HTTPURL
    /// The request's body; nil for none.
    public var body: String?
    /// The key of the parent; empty if the resource has a single listing.
    public var scope: String
    /// The page's number in its listing, from 1.
    public var number: Int
    /// The number of records on the pages before.
    public var offset: Int

    public init(url: HTTPURL, body: String? = nil, scope: String = "", number: Int, offset: Int) {
        self.url = url
        self.body = body
        self.scope = scope
        self.number = number
        self.offset = offset
    }
}

extension PageRequest {
    /// Identifies the page within its listing.
    package struct Address: Sendable, Hashable {
        package var url: HTTPURL
        package var body: String?
    }

    package var address: Address { Address(url: url, body: body) }
}

/// What follows a page.
public enum NextPage: Sendable, Hashable {
    case page(PageRequest)
    /// The listing is complete.
    case end
    /// The listing stops before its end, and why: a loop, `max_pages`, `--limit`.
    case cut(String)
}
