internal import SidingChain

/// A stored page that nothing leads on from, and that answers 304: whether a page may have come behind it all the same.
///
/// A new page changes what header fields say of the last one, and not the bytes of it that a validator may stand for alone. But
/// where an origin fills its pages, new records come onto a last page that has room for them before there is one behind it; and
/// that it has room is seen where several pages before it have as many records as each other, and more than it.
///
/// Not every origin fills its pages. So what is concluded is believed for a day, and never where a record that no page shows counts
/// as deleted.
struct LastPage {
    let stored: StoredPage
    /// Its place in the listing.
    let number: Int
    let paging: Paging
    /// What the pages before it have shown.
    let way: KnownNextPage
    /// How many records each page was asked to have.
    let askedSize: Int?
    /// Whether a record counts as deleted that no page shows.
    let provesAbsence: Bool

    init(_ stored: StoredPage, _ page: PageRequest, of resource: AnyResource, _ paging: Paging, _ way: KnownNextPage) {
        (self.stored, number, self.paging, self.way) = (stored, page.number, paging, way)
        (askedSize, provesAbsence) = (resource.askedPageSize, resource.deletions.byAbsence)
    }

    /// How long what is concluded is believed, before the page is had whole again.
    private static let believed = Duration.seconds(86_400)

    /// Whether the page is to be asked for whole.
    func mayHideNext(now: Timestamp) -> Bool {
        guard stored.next == nil, !way.repeatsNext, !way.isBehind else { return false }
        guard isByHeader else { return false }
        guard hasRoom, let age = stored.readAt.map({ now - $0 }) else { return true }
        return age < .zero || age >= Self.believed
    }

    /// Whether it is known before it is asked for that a 304 would not be believed: no header field has ever led on here, of which
    /// a 304 could show that it is not left out. Then a condition only costs a request.
    func isAskedWhole(now: Timestamp) -> Bool { lead == .nowhere && mayHideNext(now: now) }

    /// Where the way on was found last.
    private var lead: NextPageSource? { way.lead ?? stored.lead }

    /// Whether header fields would name the next page, or nobody knows what would.
    private var isByHeader: Bool {
        if paging == .automatic { return lead != .body }
        return paging.isNumbered ? lead == .header : paging.isByHeader
    }

    /// Whether more records would come onto this page; nothing is known of a single one, but that `auto` has found nothing on it.
    private var hasRoom: Bool {
        guard !provesAbsence else { return false }
        if paging == .automatic, lead == .nowhere { return true }
        guard number > 1 else { return stored.recordCount < askedSize ?? 1 }
        // One page has as many records as itself, which shows nothing unless so many were asked for.
        guard let size = way.pageSize, number > 2 || size == askedSize else { return false }
        return stored.recordCount < size
    }
}

extension AnyResource {
    /// How many records each page is asked to have by a query parameter with a usual name for that; an origin may have a smaller
    /// maximum of its own.
    var askedPageSize: Int? {
        query.lazy.compactMap { name, value in
            guard Self.sizeNames.contains(name.lowercased().filter(\.isLetter)) else { return nil }
            return switch value {
            case .int(let size): Int(exactly: size)
            case .string(let text): Int(text)
            case .double, .bool, .array, .object, .null: nil
            }
        }.first
    }

    private static let sizeNames: Set<String> = ["perpage", "pagesize", "pagelimit", "limit", "maxresults", "top"]
}
