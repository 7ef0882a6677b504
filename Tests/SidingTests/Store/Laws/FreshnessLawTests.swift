// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct FreshnessLawTests {
    @Test func `the freshness of a listing is kept with its end, and until the next one ends`() async throws {
        let bench = try await StoreBench()
        let said = ListingFreshness(
            freshUntil: bench.time.now + .seconds(9), notBefore: bench.time.now + .seconds(5))
        try await require(bench.store.freshness(of: "posts") == nil, "something is known before the first opening")
        let first = try await bench.open()
        var page = try bench.pageCommit(
            StoreBench.content("[]"), first, next: .page(StoreBench.page(2)))
        page.listed.freshness = said
        _ = try await bench.store.commit(page)
        let begun = try await require(bench.store.freshness(of: "posts"), "what is known")
        try require(begun.reported, is: ListingFreshness(), "what an unfinished listing said")
        try require(begun.isUnfinished, "the listing counts as finished")
        var last = try bench.pageCommit(StoreBench.content("[]"), first, page: StoreBench.page(2))
        last.listed.freshness = said
        _ = try await bench.store.commit(last)
        let whole = try await require(bench.store.freshness(of: "posts"), "what is known")
        try require(whole.reported, is: said, "what was said")
        try require(whole.completedAt, is: bench.time.now, "when it ended")
        try require(!whole.isUnfinished, "the listing counts as unfinished")
        try await require(bench.store.resourceStates().first?.freshness, is: said, "what the state says")
        let empty = try StoreBench.content("[]")
        _ = try await bench.store.commit(bench.pageCommit(empty, bench.open(), next: .incomplete("a loop")))
        try await require(bench.store.freshness(of: "posts")?.reported, is: said, "what was said before the cut")
        try await bench.commit("[]", bench.open())
        try await require(
            bench.store.freshness(of: "posts")?.reported, is: ListingFreshness(), "what a silent listing said")
    }
}
