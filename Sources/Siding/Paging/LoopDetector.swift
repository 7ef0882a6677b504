/// Notices that a listing turns in a circle.
///
/// Pages without records say nothing: where an origin filters, many may come in succession.
struct LoopDetector {
    /// The addresses of the listing's first pages, as digests.
    private var seen: Set<AddressDigest> = []
    /// The address of one of the later pages; see ``mostPages``.
    private var landmark: AddressDigest?
    /// How many pages came after the landmark, and how many may until the next one is taken.
    private var passed = 0
    private var reach = 1
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
    /// So many pages of the beginning are remembered. Of those behind them one is at a time, replaced after twice as many pages
    /// as the one before it (Brent, BIT 20, 1980): a circle back to it is found, however long the listing is.
    static let mostPages = 10_000
    /// So many records of the beginning are kept, 16 bytes or so each: a circle comes back to them.
    private static let mostKept = 10_000

    /// Takes in a page; why its way on leads nowhere new, nil where it may.
    mutating func closed(by page: FetchedPage) -> String? {
        remember(AddressDigest(page.page.address))
        if page.recordCount > 0 { note(page) }
        guard case .page(let next) = page.next else { return nil }
        let digest = AddressDigest(next.address)
        if seen.contains(digest) || digest == landmark {
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

    /// How many pages are remembered.
    var remembered: Int { seen.count + (landmark == nil ? 0 : 1) }

    private mutating func remember(_ address: AddressDigest) {
        guard seen.count >= Self.mostPages else {
            seen.insert(address)
            return
        }
        passed += 1
        guard passed == reach else { return }
        (landmark, passed, reach) = (address, 0, reach * 2)
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

/// An address in 16 bytes, as addresses may be long: that two of a listing share one is out of the question.
private struct AddressDigest: Hashable {
    private let one: Int
    private let other: Int

    init(_ address: PageRequest.Address) {
        (one, other) = (Self.half(0, of: address), Self.half(1, of: address))
    }

    private static func half(_ seed: Int, of address: PageRequest.Address) -> Int {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(address)
        return hasher.finalize()
    }
}
