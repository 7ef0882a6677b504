// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingPaging

extension PageFailure {
    /// Turns a failure into a page if possible. If a rule ignores or quarantines the answer, the listing ends there,
    /// incomplete; if one says `empty`, the page is an empty last one. If the first page of a parent answers 404 or 410, its
    /// listing is empty. If the origin refuses the page behind a short numbered one, that was the last: some origins have an
    /// error in place of an empty page.
    ///
    /// - Parameters:
    ///   - asksFromCursor: whether the listing starts from a stored cursor: then it may be the cursor that is gone.
    ///   - mayBeForgotten: whether the origin refused a stored cursor or a checkpoint: then a rule that says `empty` does not apply.
    func takenAsPage(
        _ listing: Listing, of resource: AnyResource, asksFromCursor: Bool, mayBeForgotten: Bool
    ) -> Page? {
        let paging = listing.paging
        guard case .http(let answer) = failure.reason else { return nil }
        switch resource.source.rule(for: failure, of: .fetch)?.action {
        case .ignore:
            return taken(answer, .records([], []), step: .ignored("ignored: \(failure)"), paging)
        case .quarantine:
            let content = Page.Content.setAside(answer.body, reason: failure.description)
            return taken(answer, content, step: .stopped("quarantined: \(failure)"), paging)
        case .empty:
            return mayBeForgotten ? nil : taken(answer, .records([], []), step: listing.end(before: page), paging)
        case nil
        where answer.statusClass == .gone && page.number == 1 && resource.forEach != nil
            && resource.deletions.byAbsence && !asksFromCursor:
            return taken(answer, .records([], []), step: .end, paging)
        case nil where failure.saysNoPage && listing.hasEnded(before: page):
            return taken(answer, .records([], []), step: .end, paging)
        default: return nil
        }
    }

    private func taken(
        _ answer: HTTPFailure, _ content: Page.Content, step: Step, _ paging: Paging
    ) -> Page {
        Page(
            request: page, content: content, status: answer.status, step: step, paging: paging, requests: requests,
            bytes: bytes > 0 ? bytes : answer.body.count)
    }
}

extension Failure {
    /// Whether the origin itself says that there is no such page, or that its number is not valid; not where its words are about how
    /// many records it gives, as there are more: "Only the first 1000 search results are available".
    fileprivate var saysNoPage: Bool {
        guard case .http(let answer) = reason, phase == .answered, underlying == nil,
            [400, 404, 410, 416, 422].contains(answer.status)
        else { return false }
        return !(answer.errorText(hiding: { $0 }) ?? "").lowercased().contains(Self.limitWords)
    }

    /// "first 1000", "window is too large", "max offset is 10000", "beyond 1000", "requires an access token".
    private static var limitWords: Regex<Substring> {
        /(?:first|beyond|only|above|up to|limited to|(?:limit|maximum|max)(?: offset)?(?: of| is)) [0-9]{2,}|offset is [0-9]|window|too deep|too large|access token/
    }
}
