package import SidingChain
internal import SidingJSON
internal import SidingPaging

/// Everything that one page changes, committed atomically.
struct PageCommit: Sendable {
    var resource: String
    var lease: Lease
    var run: RunID
    var listing: Int64
    var page: PageRequest
    /// The newest row of ``ProvenanceTable`` when the page was requested: own writes with a later one were delivered since, so that
    /// the page may show their records as they were before. Nil if there can be none.
    var requestedAfter: Int64?
    var content: Content
    /// The paths of the values that come with the records; see `RecordSlice.columns`.
    var columns: [JSONPath] = []
    /// Nil for an ad-hoc listing (`--limit`), which must not touch checkpoint and validators.
    var progress: Progress?
    /// Opens the listing, of which this is the first page; see ``ListingPosition/unopened``.
    var unopened: (opening: ListingOpening, at: Timestamp)?
    /// The ID of the retained fetch that this page completes.
    var completes: String?
    /// The cost of the request, added to the run's counters.
    var requests: Int
    var bytes: Int
    var method = "GET"
    /// The URL of the answer, without secrets, if a redirect led to another origin; nil for that of the page.
    var answeredAt: String?
    var status: Int
    var etag: String?
    var lastModified: String?
    /// The record schema whose `where` an ad-hoc listing applies, without changing the stored one; nil for the stored one.
    var schema: RecordSchema?
    /// Whether the answer had no list of records, not even an empty one. Then it is no evidence of missing records.
    var hasNoList = false
    /// Whether the page is one record, with nothing around it, so that its ETag is that of the record.
    var isOneRecord = false
    /// Which records are deleted, and how the end of the listing reconciles deletions.
    var deletions = DeletionTerms()

    /// The content of a page.
    enum Content: Sendable {
        /// The unchanged body, and where its records are in it.
        case records([UInt8], [RecordSlice])
        /// 304: the records are the stored ones.
        case notModified(recordCount: Int)
        /// An answer that is not a page, to keep in quarantine.
        case setAside([UInt8], reason: String)

        /// The number of records on the page.
        var recordCount: Int {
            switch self {
            case .records(_, let slices): slices.count
            case .notModified(let count): count
            case .setAside: 0
            }
        }

        /// Whether the origin sent the page, not a 304.
        var isWhole: Bool { if case .notModified = self { false } else { true } }
    }

    /// How the page advances its listing.
    struct Progress: Sendable {
        var next: NextPage
        /// How the page moves the cursor; nil if the resource has none.
        var cursor: CursorMove?
        /// The freshness that the first page of the listing reported; stored with the last page.
        var freshness = ListingFreshness()
        /// Where the next page was found; nil if unknown.
        var nextPageSource: NextPageSource?
        /// The page behind this one, if the listing ends here because all pages from there on are known. The page's row keeps
        /// it as its next page.
        var behind: PageRequest?
        /// The highest cursor value among the page's records; nil if there is none, or if the page breaks the declared
        /// descending order.
        var highWaterMark: String?
        /// A digest of the page's records; nil if there are none.
        var digest: UInt64?
        /// Whether the listing ends at its first page, which led to a next one before: it is no evidence of missing records.
        var lostNext = false
        /// The size of the next page, where the line decides it.
        var sizing: PageSizing?
        /// Whether the next listing asks for all pages whole, as a 304 does not fit the number of records that the origin reports.
        var asksWholeNext = false
    }
}

/// One page request; also a listing's checkpoint, and the request that the queue retains for a fetch.
package struct PageRequest: Sendable, Hashable {
    /// The page's URL, without credentials.
    package var url: HTTPURL
    /// The request's body; nil for none.
    package var body: String?
    /// The key of the parent; empty if the resource has a single listing.
    package var scope = ""
    /// The page's number in its listing, from 1.
    package var number: Int
    /// The number of records on the pages before.
    package var offset: Int
}

extension PageRequest {
    /// Identifies the page within its listing.
    struct Address: Sendable, Hashable {
        var url: HTTPURL
        var body: String?
    }

    var address: Address { Address(url: url, body: body) }
}

/// What follows a page.
enum NextPage: Sendable, Hashable {
    case page(PageRequest)
    /// The listing is complete.
    case end
    /// The listing stops before its end, and why: a loop, or the origin reports more than was read.
    case cut(String)
    /// The listing stops where it was asked to, and why: `max_pages`, `--limit`, a failure rule.
    case stopped(String)
}
