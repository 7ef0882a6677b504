/// Checks that the pages of a listing really come newest first, as `order: desc` declares. Only then are all pages behind one
/// that is past the cursor past it too.
///
/// It checks within each page and between pages. A record that new ones push onto the next page while pages are read is on both
/// pages, and does not count as disorder. Neither do records without a usable value.
struct DescendingOrder: Sendable {
    /// Whether any page so far was out of order, in this run or an earlier one of the listing.
    private(set) var isBroken: Bool
    /// Whether the latest page is out of order.
    private(set) var isPageBroken = false
    /// The highest value so far.
    private var top: String?
    /// The values of the previous page, in order; of an unchanged page only the highest.
    private var before: [String] = []

    /// - Parameters:
    ///   - isBroken: as stored with the listing.
    ///   - top: the highest value of the pages saved before.
    init(isBroken: Bool = false, top: String? = nil) { (self.isBroken, self.top) = (isBroken, top) }

    /// Checks the next page of the listing.
    mutating func look(at cursor: PageCursor, by rule: IncrementalCursor) {
        look(at: cursor.values, highWaterMark: cursor.highWaterMark, isInOrder: cursor.isDescending, rule)
    }

    /// Checks the next page if it did not change.
    ///
    /// - Parameter highWaterMark: its stored highest value; nil if it has none.
    mutating func look(atUnchanged highWaterMark: String?, by rule: IncrementalCursor) {
        let isInOrder = highWaterMark != StoredPage.disorder
        look(
            at: isInOrder ? [highWaterMark].compactMap(\.self) : [], highWaterMark: highWaterMark, isInOrder: isInOrder,
            rule)
    }

    private mutating func look(
        at values: [String], highWaterMark: String?, isInOrder: Bool, _ rule: IncrementalCursor
    ) {
        isPageBroken = !isInOrder || goesUp(to: values, rule)
        if isPageBroken { isBroken = true }
        if let highWaterMark, isInOrder { top = rule.further(top, highWaterMark) }
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
