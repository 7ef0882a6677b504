internal import SidingJSON

/// Notices that a listing turns in a circle.
struct ListingCircle {
    private var seen: Set<PageRequest.Address> = []
    /// The records of the page before, as a hash; nil where it was not had whole, or has none.
    private var last: Int?
    /// How often in succession a page had the records of the one before it.
    private var repeats = 0

    /// So often that can be no honest overlap of numbered pages.
    private static let mostRepeats = 2

    /// Takes in a page; why its way on leads nowhere new, nil where it may.
    mutating func closed(by page: FetchedPage) -> String? {
        seen.insert(page.page.address)
        let records = page.paging.isCounted ? page.recordsHash : nil
        repeats = records != nil && records == last ? repeats + 1 : 0
        last = records
        guard case .page(let next) = page.next else { return nil }
        if seen.contains(next.address) {
            return "page \(page.page.number) leads back to a page seen before: a loop"
        }
        // An origin that does not know the parameter answers the same records to every number.
        guard repeats >= Self.mostRepeats else { return nil }
        return "page \(page.page.number) has the records of the pages before it again: a loop (\(page.paging))"
    }
}

extension Paging {
    /// Whether pages are told by numbers, which an origin may ignore.
    fileprivate var isCounted: Bool {
        switch self {
        case .page, .offset: true
        case .automatic, .none, .linkHeader, .nextURL, .cursor, .lastRecord, .headerCursor, .nextHeader: false
        }
    }
}

extension FetchedPage {
    fileprivate var recordsHash: Int? {
        guard case .records(let bytes, let slices) = content, !slices.isEmpty else { return nil }
        var hasher = Hasher()
        bytes.withUnsafeBytes { page in
            for slice in slices {
                hasher.combine(slice.range.count)
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: page[slice.range]))
            }
        }
        return hasher.finalize()
    }
}
