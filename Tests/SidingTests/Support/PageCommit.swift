// SPDX-License-Identifier: Apache-2.0
@testable import Siding

/// One page to save in a transaction of its own.
struct PageCommit: Sendable {
    var open: OpenListing
    var listed: ListedPage
}

extension Store {
    /// Saves one page.
    func commit(_ commit: PageCommit) async throws(StoreError) -> RunCounters {
        try await save([commit.listed], in: commit.open).counters.reduce(into: RunCounters()) { $0 += $1 }
    }
}
