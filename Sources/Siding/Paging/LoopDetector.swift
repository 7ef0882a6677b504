// SPDX-License-Identifier: Apache-2.0
internal import SidingPaging

/// Detects listings that loop.
///
/// Pages without records do not count, as an origin that filters may send some in a row; but not a hundred.
struct LoopDetector {
    /// The addresses of the listing's first pages, as digests.
    private var seen: Set<AddressDigest> = []
    /// The address of one of the later pages; see ``mostPages``.
    private var landmark: AddressDigest?
    /// How many pages came after the landmark, and how many may until the next one is taken.
    private var passed = 0
    private var reach = 1
    /// The digest of the previous page's records; nil if unknown.
    private var last: UInt64?
    /// How many pages in a row repeated the records of the one before.
    private var repeats = 0
    /// Digests of the listing's first records.
    private var first: Set<UInt64> = []
    /// How many pages in a row had only known records, or none.
    private var (stale, empty) = (0, 0)

    /// Records added meanwhile shift numbered pages, but hardly by this many pages.
    private static let mostStale = 10
    private static let mostEmpty = 100
    /// If the origin names the next page, it may have reasons to repeat records on many pages, such as related records or one
    /// page per day.
    private static let mostNamed = 1_000
    /// This many first pages are remembered. Of the later pages one at a time is remembered, and replaced after twice as many
    /// pages as the one before it (Brent, BIT 20, 1980): so a loop back to it is found, however long the listing is.
    static let mostPages = 10_000
    /// How many of the first records to keep, at about 16 bytes each: a loop returns to them.
    private static let mostKept = 10_000

    /// Why the page closes a loop; nil if it does not.
    ///
    /// - Parameters:
    ///   - step: what follows the page.
    ///   - before: digests of the previous page's records.
    mutating func closed(by page: Page, leadingTo step: Step, after before: Set<UInt64> = []) -> String? {
        remember(AddressDigest(page.request.address))
        if page.recordCount > 0 { note(page, before) }
        empty = page.recordCount > 0 ? 0 : empty + 1
        // An origin that ignores the parameter sends the same records for every number or token.
        let isNumbered = page.paging.isNumbered
        let following = step.next
        let leadsOn = following != nil || (isNumbered && step == .end)
        if leadsOn, repeats >= (isNumbered ? 1 : Self.mostNamed) {
            return "page \(page.request.number) has the records of the page before it again: a loop (\(page.paging))"
                + (isNumbered ? ". If one page has all records: paginate: none" : "")
        }
        guard let following else { return nil }
        if empty >= Self.mostEmpty {
            return
                "\(empty) pages in a row had no records. If an empty page is the last one: stop: { empty_page: true }"
        }
        let digest = AddressDigest(following.address)
        if seen.contains(digest) || digest == landmark {
            let remedy = page.recordCount == 0 ? ". If an empty page is the last one: stop: { empty_page: true }" : ""
            return "page \(page.request.number) leads back to an earlier page: a loop\(remedy)"
        }
        guard stale >= (isNumbered ? Self.mostStale : Self.mostNamed) else { return nil }
        return
            "page \(page.request.number) is the \(stale)th page in a row without a new record: a "
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

    private mutating func note(_ page: Page, _ before: Set<UInt64>) {
        repeats = page.digest != nil && page.digest == last ? repeats + 1 : 0
        last = page.digest
        // A 304 has no record digests.
        let records = page.recordDigests
        let isStale = !records.isEmpty && records.allSatisfy { first.contains($0) || before.contains($0) }
        stale = isStale ? stale + 1 : 0
        if !isStale, first.count < Self.mostKept { first.formUnion(records.prefix(Self.mostKept - first.count)) }
    }
}

/// An address in 16 bytes, as addresses may be long: that two of a listing share one is out of the question.
private struct AddressDigest: Hashable {
    private let one: Int
    private let other: Int

    init(_ address: some Hashable) {
        (one, other) = (Self.half(0, of: address), Self.half(1, of: address))
    }

    private static func half(_ seed: Int, of address: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(seed)
        hasher.combine(address)
        return hasher.finalize()
    }
}
