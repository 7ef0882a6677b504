// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What an incomplete listing leaves undone, and what it remembers for the next one.
@Suite struct ReportedTotalTests {
    @Test func `a listing whose last link is missing is incomplete where its total is larger`() async throws {
        let bench = try await ListingEndTests.bench(paging: .nextURL(try JSONPath(parsing: "$.links.next")))
        bench.origin.set(
            "/posts",
            ListingEndTests.answer(#"{"items":ITEMS,"links":{"next":"/posts?page=2"},"meta":{"total":15}}"#, 1...5))
        bench.origin.set(
            "/posts?page=2", ListingEndTests.answer(#"{"items":ITEMS,"links":{},"meta":{"total":15}}"#, 6...10))
        let report = try await bench.sync()
        #expect(report.result.outcome == .partial)
        #expect(try await bench.state().incomplete == "10 of 15 records ($.meta.total)")
        #expect(try await bench.state().completedAt == nil)
    }

    @Test func `a total that only the first page reports counts in each listing, and on no empty page`() async throws {
        let bench = try await ListingEndTests.bench(paging: .nextURL(JSONPath(member: "next")))
        let first = ListingEndTests.answer(
            #"{"items":ITEMS,"next":"/posts?page=2","total":15}"#, 1...5, [("ETag", "\"a\"")])
        bench.origin.set("/posts", first)
        bench.origin.set("/posts?page=2", ListingEndTests.answer(#"{"items":ITEMS,"total":0}"#, 6...10))
        for _ in 0..<3 {
            #expect(try await bench.sync().result.outcome == .partial)
            #expect(try await bench.state().incomplete == "10 of 15 records ($.total)")
            // The next listing asks for the first page whole, too: a 304 has no total.
            let known = try await bench.store.read {
                try $0.first("SELECT COUNT(*) FROM siding_pages WHERE etag IS NOT NULL") { $0.int(0) }
            }
            #expect(known == 0)
        }
    }

    @Test func `an incomplete listing is not fresh enough for a maximum age`() async throws {
        var options = SyncOptions()
        options.maxAge = .seconds(3_600)
        let bench = try await ListingEndTests.bench()
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS}"#, 1...5))
        #expect(try await bench.sync(options).result.outcome == .saved)
        #expect(try await bench.sync(options).result.outcome == .skipped)
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"total":15}"#, 1...5))
        #expect(try await bench.sync().result.outcome == .partial)
        #expect(try await bench.sync(options).result.outcome == .partial)
    }

    @Test func `the cursor of an incomplete listing stays`() async throws {
        var bench = try await ListingEndTests.bench(["since": "{cursor}"])
        bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "id")), type: .integer)
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"has_more":true}"#, 1...5))
        #expect(try await bench.sync().result.outcome == .partial)
        #expect(try await bench.store.cursor(of: "posts") == nil)
    }

    @Test func `a 304 beside a larger total has all pages requested whole the next time`() async throws {
        let bench = try await ListingEndTests.bench(paging: .nextURL(JSONPath(member: "next")))
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"total":10,"next":"/posts?page=2"}"#, 1...5))
        bench.origin.set("/posts?page=2", ListingEndTests.answer(#"{"items":ITEMS}"#, 6...10, [("ETag", "\"a\"")]))
        #expect(try await bench.sync().result.outcome == .saved)
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"total":11,"next":"/posts?page=2"}"#, 1...5))
        bench.origin.set(
            "/posts?page=2", .status(.notModified),
            ListingEndTests.answer(#"{"items":ITEMS}"#, 6...11, [("ETag", "\"a\"")]))
        #expect(try await bench.sync().result.outcome == .partial)
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys().count == 11)
    }

    @Test func `a listing whose first page lost its next page does not count as evidence of deletions`() async throws {
        var bench = try await ListingEndTests.bench(paging: .linkHeader)
        bench.resource.isStable = true
        let link = ("Link", #"</posts?page=2>; rel="next""#)
        bench.origin.set("/posts", ListingEndTests.answer("ITEMS", 1...5, [link]))
        bench.origin.set("/posts?page=2", ListingEndTests.answer("ITEMS", 6...9))
        for _ in 0..<2 { _ = try await bench.sync() }
        bench.origin.set("/posts", ListingEndTests.answer("ITEMS", 1...5))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.result.counters.deleted == 0)
        let why = "the first page led to a next one before, and no longer does: this listing deletes nothing"
        #expect(report.result.notes.contains(why))
        #expect(try await bench.sync().result.counters.deleted == 4)
    }

    @Test func `a listing that read fewer records than its largest total deletes only together with the next`()
        async throws
    {
        var bench = try await ListingEndTests.bench(paging: .nextURL(JSONPath(member: "next")))
        bench.resource.isStable = true
        func page(_ number: Int, total: Int, next: Bool) {
            let path = number == 1 ? "/posts" : "/posts?page=\(number)"
            let link = next ? #","next":"/posts?page=\#(number + 1)""# : ""
            let ids = number * 5 - 4...number * 5
            bench.origin.set(path, ListingEndTests.answer(#"{"items":ITEMS,"total":\#(total)\#(link)}"#, ids))
        }
        for number in 1...3 { page(number, total: 15, next: number < 3) }
        for _ in 0..<2 { #expect(try await bench.sync().result.outcome == .saved) }
        // Five records are deleted behind the first page, or the second page lacks its link: both look the same.
        page(2, total: 10, next: false)
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.result.counters.deleted == 0)
        page(1, total: 10, next: true)
        #expect(try await bench.sync().result.counters.deleted == 5)
    }
}
