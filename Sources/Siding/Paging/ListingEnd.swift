internal import SidingChain
internal import SidingJSON

/// Decides whether an answer that leads to no next page ends its listing, or whether the origin reports more than was read.
///
/// A listing that ends against the evidence is incomplete: it deletes nothing, moves no cursor, and the next one begins anew.
/// `stop: { trust_end: true }` switches the evidence off, for an origin whose totals or flags mean something else.
struct ListingEnd {
    let resource: AnyResource
    /// The page that leads nowhere, and how its next page was looked for.
    let page: PageRequest
    let paging: Paging
    let answer: PageAnswer
    let extent: ListingExtent
    /// What the pages before it showed.
    let way: KnownNextPage

    /// Evidence that there is more.
    struct Doubt: Sendable, Hashable {
        /// "50 of 150 records ($.total)"
        var why: String
        /// What the config lacks.
        var remedy: String
    }

    /// Why this is not the end; nil if it is.
    var doubt: Doubt? {
        guard !resource.stop.trustsEnd, isJudged else { return nil }
        return why.map { Doubt(why: $0, remedy: remedy) }
    }

    /// `paginate: none` is the user's word for a single page, unless what is not on it would count as deleted or be skipped by
    /// the cursor.
    private var isJudged: Bool { resource.paging != .none || resource.deletions.byAbsence || resource.cursor != nil }

    private var why: String? {
        if let total, total.count > seen { return "\(seen) of \(total.count) records (\(total.place))" }
        if let pages = extent.pages, pages.count > pagesRead {
            return "\(pagesRead) of \(pages.count) pages (\(pages.place))"
        }
        let stop = resource.stop
        if stop.said(by: answer) == .isLast || (stop.endsOnEmptyPage && answer.recordCount == 0) { return nil }
        if let more = extent.more, stop.hasMore == nil, stop.isLast == nil { return "\(more) reports more pages" }
        return unfollowed ?? fullPage
    }

    // MARK: How much was read

    /// The smallest total of the listing: records that came while it was read need not be on its pages.
    private var total: ListingExtent.Report? {
        // How many records are on the pages before the first is not known.
        if case .page(let numbers) = paging, numbers.start > 1, numbers.size == nil { return nil }
        return [way.total, extent.total].compactMap(\.self).min { $0.count < $1.count }
    }

    private var seen: Int {
        let skipped =
            switch paging {
            case .offset(let offsets): offsets.start
            case .page(let numbers): max(numbers.start - 1, 0) * (numbers.size ?? 0)
            default: 0
            }
        return skipped + page.offset + answer.recordCount
    }

    private var pagesRead: Int {
        switch paging {
        case .page(let numbers): page.number + max(numbers.start - 1, 0)
        case .offset(let offsets): page.number + offsets.start / max(offsets.limit ?? .max, 1)
        default: page.number
        }
    }

    // MARK: Next pages that were not followed

    private var isUndetected: Bool { resource.paging == .automatic && paging == .none }

    /// A next page that the answer names, but that was not followed.
    private var unfollowed: String? {
        if answer.isLinkUnreadable { return "the Link field names a next page, but cannot be read" }
        if let why = unreadable { return why }
        // Some origins name a next page on every page, also on an empty one behind the last.
        if answer.recordCount > 0 || isUndetected {
            // Numbered pages may be named beside by a token or number that this paging does not need.
            let lead = extent.leads.first { $0.kind == .url ? !isOwn($0.text) : isUndetected || !paging.isNumbered }
            if let lead { return "\(lead.place) names a next page (\(lead.text)) that was not followed" }
        }
        guard answer.linkTarget() != nil else { return nil }
        if paging == .none { return "a Link names a next page, which 'paginate: none' does not ask for" }
        if answer.recordCount > 0 { return "a Link names a next page that was not followed (\(paging))" }
        let isCounted = resource.deletions.byAbsence && paging.isNumbered
        return isCounted ? "a page without records has a Link to a next one (\(paging))" : nil
    }

    /// A value where the paging looks for the next page that leads to none.
    private var unreadable: String? {
        let places: [JSONPath] =
            switch paging {
            case .nextURL(let path): path.map { [$0] } ?? EnvelopePlaces.nextURLs
            case .cursor(let path, _): [path]
            default: []
            }
        let found = places.first { path in
            switch answer.envelope[path] {
            case .text(let text)?: !text.isEmpty
            case .bool(let truth)?: truth
            case .number?, .structure?: true
            case nil: false
            }
        }
        return found.map { "\($0) leads to no page: it is \(answer.envelope[$0]?.words ?? "")" }
    }

    private func isOwn(_ reference: String) -> Bool {
        let own = page.url.description
        return own == reference || (reference.hasPrefix("/") && own.hasSuffix(reference))
    }

    /// A single page with as many records as it may have shows only that there may be more.
    private var fullPage: String? {
        guard isUndetected, page.number == 1, total == nil, extent.pages == nil, !extent.saysEnd,
            let asked = page.url.askedPageSize, answer.recordCount == asked.size
        else { return nil }
        return "page 1 is full (\(asked.name)=\(asked.size)) and names no next page"
    }

    // MARK: What to declare

    private var remedy: String {
        let trust = "If these are all records: stop: { trust_end: true }"
        guard resource.paging == .automatic || resource.paging == .none else {
            return "Compare 'paginate' with the origin's answers. \(trust)"
        }
        return "Declare how pages follow: \(declaration). \(trust)"
    }

    private var declaration: String {
        if let lead = extent.leads.first(where: { $0.kind == .url }) {
            return "paginate: { type: next_url, path: '\(lead.place)' }"
        }
        if answer.linkTarget() != nil { return "paginate: link_header" }
        let asked = page.url.askedPageSize
        let size = asked?.size ?? extent.size ?? answer.recordCount
        let offset = ["offset", "skip", "start"].first { name in
            extent.names.contains(name) || page.url.queryParameters.contains { $0.name == name }
        }
        if let offset {
            return
                "paginate: { type: offset, param: \(offset), limit_param: \(asked?.name ?? "limit"), limit: \(size) }"
        }
        let isNumbered = extent.pages != nil || !extent.names.isDisjoint(with: ["page", "currentpage", "pagenumber"])
        if isNumbered || extent.leads.contains(where: { $0.kind == .number }) {
            let sized = asked.map { ", size_param: \($0.name), size: \($0.size)" } ?? ""
            return "paginate: { type: page, param: page\(sized) }"
        }
        return "paginate: { type: page | offset | cursor | next_url, … }"
    }
}

extension EnvelopeScalar {
    /// The value for a message.
    fileprivate var words: String {
        switch self {
        case .text(let text): "'\(PlainText.oneLine(text, limit: 60))'"
        case .number(let digits): PlainText.oneLine(digits, limit: 60)
        case .bool(let truth): String(truth)
        case .structure(let value): value.kind == .array ? "an array" : "an object"
        }
    }
}

extension HTTPURL {
    /// The page size that a query parameter with a usual name requests, and that parameter. An origin may have a lower maximum.
    var askedPageSize: (name: String, size: Int)? {
        queryParameters.lazy.compactMap { parameter in
            guard AnyResource.sizeNames.contains(parameter.name.lowercased().filter(\.isLetter)) else { return nil }
            return parameter.value.flatMap { Int($0) }.map { (parameter.name, $0) }
        }.first
    }
}
