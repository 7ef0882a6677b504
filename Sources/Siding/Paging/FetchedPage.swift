internal import SidingChain
internal import SidingJSON

/// A page that was fetched and read, but not saved.
struct FetchedPage: Sendable {
    var page: PageRequest
    var content: PageCommit.Content
    var status: Int
    var etag: String?
    var lastModified: String?
    var next: NextPage
    /// How the listing is paged: as declared, or as detected on this page.
    var paging: Paging
    var requests: Int
    var bytes: Int
    /// What the page says of the cursor; nil where the resource has none, and where nothing changed.
    var cursor: PageCursor?
    /// How soon asking again is pointless, as the answer says it.
    var freshness = ListingFreshness()
    /// Whether it stands for a failure that a rule ignores.
    var isIgnored = false
    /// Where the way on was found; nil where that is not known.
    var lead: NextPageSource?
    /// Whether a 304 had the header field that names next pages.
    var namesNextUnchanged = false
    /// The place that says that there is more, where nothing that was looked for leads on.
    var signOfMore: JSONPath?
    /// As of ``PageCommit/hasNoList``.
    var hasNoList = false
    /// As of ``PageCommit/Progress``.
    var behind: PageRequest?
    var furthest: String?
    var digest: UInt64?
    /// Of each record; empty where there are none in hand, or nothing leads on.
    var recordDigests: [UInt64] = []

    /// How many records it shows.
    var recordCount: Int { content.recordCount }
}

/// What the pages of a listing have shown so far of how they lead on.
struct KnownNextPage: Sendable {
    /// Where the way on was found last.
    var lead: NextPageSource?
    /// Whether a 304 has named the next page: then one that names none is the last.
    var repeatsNext = false
    /// How many records each page from the first on had; nil where they differ, or not all of them are known.
    var pageSize: Int?
    /// Whether the page that is asked for lies behind what the listing asks for, if it did not change.
    var isBehind = false

    mutating func note(_ page: FetchedPage) {
        if let found = page.lead, found != .nowhere { lead = found }
        if page.namesNextUnchanged { repeatsNext = true }
        if page.page.number == 1 {
            pageSize = page.recordCount
        } else if pageSize != page.recordCount {
            pageSize = nil
        }
    }
}

/// Why a page could not be had.
struct PageFailure: Error, Sendable {
    var failure: Failure
    var page: PageRequest
    var requests: Int
}
