// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
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
        case nil where failure.saysNoPage(of: resource.name) && listing.hasEnded(before: page):
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
    /// Whether the origin itself says that there is no such page. 404, 410 and 416 say so, but not in a web page or a text, which may
    /// be of a gateway; 400 and 422 in such words, or without a body. None does where the words are about how many records it gives, as there are
    /// more: "Only the first 1000 search results are available".
    ///
    /// - Parameter name: what the config calls the records.
    fileprivate func saysNoPage(of name: String) -> Bool {
        guard case .http(let answer) = reason, phase == .answered, underlying == nil else { return false }
        let words = (answer.errorText(hiding: { $0 }) ?? "").lowercased().replacing("_", with: " ")
        if words.contains(Self.limitWords) { return false }
        switch answer.status {
        case 404, 410, 416: return answer.body.isEmpty || (try? JSONDocument(answer.body)) != nil
        case 400, 422:
            let none = "no \(name.lowercased().replacing("_", with: " ")) "
            return answer.body.isEmpty || words.contains(Self.endWords) || words.contains("\(none)found")
                || words.contains("\(none)were found")
        default: return false
        }
    }

    /// "first 1000", "window is too large", "max offset is 10000", "beyond 1000", "requires an access token", "page depth".
    private static var limitWords: Regex<Substring> {
        /(?:first|beyond|only|above|up to|limited to|(?:limit|maximum|max)(?: offset)?(?: of| is)) [0-9]{2,}|offset is [0-9]|window|deep pagination|page depth|too deep|too large|access token|\b(?:cursor|upgrade|subscription|quota)\b|your plan|not allowed|no route/
    }

    /// "Invalid page.", "page 4 is out of range", "no more results", "the page does not exist", "beyond the last page".
    private static var endWords: Regex<Substring> {
        /(?:invalid|no such|unknown|empty|last) page(?! ?size)|page[^.:]{0,40}(?:invalid|not valid|not exist|doesn't exist|too high)|out of (?:range|bounds)|(?:past|beyond|after|behind) the (?:last|end)|(?:page|results?|records?|items?)[^.:]{0,20}not found|\bno (?:more|such page|records|results|items|data)\b|(?:page|offset|skip|start)[^.:]{0,40}(?:greater|larger|higher|more|exceeds?)[^.:]{0,20}(?:total|number|count|pages|records|results|items)/
    }
}
