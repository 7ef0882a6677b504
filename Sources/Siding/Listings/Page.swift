// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingJSON
internal import SidingPaging

/// A page as the origin answered it, read but not saved.
struct Page: Sendable {
    var request: PageRequest
    var content: Content
    var status: Int
    var etag: String?
    var lastModified: String?
    /// What follows the page, as far as it shows that itself.
    var step: Step
    /// The paging in use: declared, or detected on this page.
    var paging: Paging
    /// How many requests it took, inline retries included.
    var requests: Int
    /// What the network carried for them.
    var bytes: Int
    /// How long they waited, as the origin or a limit asked.
    var waited = Duration.zero
    /// The header fields of `limits` that its answer has and that cannot be read, as messages.
    var unreadableLimits: Set<String> = []
    /// The newest row of ``ProvenanceTable`` as of the last commit before the page was requested: own writes with a later one may
    /// have been delivered since, so that the page may show their records as they were before. Nil if there can be none.
    var requestedAfter: Int64?
    /// The URL of the answer, without secrets, if a redirect led to another origin; nil for that of the request.
    var answeredAt: String?
    /// When the page was requested, by the origin's own clock, which dates its records; nil if its answer has no `Date`.
    var requestedAt: Timestamp?
    /// The cursor values of the page; nil if the resource has no cursor, or the page did not change.
    var cursor: PageCursor?
    /// The highest cursor value among the records; nil if there is none.
    var highWaterMark: String?
    /// The freshness that the answer reports.
    var freshness = ListingFreshness()
    /// Where the next page was found; nil if unknown.
    var nextPageSource: NextPageSource?
    /// Whether it has a `Link` to a next page, and the paging does not follow links.
    var hasUnusedLink = false
    /// Whether a 304 had the header field that names next pages.
    var namesNextUnchanged = false
    /// The number of records that the answer reports for its listing.
    var total: ListingExtent.Report?
    /// Whether it is a short numbered page, and nothing on it says whether it is the last.
    var isUndecided = false
    /// What the answer says of itself that it is not whole, as a message; nil if it says no such thing.
    var shortfall: String?
    /// Whether this first page led to a next one when it was stored, and no longer does: it is no evidence of missing records.
    var lostNext = false
    /// Whether the answer had no list of records, not even an empty one. Then it is no evidence of missing records.
    var hasNoList = false
    /// Whether the page is one record, with nothing around it, so that its ETag is that of the record.
    var isOneRecord = false
    /// Whether the page has a record per line.
    var hasLines = false
    /// Where its list of records is; nil if it has none, or an empty one.
    var recordsPath: JSONPath?
    /// Whether it has no records, and was not stored without any.
    var isNewlyEmpty = false
    /// A digest of the records; nil if there are none.
    var digest: UInt64?
    /// One digest per record; empty for a 304.
    var recordDigests: [UInt64] = []
    /// The row of the page that a 304 confirms; nil for other answers.
    var stored: StoredPage?

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

        /// The number of bytes that it holds in memory.
        var size: Int {
            switch self {
            case .records(let bytes, _), .setAside(let bytes, _): bytes.count
            case .notModified: 0
            }
        }

        /// Whether the origin sent the page, not a 304.
        var isWhole: Bool { if case .notModified = self { false } else { true } }
    }

    /// The number of records on the page.
    var recordCount: Int { content.recordCount }

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
enum Step: Sendable, Hashable {
    /// The next page.
    case page(PageRequest)
    /// The listing is complete.
    case end
    /// The listing stops before its end, and why: a loop, or the origin reports more than was read. Then the remedy says what the
    /// config lacks, empty if it lacks nothing; it is nil for a loop.
    case incomplete(String, remedy: String? = nil)
    /// The listing stops where it was asked to, and why: `max_pages`, `--limit`, an answer that a rule quarantines.
    case stopped(String)
    /// The listing stops at a failure that a rule ignores.
    case ignored(String)

    /// The request for the next page; nil if there is none.
    var next: PageRequest? { if case .page(let next) = self { next } else { nil } }
}

/// The failure of a page request.
struct PageFailure: Error, Sendable {
    var failure: Failure
    var page: PageRequest
    var requests: Int
    var bytes = 0
    /// See ``Page/waited``.
    var waited = Duration.zero
    /// What arrived of the answer; nil if it cannot be resumed.
    var partial: PartialAnswer?
}
