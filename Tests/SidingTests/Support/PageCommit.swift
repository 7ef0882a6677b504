@testable import Siding

/// One page to save in a transaction of its own.
struct PageCommit: Sendable {
    var open: OpenListing
    var page: Page
    /// Nil for an ad-hoc listing.
    var progress: ListingProgress?
}

extension Store {
    /// Saves one page.
    func commit(_ commit: PageCommit) async throws(StoreError) -> RunCounters {
        let listed = ListedPage(page: commit.page, progress: commit.progress)
        return try await save([listed], in: commit.open).reduce(into: RunCounters()) { $0 += $1 }
    }
}
