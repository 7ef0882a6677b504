/// Notices that a listing turns in a circle.
///
/// Pages without records say nothing: where an origin filters, many may come in succession.
struct LoopDetector {
    private var seen: Set<PageRequest.Address> = []
    /// The records of the page before, as one digest; nil where they are not known.
    private var last: UInt64?
    /// How often in succession a page had the records of the one before it.
    private var repeats = 0
    /// Records of the listing's beginning, and those of the page before, each as a digest.
    private var first: Set<UInt64> = []
    private var before: Set<UInt64> = []
    /// How many pages in succession had none but records that are known.
    private var stale = 0

    /// So often that can be no honest overlap of pages that are numbered here.
    private static let mostRepeats = 2
    /// Records that are added meanwhile make such pages shift, but hardly by so many at once.
    private static let mostStale = 10
    /// Where the origin names the next page, it may have its reasons to show the same records on many: those that were loaded
    /// along with others, those of each day.
    private static let mostNamed = 1_000
    /// So many records of the beginning are kept, 16 bytes or so each: a circle comes back to them.
    private static let mostKept = 10_000

    /// Takes in a page; why its way on leads nowhere new, nil where it may.
    mutating func closed(by page: FetchedPage) -> String? {
        seen.insert(page.page.address)
        if page.recordCount > 0 { note(page) }
        guard case .page(let next) = page.next else { return nil }
        if seen.contains(next.address) {
            return "page \(page.page.number) leads back to a page seen before: a loop"
        }
        // An origin that does not know the parameter answers the same records to every number, or token.
        let isNumbered = page.paging.isNumbered
        if repeats >= (isNumbered ? Self.mostRepeats : Self.mostNamed) {
            return "page \(page.page.number) has the records of the pages before it again: a loop (\(page.paging))"
        }
        guard stale >= (isNumbered ? Self.mostStale : Self.mostNamed) else { return nil }
        return
            "page \(page.page.number) is the \(stale)th in succession without a record that was not on a page before: a "
            + "loop (\(page.paging))"
    }

    private mutating func note(_ page: FetchedPage) {
        repeats = page.digest != nil && page.digest == last ? repeats + 1 : 0
        last = page.digest
        // A 304 has no records in hand.
        let records = page.recordDigests
        let isStale = !records.isEmpty && records.allSatisfy { first.contains($0) || before.contains($0) }
        stale = isStale ? stale + 1 : 0
        before = Set(records)
        if !isStale, first.count < Self.mostKept { first.formUnion(records.prefix(Self.mostKept - first.count)) }
    }
}
