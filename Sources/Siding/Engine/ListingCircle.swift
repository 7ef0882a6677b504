/// Notices that a listing turns in a circle.
struct ListingCircle {
    private var seen: Set<PageRequest.Address> = []
    /// The bytes of the page before; nil where it was not had whole, or has no records.
    private var last: [UInt8]?

    /// Takes in a page; why its way on leads nowhere new, nil where it may.
    mutating func closed(by page: FetchedPage) -> String? {
        seen.insert(page.page.address)
        let bytes = page.bodyWithRecords
        defer { last = bytes }
        guard case .page(let next) = page.next else { return nil }
        if seen.contains(next.address) {
            return "page \(page.page.number) leads back to a page seen before: a loop"
        }
        // An origin that does not know the parameter answers the same page to every number.
        guard let bytes, bytes == last else { return nil }
        return "page \(page.page.number) is the page before it again: a loop (\(page.paging))"
    }
}

extension FetchedPage {
    fileprivate var bodyWithRecords: [UInt8]? {
        guard case .records(let bytes, let slices) = content, !slices.isEmpty else { return nil }
        return bytes
    }
}
