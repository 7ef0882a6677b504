// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
internal import SidingJSON
package import SidingPaging

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
    /// The smallest number of records that the pages before it reported.
    var totalSoFar: ListingExtent.Report?

    /// What follows the page: the end, or that the listing is incomplete.
    var step: Step { why.map { .incomplete($0, remedy: remedy) } ?? .end }

    /// Why this is not the end, such as "50 of 150 records ($.total)"; nil if it is.
    var why: String? {
        guard !resource.stop.trustsEnd, isJudged else { return nil }
        return evidenceOfMore
    }

    /// `paginate: none` declares a single page. It is believed, unless what is not on it would count as deleted or be skipped by
    /// the cursor.
    private var isJudged: Bool { resource.paging != .none || resource.deletions.byAbsence || resource.cursor != nil }

    private var evidenceOfMore: String? {
        if let total, total.count > seen, !isOutvoted {
            return "\(MessageFormat.grouped(seen)) of \(MessageFormat.count(total.count, "record")) (\(total.place))"
        }
        if let pages = extent.pages, pages.count > pagesRead {
            return "\(pagesRead) of \(MessageFormat.count(pages.count, "page")) (\(pages.place))"
        }
        let stop = resource.stop
        let isEmptyEnd = answer.recordCount == 0 && (stop.endsOnEmptyPage || extent.saysEnd)
        if stop.report(in: answer) == .isLast || isEmptyEnd { return nil }
        if let more = extent.more, stop.report(in: answer) == nil { return "\(more) reports more pages" }
        return unfollowed ?? fullPage
    }

    // MARK: How much was read

    /// The smallest total of the listing: records that came while it was read need not be on its pages. An estimate says something
    /// only of a single page.
    private var total: ListingExtent.Report? {
        // How many records are on the pages before the first is not known.
        if case .page(let numbers) = paging, numbers.start > 1, numbers.size == nil { return nil }
        let estimate = page.number == 1 ? extent.estimate : nil
        return [totalSoFar, extent.total, estimate].compactMap(\.self).min { $0.count < $1.count }
    }

    /// Whether a bare `total` is rather one of amounts, as a flag or null and the number of pages say that this is the end.
    private var isOutvoted: Bool {
        extent.isTotalBare && (extent.saysEnd || answer.saysNoNext)
            && extent.pages.map { $0.count <= pagesRead } ?? false
    }

    private var seen: Int { paging.recordsRead(through: page, answer) }

    private var pagesRead: Int { paging.pagesRead(through: page) }

    // MARK: Next pages that were not followed

    private var isUndetected: Bool { resource.paging == .automatic && paging == .none }

    /// A next page that the answer names, but that was not followed.
    private var unfollowed: String? {
        if answer.isLinkUnreadable { return "the Link field names a next page, but cannot be read" }
        if let why = unreadable { return why }
        // Some origins name a next page on every page, also on an empty one behind the last.
        if answer.recordCount > 0 || isUndetected, let reference = extent.nextPages.first(where: isOpen) {
            return "\(reference.place) names a next page (\(reference.text)) that was not followed"
        }
        if isUndetected, let path = EnvelopePlaces.nextURLs.first(where: isUnreadable) { return unreadable(path) }
        guard answer.link() != nil else { return nil }
        if paging == .none { return "a Link names a next page, which 'paginate: none' does not ask for" }
        if answer.recordCount > 0 { return "a Link names a next page that was not followed (\(paging))" }
        let isCounted = resource.deletions.byAbsence && paging.isNumbered
        return isCounted ? "a page without records has a Link to a next one (\(paging))" : nil
    }

    /// Whether nothing explains why `reference` was not followed.
    private func isOpen(_ reference: NextPageReference) -> Bool {
        // Some origins name a next page on the last one, too. A first page may have only its own number as a total.
        if reference.kind == .url { return !isOwn(reference.text) && !(page.number > 1 && total?.count == seen) }
        guard reference.isCertain else {
            // Some origins send the position of this page, or one on the last page, too.
            return isUndetected && !extent.saysEnd && !isCountedToEnd && !isShort
        }
        // Numbered pages may be named beside by a token or number that this paging does not need.
        return isUndetected || !(paging.isNumbered || extent.saysEnd)
    }

    /// Whether as many records or pages were read as the origin reports.
    private var isCountedToEnd: Bool { total != nil || extent.pages != nil }

    /// Whether the page has fewer records than the origin reports as its size.
    private var isShort: Bool { extent.size.map { answer.recordCount < $0.count } ?? false }

    /// A value where the paging looks for the next page that leads to none.
    private var unreadable: String? {
        let found = (paging.isNumbered ? [] : paging.nextPlaces).first { path in
            switch answer.envelope[path] {
            case let value? where value.isNone: false
            case .text(let text)?: !text.isEmpty
            case .bool(let truth)?: truth
            case .number?, .structure?: true
            case nil: false
            }
        }
        return found.map(unreadable)
    }

    private func unreadable(_ path: JSONPath) -> String {
        "\(path) leads to no page: it is \(answer.envelope[path]?.message ?? "")"
    }

    /// Whether an object without a URL stands at `path`, beside other links. A lone `next` may be an event.
    private func isUnreadable(_ path: JSONPath) -> Bool {
        guard path.components.count > 1, case .structure(let value)? = answer.envelope[path] else { return false }
        return !(value.members ?? []).isEmpty
    }

    private func isOwn(_ reference: String) -> Bool {
        let own = page.url.description
        return own == reference || (reference.hasPrefix("/") && own.hasSuffix(reference))
    }

    /// A single page with as many records as it may have shows only that there may be more.
    private var fullPage: String? {
        guard page.number == 1, total == nil, extent.pages == nil, answer.recordCount > 0, !answer.isUnchanged,
            !(extent.saysEnd || answer.saysNoNext), lacksNext,
            let asked = answer.askedPageSizes(at: page.url).first(where: { $0.size == answer.recordCount })
        else { return nil }
        return "page 1 is full (\(asked.name)=\(asked.size)) and names no next page"
    }

    /// Whether the place of the next page is missing altogether, so that it may be another one: where there is no next page, many
    /// origins have null, an empty text or other links there.
    private var lacksNext: Bool {
        switch paging {
        case .none: true
        case .nextURL, .cursor: paging.nextPlaces.allSatisfy { answer.envelope[$0] == nil }
        case .linkHeader: !answer.hasLink
        case .headerCursor(let name, _), .nextHeader(let name): answer.headerFields[name] == nil
        case .automatic, .page, .offset, .lastRecord: false
        }
    }

    // MARK: What to declare

    private var remedy: String {
        let trust = "If these are all records: stop: { trust_end: true }"
        guard resource.paging == .automatic || resource.paging == .none else {
            return "Compare 'paginate' with the origin's answers. \(trust)"
        }
        return "Declare how pages follow: \(PagingSuggestion(url: page.url, answer: answer, extent: extent)). \(trust)"
    }
}

extension AnyResource {
    /// Why a first page is not the whole listing, as a message; nil if nothing on it shows that there is more.
    package func evidenceOfMore(on answer: PageAnswer, _ extent: ListingExtent) throws(Failure) -> String? {
        let page = try NextPageRule(resource: self).first()
        let end = ListingEnd(
            resource: self, page: page, paging: .none, answer: answer, extent: extent)
        return end.why
    }
}
