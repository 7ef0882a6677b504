internal import HTTPTypes
internal import SidingJSON

/// Tracks the high-water mark of one listing's cursor.
///
/// In ascending order each page moves the cursor, but only to the highest value below the page's last one. More records with
/// the last value may be on the next page, and an origin's "since" may exclude the value itself.
///
/// In descending order the listing ends at the first page past its start, as long as the order holds.
struct HighWaterMark: Sendable {
    /// Nil for a resource without a cursor, and for an ad-hoc listing.
    let rule: IncrementalCursor?
    /// The range of the listing.
    let start: CursorStart
    /// The stored cursor at the time the listing was opened.
    let stored: String?
    /// The high-water mark of the saved pages, in this run and before.
    private(set) var reached: String?
    /// The highest value below ``reached``: all records up to it are saved.
    private var vouched: String?
    /// The highest value of this run's pages. A resumed listing may repeat earlier values.
    private var last: String?
    private(set) var isDisordered = false
    /// The order check of a descending listing.
    private(set) var descent: DescendingOrder
    /// Whether pages of earlier runs came out of order.
    private let waitsForEnd: Bool
    private(set) var unusable = 0
    private(set) var future: String?

    /// - Parameter waits: as stored with the listing.
    init(_ rule: IncrementalCursor?, start: CursorStart, stored: String?, reached: String?, waits: Bool = false) {
        (self.rule, self.start, self.stored, self.reached, vouched) = (rule, start, stored, reached, reached)
        waitsForEnd = waits
        descent = DescendingOrder(isBroken: waits && rule?.order == .descending, top: reached)
    }

    /// Checks the order of the next page. Call it before any other use of the page.
    mutating func look(at page: FetchedPage) {
        guard let rule, rule.order == .descending, rule.isOfRecords else { return }
        if let cursor = page.cursor {
            descent.look(at: cursor, by: rule)
        } else {
            descent.look(atUnchanged: page.highWaterMark, by: rule)
        }
        if descent.isPageBroken { isDisordered = true }
    }

    /// The highest value to store for `page`, which was checked last.
    func remembered(of page: FetchedPage) -> String? {
        descent.isPageBroken ? StoredPage.disorder : page.highWaterMark
    }

    /// Records the values of `page`, and returns the cursor changes to store with it; nil without a cursor.
    mutating func move(with page: FetchedPage) -> CursorMove? {
        guard let rule else { return nil }
        if let cursor = page.cursor { see(cursor, rule, isFirst: page.page.number == 1) }
        if page.next == .end { return end(rule) }
        guard rule.resumesAtCursor else {
            return CursorMove(from: start.from, reached: reached, moved: nil, waits: descent.isBroken)
        }
        guard !isDisordered else {
            return CursorMove(
                from: start.from, reached: nil, moved: start.moves ? stored : nil, takesBack: start.moves, waits: true)
        }
        guard !waitsForEnd else { return CursorMove(from: start.from, reached: nil, moved: nil, waits: true) }
        let moved = start.moves ? vouched.map { rule.further(stored, $0) } : nil
        return CursorMove(from: start.from, reached: vouched, moved: moved == stored ? nil : moved)
    }

    private func end(_ rule: IncrementalCursor) -> CursorMove {
        guard start.moves else { return CursorMove(from: start.from, reached: reached, moved: nil) }
        let moved = reached.map { rule.isOfRecords ? rule.further(stored, $0) : $0 }
        // A complete listing without changes confirms the stored value, and so renews its age.
        return CursorMove(from: start.from, reached: reached, moved: moved ?? stored)
    }

    private mutating func see(_ cursor: PageCursor, _ rule: IncrementalCursor, isFirst: Bool) {
        unusable += cursor.unusable
        future = future ?? cursor.future
        guard let highWaterMark = cursor.highWaterMark else { return }
        switch rule.place {
        case .record:
            if rule.resumesAtCursor { follow(cursor, highWaterMark, rule) }
            reached = rule.further(reached, highWaterMark)
        case .envelope: reached = highWaterMark
        case .header: if isFirst { reached = highWaterMark }
        }
    }

    private mutating func follow(_ cursor: PageCursor, _ highWaterMark: String, _ rule: IncrementalCursor) {
        if let last, let nearest = cursor.nearest, rule.isFurther(last, than: nearest) { isDisordered = true }
        if !cursor.isAscending { isDisordered = true }
        last = rule.further(last, highWaterMark)
        for value in [reached, cursor.below].compactMap(\.self) where rule.isFurther(highWaterMark, than: value) {
            vouched = rule.further(vouched, value)
        }
    }

    /// Whether all pages after `page` are outside of the range.
    func isPast(_ page: FetchedPage) -> Bool {
        switch rule?.order {
        case .descending: return isPast(page.highWaterMark, nearest: page.cursor?.nearest, descent)
        case .ascending:
            guard let rule, let until = start.until, let nearest = page.cursor?.nearest else { return false }
            return rule.isFurther(nearest, than: until)
        case nil: return false
        }
    }

    /// Whether the page to request is past the range, provided that it did not change.
    ///
    /// - Parameter highWaterMark: its stored highest value.
    func isPast(unchanged highWaterMark: String?) -> Bool {
        guard let rule, rule.order == .descending else { return false }
        var descent = descent
        if rule.isOfRecords { descent.look(atUnchanged: highWaterMark, by: rule) }
        return isPast(highWaterMark, nearest: nil, descent)
    }

    private func isPast(_ highWaterMark: String?, nearest: String?, _ descent: DescendingOrder) -> Bool {
        guard let rule, let highWaterMark, start.isPast(highWaterMark, by: rule) else { return false }
        return !rule.isOfRecords || descent.hasFallen(to: nearest ?? highWaterMark, by: rule)
    }

    /// Warnings for people; empty if there is no problem.
    var warnings: [String] {
        guard let rule else { return [] }
        var warnings: [String] = []
        if unusable > 0 {
            let what = rule.isOfRecords ? "\(unusable) records have" : "\(unusable) pages have"
            warnings.append("\(what) no \(rule.type.rawValue) at \(rule.description) for the cursor")
        }
        if isDisordered, let order = rule.order {
            let consequence =
                order == .ascending
                ? "the cursor moves at the end of the listing alone" : "the listing goes on to its end"
            warnings.append(
                "records do not come in the order of \(rule.description), as 'order: \(order.rawValue)' says: "
                    + consequence)
        }
        if let future {
            warnings.append("the cursor does not follow \(future), which lies in the future: check the clocks")
        }
        return warnings
    }
}
