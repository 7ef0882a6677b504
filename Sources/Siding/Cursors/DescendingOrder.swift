/// Whether the pages of a listing really come newest first, as `order: desc` says: only then all that follows a page behind the
/// cursor lies behind it too.
///
/// It is seen in each page, and over the edges of pages. Records that others push onto the next page while pages are read stand on
/// both, and are no disorder. Records without a usable value say nothing.
struct DescendingOrder: Sendable {
    /// Stands in a page's row for its furthest value, where the page is out of order: a 304 to it tells that, and ends no listing.
    static let disorder = ""

    /// Whether a page so far was out of order, in this run or an earlier one of the listing.
    private(set) var isBroken: Bool
    /// Whether the page that was looked at last is.
    private(set) var isPageBroken = false
    /// The furthest value so far.
    private var top: String?
    /// The values of the page before, in their order; of one that did not change, only the furthest.
    private var before: [String] = []

    /// - Parameters:
    ///   - isBroken: as the listing was left.
    ///   - top: the furthest value of the pages that were saved before.
    init(isBroken: Bool = false, top: String? = nil) { (self.isBroken, self.top) = (isBroken, top) }

    /// Looks at the next page, in the listing's order.
    mutating func look(at cursor: PageCursor, by rule: IncrementalCursor) {
        look(at: cursor.values, furthest: cursor.furthest, isInOrder: cursor.isDescending, rule)
    }

    /// Looks at the next page, which did not change.
    ///
    /// - Parameter furthest: its stored value; nil where it has none.
    mutating func look(atUnchanged furthest: String?, by rule: IncrementalCursor) {
        let isInOrder = furthest != Self.disorder
        look(at: isInOrder ? [furthest].compactMap(\.self) : [], furthest: furthest, isInOrder: isInOrder, rule)
    }

    private mutating func look(
        at values: [String], furthest: String?, isInOrder: Bool, _ rule: IncrementalCursor
    ) {
        isPageBroken = !isInOrder || goesUp(to: values, rule)
        if isPageBroken { isBroken = true }
        if let furthest, isInOrder { top = rule.further(top, furthest) }
        if !values.isEmpty { before = values }
    }

    /// Whether a page's first values are further than the last one before it, and did not stand there too.
    private func goesUp(to values: [String], _ rule: IncrementalCursor) -> Bool {
        guard let last = before.last else { return false }
        return values.prefix { rule.isFurther($0, than: last) }.contains { !before.contains($0) }
    }

    /// Whether the listing has come down to `value` in order. A first page of one record, or of records that share a value, shows
    /// no order yet; nor does one that did not change.
    func hasFallen(to value: String, by rule: IncrementalCursor) -> Bool {
        guard !isBroken, let top else { return false }
        return rule.isFurther(top, than: value)
    }
}
