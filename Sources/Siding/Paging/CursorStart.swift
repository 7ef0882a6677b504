// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging

/// The cursor range of a new listing.
struct CursorStart: Sendable, Hashable {
    /// The start of the range, lookback included; nil to list everything.
    var from: String?
    /// The end of the range, for a backfill.
    var until: String?
    /// When the listing begins: the end of the range that it covers for sure. Nil for a cursor that is no time of records.
    var began: Timestamp?
    /// Whether the listing may move the stored cursor.
    var moves = false
    /// Why it starts there, for people; nil without a cursor.
    var reason: String?

    /// Where a listing starts that nobody asked to start elsewhere.
    static func usual(
        _ rule: IncrementalCursor, _ stored: StoredCursor?, isFull: Bool, now: Timestamp
    ) -> (from: String?, reason: String?) {
        guard !isFull, let stored else { return (rule.start, nil) }
        // The age of the last move counts, not of the value: an origin without changes keeps an old value.
        // One of more than a day from now is not known, as the clock was set back since.
        let age = now - stored.movedAt
        if let retention = rule.retention, age > retention || .zero - age > RetryRules.longestWait {
            return (rule.start, "the cursor \(stored.value) is older than the origin remembers: full listing")
        }
        let from = rule.minusLookback(stored.value)
        return (from, rule.isOpaque ? "changes since the last sync" : "changes since \(from)")
    }

    /// Whether `failed` is the origin's refusal of the first request, which carries a cursor.
    func isRefused(_ failed: PageFailure, _ first: PageRequest) -> Bool {
        guard from != nil, failed.page.address == first.address, case .http(let answer) = failed.failure.reason
        else { return false }
        return [400, 404, 410, 422].contains(answer.status)
    }

    /// Whether a page of a descending listing is past the start of the range. If the order holds, so are all pages after it.
    ///
    /// - Parameter highWaterMark: the page's highest cursor value.
    func isPast(_ highWaterMark: String?, by rule: IncrementalCursor?) -> Bool {
        guard let rule, rule.order == .descending, let from, let highWaterMark else { return false }
        return rule.isFurther(from, than: highWaterMark)
    }

    /// Adopts the range of an unfinished listing.
    mutating func resume(_ listing: ListingCursor) {
        (from, moves) = (listing.from, listing.moves)
    }

    /// Adopts the range of an unfinished listing; if its pages came in order, the range starts at its high-water mark.
    ///
    /// - Returns: whether it resumes at the cursor rather than at its next page.
    mutating func resume(_ listing: ListingCursor, by rule: IncrementalCursor?) -> Bool {
        resume(listing)
        guard let value = rule?.resumeValue(of: listing) else { return false }
        from = value
        return true
    }

    /// The values of the placeholders in requests under `rule`.
    func placeholders(_ rule: IncrementalCursor?) -> Placeholders {
        // A listing of everything has no end: by the origin's clock, records may be newer than its beginning.
        let end = until ?? from.flatMap { from in began.flatMap { rule?.type.text(of: $0, like: from) } }
        return Placeholders(
            cursor: from.map { rule?.written($0) ?? $0 }, until: end.map { rule?.written($0) ?? $0 },
            isNumber: (rule?.format ?? rule?.type)?.isNumber ?? false)
    }
}

extension IncrementalCursor {
    /// The value at which an unfinished listing goes on: how far its own pages came. Nil where that is no further than where it
    /// began, and it goes on at its next page.
    func resumeValue(of listing: ListingCursor) -> String? {
        guard resumesAtCursor, let reached = listing.reached else { return nil }
        let value = minusLookback(reached)
        return listing.from.map { isFurther(value, than: $0) } ?? true ? value : nil
    }
}

extension NextPageRule {
    /// The first page of a new listing of the range that begins at `start`.
    func first(from start: CursorStart, for parent: BoundParent? = nil) throws(Failure) -> PageRequest {
        try first(filling: start.placeholders(resource.cursor), for: parent)
    }
}
