internal import SidingChain
internal import SidingPaging

/// Decides whether a stored last page that answers 304 may have a new page behind it.
///
/// A new page changes the header fields of the last page, but not its bytes, and a validator may cover the bytes alone. If an
/// origin fills its pages, though, new records first appear on a last page with room for them. It has room if several pages
/// before it have the same number of records, and it has fewer.
///
/// Not every origin fills its pages. So this conclusion holds for a day, and never if missing records are deleted.
struct LastPage {
    let stored: StoredPage
    let page: PageRequest
    let resource: AnyResource
    let paging: Paging
    /// The listing up to the page.
    let listing: Listing

    /// How long the conclusion holds until the page is fetched in full again.
    private static let lifetime = Duration.seconds(86_400)

    /// Whether the page must be fetched in full, as a 304 may hide a next page.
    func mayHideNext(now: Timestamp) -> Bool {
        guard stored.next == nil, !listing.repeatsNext, !listing.isPast(unchanged: stored) else { return false }
        guard isByHeader else { return false }
        guard hasRoom, let age = stored.readAt.map({ now - $0 }) else { return true }
        return age < .zero || age >= Self.lifetime
    }

    /// Whether a 304 could not be trusted in any case, so that a conditional request would be wasted: no header field is known to
    /// have named a next page, and so a 304 cannot show that it repeats that field.
    func isAskedWhole(now: Timestamp) -> Bool { (nextPageSource ?? .nowhere) == .nowhere && mayHideNext(now: now) }

    /// Where the next page was last found.
    private var nextPageSource: NextPageSource? { listing.nextPageSource ?? stored.nextPageSource }

    /// Whether header fields name the next page, or it is unknown what does.
    private var isByHeader: Bool {
        if paging == .automatic { return nextPageSource != .body }
        return paging.isNumbered ? nextPageSource == .header : paging.isByHeader
    }

    /// Whether new records would appear on this page first. A single page allows no conclusion, except that `auto` found no
    /// next page.
    private var hasRoom: Bool {
        guard !resource.deletions.byAbsence else { return false }
        if paging == .automatic, nextPageSource == .nowhere { return true }
        let askedSize = page.url.askedPageSize?.size
        guard page.number > 1 else { return stored.recordCount < askedSize ?? 1 }
        // One page alone shows no page size, unless that size was requested.
        guard let size = listing.pageSize, page.number > 2 || size == askedSize else { return false }
        return stored.recordCount < size
    }
}
