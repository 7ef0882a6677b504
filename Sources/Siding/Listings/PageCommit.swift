package import SidingChain
package import SidingJSON

/// Everything that one page changes, committed atomically.
package struct PageCommit: Sendable {
    package var resource: String
    package var lease: Lease
    package var run: RunID
    package var listing: Int64
    package var page: PageRequest
    package var content: Content
    /// The paths of the values that come with the records; see `RecordSlice.columns`.
    package var columns: [JSONPath] = []
    /// Nil for an ad-hoc listing (`--limit`), which must not touch checkpoint and validators.
    package var progress: Progress?
    /// The ID of the retained fetch that this page completes.
    package var settles: String?
    /// The cost of the request, added to the run's counters.
    package var requests: Int
    package var bytes: Int
    /// Request and answer, for the provenance of the records; nil if the caller does not say.
    package var exchange: Exchange?

    /// A request and its answer, as far as provenance keeps them.
    package struct Exchange: Sendable, Hashable {
        package var method: String
        package var status: Int
        package var etag: String?
        package var lastModified: String?

        package init(method: String, status: Int, etag: String? = nil, lastModified: String? = nil) {
            (self.method, self.status, self.etag, self.lastModified) = (method, status, etag, lastModified)
        }
    }
    /// The record schema whose `where` an ad-hoc listing applies, without changing the stored one; nil for the stored one.
    package var schema: RecordSchema?
    /// Whether the answer had no list of records, not even an empty one. Then it is no evidence of missing records.
    package var hasNoList = false
    /// Which records are deleted, and how the end of the listing reconciles deletions.
    package var deletions = DeletionTerms()

    /// The content of a page.
    package enum Content: Sendable {
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
    package struct Progress: Sendable {
        package var status: Int
        package var etag: String?
        package var lastModified: String?
        package var next: NextPage
        /// The next-page rule in use, for the run record.
        package var paging: String
        /// How the page moves the cursor; nil if the resource has none.
        package var cursor: CursorMove?
        /// The freshness that the first page of the listing reported; stored with the last page.
        package var freshness: ListingFreshness
        /// Where the next page was found; nil if unknown.
        package var nextPageSource: NextPageSource?
        /// The page behind this one, if the listing ends here because all pages from there on are known. The page's row keeps
        /// it as its next page.
        package var behind: PageRequest?
        /// The highest cursor value among the page's records; nil if there is none, and empty if the page breaks the declared
        /// descending order.
        package var highWaterMark: String?
        /// A digest of the page's records; nil if there are none.
        package var digest: UInt64?

        package init(
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

    package init(
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
package struct PageRequest: Sendable, Hashable {
    /// The page's URL, without credentials.
    package var url: HTTPURL
    /// The request's body; nil for none.
    package var body: String?
    /// The key of the parent; empty if the resource has a single listing.
    package var scope: String
    /// The page's number in its listing, from 1.
    package var number: Int
    /// The number of records on the pages before.
    package var offset: Int

    package init(url: HTTPURL, body: String? = nil, scope: String = "", number: Int, offset: Int) {
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
package enum NextPage: Sendable, Hashable {
    case page(PageRequest)
    /// The listing is complete.
    case end
    /// The listing stops before its end, and why: a loop, `max_pages`, `--limit`.
    case cut(String)
}
