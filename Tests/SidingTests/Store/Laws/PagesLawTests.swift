// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct PagesLawTests {
    @Test func `a commit brings records, validators, checkpoint and counters at once`() async throws {
        let bench = try await StoreBench()
        let position = try await bench.open()
        let next = try StoreBench.page(2)
        let counters = try await bench.commit(
            #"[{"id":"a"},{"id":"b"}]"#, position, next: .page(next), etag: #""v1""#)
        try require(counters.inserted, is: 2, "inserted")
        try require(counters.pages, is: 1, "pages")
        try require(counters.requests, is: 1, "requests")
        try require(counters.bytes, is: 100, "bytes")
        try await require(bench.counters(), is: counters, "the run's counters")
        let stored = try await require(bench.store.storedPage(position.page, of: "posts"), "the page")
        try require(
            stored,
            is: StoredPage(etag: #""v1""#, lastModified: nil, next: next, recordCount: 2, readAt: bench.time.now),
            "the page")
        let state = try await require(bench.store.resourceStates().first, "the state")
        try require(state.checkpoint, is: next, "the checkpoint")
        try require(state.records, is: 2, "the records")
    }

    @Test func `the counters of a run's pages add up`() async throws {
        let bench = try await StoreBench()
        let position = try await bench.commitFirstPage()
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, position, page: StoreBench.page(2))
        let counters = try await bench.counters()
        try require(counters.pages, is: 2, "pages")
        try require(counters.inserted, is: 2, "inserted")
        try require(counters.unchanged, is: 1, "unchanged")
        try require(counters.bytes, is: 200, "bytes")
    }

    @Test func `an unchanged record counts as unchanged and is not written`() async throws {
        var bench = try await StoreBench()
        let start = bench.time.now
        let run = bench.run
        let first = try await bench.open()
        try await bench.commit(#"[{"id":"a","n":1}]"#, first)
        bench.time.advance(by: .seconds(60))
        try await bench.nextSync()
        let counters = try await bench.commit(#"[{"id":"a","n":1}]"#, bench.open())
        try require(counters.unchanged, is: 1, "unchanged")
        try require(counters.updated + counters.inserted, is: 0, "updated or inserted")
        try await require(bench.record("a").changedAt, is: start, "changedAt")
        try await require(bench.record("a").run, is: run, "the run that wrote it")
    }

    @Test func `a changed record keeps when it was first seen, and has the time and run of its change`() async throws {
        var bench = try await StoreBench()
        let start = bench.time.now
        try await bench.commit(#"[{"id":"a","n":1}]"#, bench.open())
        bench.time.advance(by: .seconds(60))
        try await bench.nextSync()
        let counters = try await bench.commit(#"[{"id":"a","n":2}]"#, bench.open())
        try require(counters.updated, is: 1, "updated")
        let record = try await bench.record("a")
        try require(record.firstSeenAt, is: start, "firstSeenAt")
        try require(record.changedAt, is: start + .seconds(60), "changedAt")
        try require(record.run, is: bench.run, "the run")
    }

    @Test func `a body is kept byte for byte as it came`() async throws {
        let bench = try await StoreBench()
        let body = #"{ "id":"a", "n":1.10e+2, "big":12345678901234567890123, "é":"\u00e9\/","n2":-0 }"#
        try await bench.commit("[ \(body) ,{\"id\":\"b\"}]", bench.open())
        try await require(
            String(decoding: bench.record("a").body, as: UTF8.self), is: body, "the body")
    }

    @Test func `a record whose bytes changed but not its values is a changed record`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a","n":1}]"#, bench.open())
        let counters = try await bench.commit(#"[{"id":"a", "n":1}]"#, bench.open())
        try require(counters.updated, is: 1, "updated")
    }

    @Test func `the quarantined records of a page are forgotten when the page comes again, and kept by a 304`()
        async throws
    {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"},{"no":1}]"#, bench.open(), etag: "1")
        try await require(bench.store.resourceStates().first?.quarantined, is: 1, "quarantined")
        let position = try await bench.open()
        _ = try await bench.store.commit(bench.pageCommit(.notModified(recordCount: 2), position, etag: "1"))
        try await require(bench.store.resourceStates().first?.quarantined, is: 1, "quarantined after a 304")
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.open())
        try await require(bench.store.resourceStates().first?.quarantined, is: 0, "quarantined after it was mended")
    }

    @Test func `of several records with one key in a page the last wins`() async throws {
        let bench = try await StoreBench()
        let counters = try await bench.commit(
            #"[{"id":"a","n":1},{"id":"b"},{"id":"a","n":2},{"id":"a","n":3}]"#, bench.open())
        try require(counters.inserted, is: 2, "inserted")
        try require(counters.duplicates, is: 2, "duplicates")
        try await require(
            String(decoding: bench.record("a").body, as: UTF8.self), is: #"{"id":"a","n":3}"#, "the body")
    }

    @Test func `the first record fixes the key type, and a record of another type is quarantined`() async throws {
        let bench = try await StoreBench()
        let first = try await bench.commit(#"[{"id":1},{"id":"1"},{"id":2}]"#, bench.open())
        try require(first.inserted, is: 2, "inserted")
        try require(first.quarantined, is: 1, "quarantined")
        let second = try await bench.commit(#"[{"id":"x"},{"id":3}]"#, bench.open())
        try require(second.inserted, is: 1, "inserted by the next page")
        try require(second.quarantined, is: 1, "quarantined by the next page")
    }

    @Test func `the first record fixes the key type even where a later one of its key replaces it`() async throws {
        let bench = try await StoreBench()
        let counters = try await bench.commit(#"[{"id":1,"n":1},{"id":"x"},{"id":1,"n":2}]"#, bench.open())
        try require(counters.quarantined, is: 1, "quarantined")
        try await require(
            String(decoding: bench.record("1").body, as: UTF8.self), is: #"{"id":1,"n":2}"#, "the body")
    }

    @Test func `a record that breaks its contract is quarantined, and the page is saved`() async throws {
        let bench = try await StoreBench()
        let counters = try await bench.commit(
            #"[{"name":"no key"},{"id":"a"},{"id":null},{"id":"b","x":1,"x":2}]"#, bench.open())
        try require(counters.quarantined, is: 3, "quarantined")
        try require(counters.inserted, is: 1, "inserted")
        try await require(bench.store.count(of: "posts").count, is: 1, "the records")
    }

    @Test func `a 304 writes no record and keeps the next page`() async throws {
        var bench = try await StoreBench()
        let position = try await bench.commitFirstPage(etag: "1")
        try await bench.commit("[]", position, page: StoreBench.page(2))
        let before = try await bench.record("a")
        bench.time.advance(by: .seconds(60))
        try await bench.nextSync()
        let again = try await bench.open()
        let next = try StoreBench.page(2)
        let content = Page.Content.notModified(recordCount: 1)
        let counters = try await bench.store.commit(
            bench.pageCommit(content, again, next: .page(next), etag: "1"))
        try require(counters.notModified, is: 1, "notModified")
        try require(counters.unchanged + counters.updated + counters.inserted, is: 0, "records that were looked at")
        try await require(bench.record("a"), is: before, "the record")
        let stored = try await require(bench.store.storedPage(again.page, of: "posts"), "the page")
        try require(stored.next, is: next, "the stored way on")
        try require(stored.recordCount, is: 1, "the stored number of records")
    }

    @Test func `a page without records is a page`() async throws {
        let bench = try await StoreBench()
        let counters = try await bench.store.commit(bench.pageCommit(.records([], []), bench.open()))
        try require(counters.pages, is: 1, "pages")
        try await require(bench.store.count(of: "posts").count, is: 0, "the records")
    }

    @Test func `a page of a resource that was never opened is refused`() async throws {
        let bench = try await StoreBench()
        let position = try ListingPosition(listing: 1, page: StoreBench.page(1), isResumed: false)
        let late = bench
        try await bench.refuses(.notFound, "the commit") { try await late.commit("[]", position) }
    }
}
