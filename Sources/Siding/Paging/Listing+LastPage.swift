// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging

/// Whether a stored last page that answers 304 may have a new page behind it.
///
/// A new page changes the header fields of the last page, but not its bytes, and a validator may cover the bytes alone. If an
/// origin fills its pages, though, new records first appear on a last page with room for them. It has room if several pages
/// before it have the same number of records, and it has fewer.
///
/// Not every origin fills its pages. So this conclusion holds for a day, and never if missing records are deleted.
extension Listing {
    /// How long the conclusion holds until the page is fetched in full again.
    private static let lifetime = Duration.seconds(86_400)

    /// Whether `page`, which `stored` is the row of, must be fetched in full, as a 304 may hide a next page.
    func mayHideNext(behind page: PageRequest, _ stored: StoredPage, now: Timestamp) -> Bool {
        guard stored.next == nil, !repeatsNext, !isPast(unchanged: stored) else { return false }
        guard isByHeader(stored) else { return false }
        guard hasRoom(page, stored), let age = stored.readAt.map({ now - $0 }) else { return true }
        return age < .zero || age >= Self.lifetime
    }

    /// Whether a 304 to `page` could not be trusted in any case, so that a conditional request would be wasted: no header field is
    /// known to have named a next page, or a 304 of this listing left that field out.
    func asksWhole(_ page: PageRequest, _ stored: StoredPage, now: Timestamp) -> Bool {
        (omitsNext || (source(stored) ?? .nowhere) == .nowhere) && mayHideNext(behind: page, stored, now: now)
    }

    /// Where the next page was last found.
    private func source(_ stored: StoredPage) -> NextPageSource? { nextPageSource ?? stored.nextPageSource }

    /// Whether header fields name the next page, or it is unknown what does.
    private func isByHeader(_ stored: StoredPage) -> Bool {
        if paging == .automatic { return source(stored) != .body }
        return paging.isNumbered ? source(stored) == .header : paging.isByHeader
    }

    /// Whether new records would appear on this page first. A single page allows no conclusion, except that `auto` found no
    /// next page.
    private func hasRoom(_ page: PageRequest, _ stored: StoredPage) -> Bool {
        guard !resource.deletions.byAbsence else { return false }
        if paging == .automatic, source(stored) == .nowhere { return true }
        let askedSize = page.url.askedPageSize?.size
        guard page.number > 1 else { return stored.recordCount < askedSize ?? 1 }
        // One page alone shows no page size, unless that size was requested.
        guard let pageSize, page.number > 2 || pageSize == askedSize else { return false }
        return stored.recordCount < pageSize
    }
}
