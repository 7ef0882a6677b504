internal import SidingChain
internal import SidingJSON
internal import SidingPaging

/// A page that was fetched and read, but not saved.
struct FetchedPage: Sendable {
    var page: PageRequest
    var content: PageCommit.Content
    var status: Int
    var etag: String?
    var lastModified: String?
    var next: NextPage
    /// The paging in use: declared, or detected on this page.
    var paging: Paging
    var requests: Int
    /// What the network carried for them.
    var bytes: Int
    /// See ``PageCommit``.
    var requestedAfter: Int64?
    var answeredAt: String?
    /// The cursor values of the page; nil if the resource has no cursor, or the page did not change.
    var cursor: PageCursor?
    /// The freshness that the answer reports.
    var freshness = ListingFreshness()
    /// Whether it stands for a failure that a rule ignores.
    var isIgnored = false
    /// Where the next page was found; nil if unknown.
    var nextPageSource: NextPageSource?
    /// Whether a 304 had the header field that names next pages.
    var namesNextUnchanged = false
    /// The number of records that the answer reports for its listing.
    var total: ListingExtent.Report?
    /// Why the origin has more although the page leads to no next one, and what to declare; see ``ListingEnd``.
    var evidenceOfMore: ListingEnd.EvidenceOfMore?
    /// Whether this first page led to a next one when it was stored, and no longer does.
    var lostNext = false
    /// See ``PageCommit/hasNoList``.
    var hasNoList = false
    /// See ``PageCommit/isOneRecord``.
    var isOneRecord = false
    /// Whether the page has a record per line.
    var hasLines = false
    /// See ``PageCommit/Progress``.
    var behind: PageRequest?
    var highWaterMark: String?
    var digest: UInt64?
    /// One digest per record; empty for a 304.
    var recordDigests: [UInt64] = []

    /// The number of records on the page.
    var recordCount: Int { content.recordCount }

    var walked: WalkedPage<PageRequest.Address> {
        let following: PageRequest? = if case .page(let following) = next { following } else { nil }
        return WalkedPage(
            page.number, at: page.address, next: following?.address, isEnd: next == .end, recordCount: recordCount,
            digest: digest, recordDigests: recordDigests, isNumbered: paging.isNumbered, paging: paging.description)
    }
}

/// What the pages of a listing so far showed about their pagination.
struct KnownNextPage: Sendable {
    /// Where the next page was last found.
    var nextPageSource: NextPageSource?
    /// Whether a 304 has named a next page: then a 304 that names none is the last page.
    var repeatsNext = false
    /// The number of records of each page so far; nil if they differ or are not all known.
    var pageSize: Int?
    /// The smallest number of records that its answers reported.
    var total: ListingExtent.Report?
    /// Digests of the previous page's records.
    private(set) var before: Set<UInt64> = []
    /// How many records were on the page before already.
    private var repeated = 0
    /// Whether the page to fetch is past the requested range, provided that it did not change.
    var isBehind = false

    /// Updates the knowledge with the next page of the listing.
    mutating func update(with page: FetchedPage) {
        (repeated, before) = (repeatedCount(with: page.recordDigests), Set(page.recordDigests))
        if let found = page.nextPageSource, found != .nowhere { nextPageSource = found }
        if page.namesNextUnchanged { repeatsNext = true }
        // An empty page has no total of its own.
        if let total = page.total, total.count > 0, total.count < self.total?.count ?? .max { self.total = total }
        if page.page.number == 1 {
            pageSize = page.recordCount
        } else if pageSize != page.recordCount {
            pageSize = nil
        }
    }

    /// How many records were on the page before already, if the next page has those with these digests.
    func repeatedCount(with digests: [UInt64]) -> Int { repeated + digests.count(where: before.contains) }
}

/// The failure of a page request.
struct PageFailure: Error, Sendable {
    var failure: Failure
    var page: PageRequest
    var requests: Int
    var bytes = 0
    /// What arrived of the answer; nil if it cannot be resumed.
    var partial: PartialAnswer?
}
