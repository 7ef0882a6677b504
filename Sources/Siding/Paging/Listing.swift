// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingPaging

/// A listing as it is read, page by page: where its pages lead, whether they loop, and how far its cursor may move. It neither
/// fetches nor stores.
///
/// Each page is advanced over once, in the order of the listing.
struct Listing: Sendable {
    let resource: AnyResource
    /// The most records that are saved; nil for all.
    private let limit: Int?
    private let start: CursorStart
    private var highWaterMark: HighWaterMark
    private var loops = LoopDetector()
    /// How the pages got through so far; nil if their size stays the same.
    private var sizing: PageSizing?
    /// The freshness that the first page reported.
    private var freshness: ListingFreshness
    /// The paging in use: declared, or detected on the last page.
    private(set) var paging: Paging
    /// Whether a page was read.
    private(set) var hasPages = false
    /// Whether it is the first listing of its scope: none of its pages has a row before it is saved.
    let isFirst: Bool

    // MARK: What the pages showed about the next one

    /// Where the next page was last found.
    private(set) var nextPageSource: NextPageSource?
    /// Whether a 304 has named a next page: then a 304 that names none is the last page.
    private(set) var repeatsNext = false
    /// Whether a 304 has left out a next page that is stored: then that of the last page shows nothing.
    private(set) var omitsNext = false
    /// Where the first page with records has them.
    private(set) var recordsPath: JSONPath?
    /// The number of records of each page so far; nil if they differ or are not all known.
    private(set) var pageSize: Int?
    /// See ``Page/isUndecided``: that of the page read last, if it is shorter than one before it. Then it may be the last.
    private var mayHaveEnded = false
    /// The number of records of the longest page.
    private var longest = 0
    /// Whether pages were read in a run before: what they reported is not known.
    private let isResumed: Bool
    /// The smallest number of records that its answers reported.
    private(set) var total: ListingExtent.Report?
    /// The largest such number.
    private var largestTotal = 0
    /// What its first page that is not whole says of that, as a message; nil if all are whole.
    private var shortfall: String?
    /// Digests of the previous page's records.
    private var before: Set<UInt64> = []
    /// How many records were on the page before already.
    private var repeated = 0

    /// - Parameters:
    ///   - position: where the listing begins, or is resumed.
    ///   - start: the range of the listing.
    ///   - stored: the stored cursor at the time the listing was opened.
    init(
        of resource: AnyResource, limit: Int? = nil, at position: ListingPosition,
        from start: CursorStart = CursorStart(), stored: String? = nil, sizing: PageSizing? = nil
    ) {
        var start = start
        // What changed since the listing began may be on the pages that were read before.
        if start.began != nil, let began = position.startedAt {
            start.began = min(began, position.cursor.began ?? began)
        }
        (self.resource, self.limit, self.start, self.sizing) = (resource, limit, start, sizing)
        (freshness, paging, isFirst) = (position.freshness, resource.paging, position.listing == 1)
        (shortfall, isResumed) = (position.shortfall, position.page.number > 1)
        highWaterMark = HighWaterMark(
            resource.cursor, start: start, stored: stored, reached: position.cursor.reached,
            waits: position.cursor.waits, isResumed: position.page.number > 1)
        // Behind the first page only: the listing before this one may have been of another definition.
        if position.page.number > 1, position.nextPageSource != .nowhere { nextPageSource = position.nextPageSource }
    }

    /// Warnings about the cursor, for people; empty if there is no problem.
    var warnings: [String] { highWaterMark.warnings }

    /// Whether the page to request is past the range, provided that it did not change.
    ///
    /// - Parameter stored: the row of the page.
    func isPast(unchanged stored: StoredPage?) -> Bool { highWaterMark.isPast(unchanged: stored?.highWaterMark) }

    /// How many records were on the page before already, if the next page has those with these digests.
    func repeatedCount(with digests: [UInt64]) -> Int { repeated + digests.count(where: before.contains) }

    // MARK: Advancing

    /// Advances over the next page, and decides what follows it and what is stored with it.
    ///
    /// - Parameter count: how many records the pages before have saved.
    mutating func advance(_ page: Page, afterSaving count: Int = 0) -> ListedPage {
        if page.request.number == 1 { highWaterMark.begin(by: page.requestedAt) }
        highWaterMark.checkOrder(of: page)
        var listed = bounded(page, count)
        let size = NextPageRule(resource: resource).size(of: page.request)
        sizing?.readPage(of: size, isWhole: page.content.isWhole)
        update(with: page)
        if page.request.number == 1 { freshness = page.freshness }
        listed.hasShrunk = hasShrunk(through: page)
        noteShortfall(of: page, in: &listed)
        (listed.cursor, listed.freshness, listed.sizing) = (
            highWaterMark.move(with: page, isEnd: listed.step == .end), freshness, sizing
        )
        hasPages = true
        return listed
    }

    /// Leaves the listing incomplete from its first page that says of itself that it is not whole.
    private mutating func noteShortfall(of page: Page, in listed: inout ListedPage) {
        if let why = page.shortfall {
            // A 304 would make this page whole.
            (listed.page.etag, listed.page.lastModified) = (nil, nil)
            shortfall = shortfall ?? why
        }
        listed.shortfall = shortfall
        guard let shortfall else { return }
        highWaterMark.waitForEnd()
        let ends =
            switch listed.step {
            case .end: true
            // What this page reports as missing has its reason in the page.
            case .incomplete: page.shortfall != nil
            case .page, .stopped, .ignored: false
            }
        if ends { listed.step = .incomplete(shortfall, remedy: remedy(of: shortfall)) }
    }

    /// What to declare where a page is whole although it says that it is not. A rule of the config needs no remedy.
    private func remedy(of shortfall: String) -> String {
        let isRuled = resource.source.failureRules.contains { $0.action == .partial && shortfall.hasPrefix($0.message) }
        return isRuled ? "" : "If these are all records: stop: { trust_end: true }"
    }

    /// Ends the listing at this page if it is past the requested range, loops, or has reached the limit.
    private mutating func bounded(_ page: Page, _ count: Int) -> ListedPage {
        var listed = ListedPage(page: page, step: page.step, highWaterMark: highWaterMark.value(for: page))
        if highWaterMark.isPast(page) {
            // A listing with an older cursor needs the pages behind this one, so a 304 must not make this the last page.
            switch page.step {
            case .page(let next): listed.behind = next
            case .incomplete, .stopped, .ignored: (listed.page.etag, listed.page.lastModified) = (nil, nil)
            case .end: break
            }
            (listed.step, listed.page.lostNext) = (.end, false)
        }
        if let loop = loops.closed(by: page, leadingTo: listed.step, after: before) {
            let hint = PagingHint.text(forAddressIn: page.request, by: page.paging).map { ". \($0)" } ?? ""
            listed.step = repeatsLast(page) ? .end : .incomplete(loop + hint)
        }
        if let limit, case .records(let bytes, let slices) = page.content, slices.count >= limit - count {
            listed.page.content = .records(bytes, Array(slices.prefix(max(limit - count, 0))))
            listed.step = .stopped("the limit of \(limit) records is reached")
        }
        return listed
    }

    /// Whether the page is the last one again, as some origins send it for every number behind it.
    private func repeatsLast(_ page: Page) -> Bool {
        mayHaveEnded && page.isUndecided && Set(page.recordDigests) == before && isAllRead(before: page.request)
    }

    /// Whether as many records were read before `page` as the answers reported; true if they reported none.
    private func isAllRead(before page: PageRequest) -> Bool { total.map { $0.count <= page.offset } ?? true }

    /// See ``ListedPage/hasShrunk``.
    private func hasShrunk(through page: Page) -> Bool {
        let seen = page.request.offset + page.recordCount
        return total.map { $0.count <= seen && seen < largestTotal } ?? false
    }

    /// What follows where a rule says that `page` has no records: the end, unless the origin reported more than was read.
    func end(before page: PageRequest) -> Step {
        guard let total, !resource.stop.trustsEnd, !isAllRead(before: page) else { return .end }
        let (seen, all) = (MessageFormat.grouped(page.offset), MessageFormat.count(total.count, "record"))
        return .incomplete("\(seen) of \(all) (\(total.place))", remedy: "")
    }

    /// Whether a refusal of `page` shows that the page before it was the last, as some origins have an error in place of an
    /// empty page.
    func hasEnded(before page: PageRequest) -> Bool { mayHaveEnded && isAllRead(before: page) }

    /// Updates what is known of the pagination.
    private mutating func update(with page: Page) {
        paging = page.paging
        recordsPath = recordsPath ?? page.recordsPath
        (repeated, before) = (repeatedCount(with: page.recordDigests), Set(page.recordDigests))
        // A declared flag may be left out on the last page alone.
        let hasFlag = resource.stop.hasMore != nil || resource.stop.isLast != nil
        mayHaveEnded = page.isUndecided && (page.recordCount < longest || hasFlag) && !isResumed
        longest = max(longest, page.recordCount)
        if let found = page.nextPageSource, found != .nowhere { nextPageSource = found }
        if page.namesNextUnchanged {
            repeatsNext = true
        } else if !page.content.isWhole, page.step.next != nil {
            omitsNext = true
        }
        // An empty page has no total of its own.
        if let total = page.total, total.count > 0 {
            if total.count < self.total?.count ?? .max { self.total = total }
            largestTotal = max(largestTotal, total.count)
        }
        if page.request.number == 1 {
            pageSize = page.recordCount
        } else if pageSize != page.recordCount {
            pageSize = nil
        }
    }
}
