// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct DeletionsLawTests {
    @Test func `a record missing from one complete listing is missing, and from two in succession it is a tombstone`()
        async throws
    {
        var bench = try await StoreBench()
        try await bench.listing(["1", "2"], ["3"])
        var counters = try await bench.listing(["1"], ["3"])
        try require(counters.deleted, is: 0, "deleted at once")
        try await require(bench.store.missingKeys(of: "posts", limit: 9), is: ["2"], "the missing keys")
        counters = try await bench.listing(["1"], ["3"])
        try require(counters.deleted, is: 1, "deleted")
        let record = try await bench.record("2")
        try require(record.deletedAt, is: bench.time.now, "when")
        try require(record.run, is: bench.run, "its run")
        try require(record.body, is: Array(#"{"id":"2"}"#.utf8), "its body")
        try await require(bench.counters().deleted, is: 1, "the run's counter")
        try await require(bench.store.missingKeys(of: "posts", limit: 9), is: [], "the missing keys")
    }

    @Test func `a stable paging's listing that was not interrupted is enough; one of another run is not`() async throws
    {
        var bench = try await StoreBench()
        try await bench.listing(["1", "2", "3"], ["4"])
        let counters = try await bench.listing(["1", "3"], ["4"], isStable: true)
        try require(counters.deleted, is: 1, "deleted")
        let position = try await bench.open()
        _ = try await bench.store.commit(
            bench.page(["1"], position, next: .page(StoreBench.page(2)), isStable: true))
        try await bench.nextSync()
        let resumed = try await bench.open()
        let last = try await bench.store.commit(bench.page(["4"], resumed, isStable: true))
        try require(last.deleted, is: 0, "deleted by a resumed listing")
    }

    @Test func `a page that is confirmed by a 304 shows what it showed`() async throws {
        var bench = try await StoreBench()
        try await bench.listing(["1"], ["2"])
        for _ in 0..<2 {
            let position = try await bench.open()
            _ = try await bench.store.commit(
                bench.page(nil, position, next: .page(StoreBench.page(2)), isStable: true))
            let last = try await bench.store.commit(
                bench.page(nil, position, page: StoreBench.page(2), isStable: true))
            try require(last.deleted, is: 0, "deleted")
        }
        try await require(bench.store.count(of: "posts").count, is: 2, "the records")
    }

    @Test func `too many at once are blocked until that is accepted, and can be taken back`() async throws {
        var bench = try await StoreBench()
        let all = (10..<40).map(String.init)
        try await bench.listing(all, [])
        for _ in 0..<2 { try await bench.listing(["10"], []) }
        var counters = try await bench.listing(["10"], [])
        try require(counters.deletionsBlocked, is: 29, "deletions_blocked")
        try require(counters.deleted, is: 0, "deleted")
        counters = try await bench.listing(["10"], [], isAccepted: true)
        try require(counters.deleted, is: 29, "deleted")
        let run = bench.run
        try await bench.listing(["10", "11"], [])
        try await require(bench.store.undelete(run), is: ["posts": 28], "undeleted")
        try await require(bench.keys(), is: all, "the records")
        try await require(bench.store.undelete(run), is: [:], "undeleted again")
    }

    @Test func `watchers see deleted and restored records`() async throws {
        var bench = try await StoreBench()
        try await bench.listing(["1", "2"], ["3"])
        let revision = try await bench.store.changedKeys(of: "posts", since: 0).revision
        try await bench.listing(["1"], ["3"], isStable: true)
        let deleted = try await bench.store.changedKeys(of: "posts", since: revision)
        try require(deleted.keys, is: ["2"], "the changed keys")
        _ = try await bench.store.undelete(bench.run)
        try await require(bench.store.changedKeys(of: "posts", since: deleted.revision).keys, is: ["2"], "the keys")
    }
}

extension StoreBench {
    /// Lists two pages in a run of its own, or one.
    @discardableResult
    fileprivate mutating func listing(
        _ first: [String], _ second: [String]? = nil, isStable: Bool = false, isAccepted: Bool = false
    ) async throws -> RunCounters {
        try await nextSync()
        time.advance(by: .seconds(1))
        let position = try await open()
        var counters = RunCounters()
        let following = try second.map { _ in try Self.page(2) }
        counters += try await store.commit(
            page(
                first, position, next: following.map(Step.page) ?? .end, isStable: isStable, isAccepted: isAccepted)
        )
        if let second {
            counters += try await store.commit(
                page(second, position, page: following, isStable: isStable, isAccepted: isAccepted))
        }
        return counters
    }

    /// A page of records with these keys; nil for a 304.
    fileprivate func page(
        _ keys: [String]?, _ position: ListingPosition, next: Step = .end, page: PageRequest? = nil,
        isStable: Bool, isAccepted: Bool = false
    ) throws -> PageCommit {
        let json = (keys ?? []).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        let content = try keys.map { _ in try Self.content("[\(json)]") } ?? .notModified(recordCount: 1)
        var commit = pageCommit(content, position, next: next, page: page)
        commit.open.deletions = DeletionTerms(
            rule: Deletions(byAbsence: true), isStable: isStable, isAccepted: isAccepted)
        return commit
    }

    fileprivate func keys() async throws -> [String] {
        try await store.records(of: Self.resource, after: nil, limit: 999, deleted: false).map(\.key)
    }
}
