// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingPaging

/// Tracks the high-water mark of one listing's cursor.
///
/// In ascending order each page moves the cursor, but only to the highest value below the page's last one. More records with
/// the last value may be on the next page, and an origin's "since" may exclude the value itself.
///
/// The cursor never passes a value whose records may not all have been read. A record that is written while its listing is read may be missing from it, so
/// a time never passes the moment at which the listing began, by our clock and by the origin's, whichever is earlier:
/// records are dated by the origin's. An origin whose clock is behind delays the cursor, so that the next listing begins
/// earlier; it loses nothing. A record that comes late, with a value within the lookback, may be missing from pages that were
/// read before an interruption, so the pages after it move no cursor that is not a time.
///
/// In descending order the listing ends at the first page past its start, as long as the order holds.
struct HighWaterMark: Sendable {
    /// Nil for a resource without a cursor, and for an ad-hoc listing.
    let rule: IncrementalCursor?
    /// The range of the listing.
    private(set) var start: CursorStart
    /// The stored cursor at the time the listing was opened.
    let stored: String?
    /// The high-water mark of the saved pages, in this run and before.
    private var reached: String?
    /// The highest value below ``reached``: all records up to it are saved.
    private var safe: String?
    /// The highest value of this run's pages. A resumed listing may repeat earlier values.
    private var last: String?
    private var isDisordered = false
    /// The order check of a descending listing.
    private var descent: DescendingOrder
    /// Whether only the end of the listing may move the cursor: pages came out of order in a run before, or are not whole.
    private var waitsForEnd: Bool
    /// Whether pages of this listing were read in a run before, and no moment bounds what they surely held.
    private let isUnbounded: Bool
    private var unusable = 0
    private var future: String?
    /// A date without a time, if the cursor declares times and a lookback that is shorter than a day.
    private var date: String?

    /// - Parameter waits: as stored with the listing.
    init(
        _ rule: IncrementalCursor?, start: CursorStart, stored: String?, reached: String?, waits: Bool,
        isResumed: Bool = false
    ) {
        (self.rule, self.start, self.stored, self.reached, safe) = (rule, start, stored, reached, reached)
        (waitsForEnd, isUnbounded) = (waits, isResumed && start.began == nil)
        descent = DescendingOrder(isBroken: waits && rule?.order == .descending, top: reached)
    }

    /// Lets no page move the cursor from now on, but only the end of a complete listing.
    mutating func waitForEnd() { waitsForEnd = true }

    /// Lowers the moment at which the listing began to that of its first request by the origin's clock; nil if that is
    /// unknown. Call it before any other use of the first page.
    mutating func begin(by originTime: Timestamp?) {
        if let originTime, let began = start.began { start.began = min(began, originTime) }
    }

    /// Checks the order of the next page. Call it before any other use of the page.
    mutating func checkOrder(of page: Page) {
        guard let rule, rule.order == .descending, rule.isOfRecords else { return }
        if let cursor = page.cursor {
            descent.add(cursor.values, highest: cursor.highWaterMark, isInOrder: cursor.isDescending, rule)
        } else {
            descent.add(unchanged: page.highWaterMark, rule)
        }
        if descent.isPageBroken { isDisordered = true }
    }

    /// The highest value to store for `page`, which was checked last: nil for a page out of order, so that its 304 ends no
    /// listing.
    func value(for page: Page) -> String? { descent.isPageBroken ? nil : page.highWaterMark }

    /// Records the values of `page`, and returns the cursor changes to store with it; nil without a cursor.
    ///
    /// - Parameter isEnd: whether the listing is complete with the page.
    mutating func move(with page: Page, isEnd: Bool) -> CursorMove? {
        guard let rule else { return nil }
        if let cursor = page.cursor { record(cursor, rule, isFirst: page.request.number == 1) }
        var move = isEnd ? end(rule) : moved(rule)
        move.began = start.began
        return move
    }

    private func moved(_ rule: IncrementalCursor) -> CursorMove {
        guard rule.resumesAtCursor else {
            return CursorMove(from: start.from, reached: reached, moved: nil, waits: descent.isBroken)
        }
        guard !isDisordered else {
            return CursorMove(
                from: start.from, reached: nil, moved: start.moves ? stored : nil, takesBack: start.moves, waits: true)
        }
        guard !waitsForEnd else { return CursorMove(from: start.from, reached: nil, moved: nil, waits: true) }
        let moved = start.moves ? safe.map { rule.further(stored, $0) } : nil
        return CursorMove(from: start.from, reached: safe, moved: moved == stored ? nil : moved)
    }

    private func end(_ rule: IncrementalCursor) -> CursorMove {
        guard start.moves else { return CursorMove(from: start.from, reached: reached, moved: nil) }
        let moved = reached.map { rule.isOfRecords ? rule.further(stored, $0) : $0 }
        // A complete listing without changes confirms the stored value, and so renews its age.
        return CursorMove(from: start.from, reached: reached, moved: moved ?? stored)
    }

    private mutating func record(_ cursor: PageCursor, _ rule: IncrementalCursor, isFirst: Bool) {
        unusable += cursor.unusable
        future = future ?? cursor.future
        guard let highWaterMark = cursor.highWaterMark else { return }
        if case .time(let lookback)? = rule.lookback, lookback < CursorType.date.unit, rule.type == .datetime,
            CursorType.date.takes(highWaterMark)
        {
            date = highWaterMark
        }
        switch rule.place {
        case .record:
            if rule.resumesAtCursor { follow(cursor, highWaterMark, rule) }
            if !isUnbounded { reached = rule.further(reached, covered(highWaterMark, rule)) }
        case .envelope: reached = highWaterMark
        case .header: if isFirst { reached = highWaterMark }
        }
    }

    /// `value`, or the moment at which the listing began if that is earlier.
    private func covered(_ value: String, _ rule: IncrementalCursor) -> String {
        guard let began = start.began.map({ rule.type.text(of: $0, like: value) }) else { return value }
        return rule.isFurther(value, than: began) ? began : value
    }

    private mutating func follow(_ cursor: PageCursor, _ highWaterMark: String, _ rule: IncrementalCursor) {
        if let last, let nearest = cursor.nearest, rule.isFurther(last, than: nearest) { isDisordered = true }
        if !cursor.isAscending { isDisordered = true }
        last = rule.further(last, highWaterMark)
        guard !isUnbounded else { return }
        for value in [reached, cursor.below].compactMap(\.self) where rule.isFurther(highWaterMark, than: value) {
            safe = rule.further(safe, covered(value, rule))
        }
    }

    /// Whether all pages after `page` are outside of the range.
    func isPast(_ page: Page) -> Bool {
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
        if rule.isOfRecords { descent.add(unchanged: highWaterMark, rule) }
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
            let what = rule.isOfRecords ? "record" : "page"
            let have = MessageFormat.count(unusable, "\(what) has", plural: "\(what)s have")
            warnings.append("\(have) no \(rule.type.rawValue) at \(rule.description) for the cursor")
        }
        if isDisordered, let order = rule.order {
            let consequence =
                order == .ascending
                ? "the cursor moves only at the end of the listing" : "the listing continues to its end"
            warnings.append(
                "records do not come in the order of \(rule.description), as 'order: \(order.rawValue)' says: "
                    + consequence)
        }
        if let date {
            warnings.append(
                "the values at \(rule.description) are dates, such as \(date), so a 'lookback' shorter than a day has no "
                    + "meaning: declare 'type: date' and a lookback of 1d or more")
        }
        if let future {
            warnings.append("the cursor does not follow \(future), which is in the future: check the clocks")
        }
        return warnings
    }
}

/// Checks that the pages of a listing really come newest first, as `order: desc` declares. Only then are all pages behind one
/// that is past the cursor past it too.
///
/// It checks within each page and between pages. A record that new ones push onto the next page while pages are read is on both
/// pages, and does not count as disorder. Neither do records without a usable value.
private struct DescendingOrder: Sendable {
    /// Whether any page of the listing was out of order.
    private(set) var isBroken: Bool
    /// Whether the latest page is out of order.
    private(set) var isPageBroken = false
    /// The highest value so far.
    private var top: String?
    /// The values of the previous page, in order; of an unchanged page only the highest.
    private var before: [String] = []

    init(isBroken: Bool, top: String?) { (self.isBroken, self.top) = (isBroken, top) }

    /// Adds the next page of the listing, of which only the stored highest value is known; nil if it has none.
    mutating func add(unchanged highest: String?, _ rule: IncrementalCursor) {
        add([highest].compactMap(\.self), highest: highest, isInOrder: true, rule)
    }

    /// Adds the next page of the listing, and checks its order.
    mutating func add(_ values: [String], highest: String?, isInOrder: Bool, _ rule: IncrementalCursor) {
        isPageBroken = !isInOrder || goesUp(to: values, rule)
        if isPageBroken { isBroken = true }
        if let highest, isInOrder { top = rule.further(top, highest) }
        if !values.isEmpty { before = values }
    }

    /// Whether a page begins with values above the previous page's last one that were not on that page.
    private func goesUp(to values: [String], _ rule: IncrementalCursor) -> Bool {
        guard let last = before.last else { return false }
        return values.prefix { rule.isFurther($0, than: last) }.contains { !before.contains($0) }
    }

    /// Whether the listing has descended to `value` in order. A first page that is unchanged, or whose records share one value,
    /// shows no order yet.
    func hasFallen(to value: String, by rule: IncrementalCursor) -> Bool {
        guard !isBroken, let top else { return false }
        return rule.isFurther(top, than: value)
    }
}
