// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A page that reports no more ends its listing, whatever else it has.
@Suite struct HonestListingTests {
    static let honest: [(envelope: String, query: String)] = [
        (#"{"items":ITEMS}"#, ""),
        (#"{"items":ITEMS,"total":5,"has_more":false,"next":null}"#, ""),
        (#"{"items":ITEMS,"next":"","links":{"next":null},"next_page":false}"#, ""),
        (#"{"items":ITEMS,"next":{"href":null},"next_offset":0,"next_page":-1}"#, ""),
        (#"{"items":ITEMS,"count":5,"limit":100,"offset":0}"#, ""),
        // `count` is the page size.
        (#"{"items":ITEMS,"count":100,"per_page":100}"#, ""),
        (#"{"items":ITEMS,"recordsTotal":900,"recordsFiltered":5}"#, ""),
        (#"{"items":ITEMS,"total":900,"total_filtered":5}"#, ""),
        (#"{"items":ITEMS,"paging":{"start":0,"count":10,"links":[]}}"#, ""),
        (#"{"items":ITEMS,"count":10}"#, "?count=10"),
        (#"{"items":ITEMS,"total":-1}"#, ""),
        // Totals of other things.
        (#"{"items":ITEMS,"facets":{"open":{"total":900}},"usage":{"total":1000,"count":77}}"#, ""),
        (#"{"items":ITEMS,"included":[{"id":1,"total":900,"has_more":true,"links":{"next":"/x?y=1"}}]}"#, ""),
        (#"{"items":ITEMS,"pages":1,"page":1,"per_page":5}"#, "?per_page=5"),
        (#"{"items":ITEMS,"total":5}"#, "?per_page=5"),
        (#"{"items":ITEMS,"hasMore":false}"#, "?limit=5"),
        ("ITEMS", "?limit=6"),
        (#"{"items":ITEMS,"last_page":0}"#, ""),
        (#"{"items":ITEMS,"cursor":"c2Vjb25k","has_more":false}"#, ""),
        (#"{"items":ITEMS,"bookmark":"c2Vjb25k","limit":25}"#, ""),
        (#"{"items":ITEMS,"links":{"last":"/posts?page=1"}}"#, ""),
        (#"{"items":ITEMS,"nextSyncToken":"CAE","summary":{"total":900}}"#, ""),
        (#"{"items":ITEMS,"next_page":null}"#, "?limit=5"),
        (#"{"items":ITEMS,"next_cursor":0}"#, ""),
        (#"{"items":ITEMS,"next_cursor":"-1"}"#, ""),
        (#"{"items":ITEMS,"meta":{"total_count":43,"filter_count":5}}"#, ""),
        // Money, where a flag or null and the number of pages say that this is the end.
        (#"{"items":ITEMS,"total":1500,"pages":1,"has_more":false}"#, ""),
        (#"{"items":ITEMS,"total":1500,"pages":1,"next":null}"#, ""),
        (#"{"items":ITEMS,"summary":{"total":900,"count":100,"items":300}}"#, ""),
        (#"{"items":ITEMS,"order_total":12000,"post_total":900,"post_number":7781,"total_posts_sold":400}"#, ""),
        // Objects about something else.
        (#"{"posts":ITEMS,"metaphor":{"total":900},"pages_visited":{"total":900},"billingInfo":{"total":900}}"#, ""),
        // Names of the records that are spelled in another way.
        (#"{"posts":ITEMS,"total_post":900,"total_people":900}"#, ""),
        // The state of a job, or what comes next in life.
        (#"{"items":ITEMS,"status":{"done":false},"complete":false,"completed":false}"#, ""),
        (#"{"items":ITEMS,"next":{"title":"Conference","date":"2026-10-01"}}"#, ""),
        (#"{"items":ITEMS,"branch":{"name":"next","url":"/branches/next"}}"#, ""),
        (#"{"items":ITEMS,"links":{"next":{}}}"#, ""),
        (#"{"items":ITEMS,"next_cursor":null}"#, "?limit=5"),
        (#"{"items":ITEMS,"range":"1-5 of 5","pagination":"page 1 of 1"}"#, "?limit=5"),
        (#"{"items":ITEMS,"range":"2024-01/12","page":"a/b","results":5,"remaining":0,"eof":true}"#, ""),
        (#"{"items":ITEMS,"paging":{"from":1,"to":5,"of":5},"partial":false}"#, "?limit=5"),
        (#"{"items":ITEMS,"estimatedTotalHits":5,"hits":5,"cnt":5}"#, ""),
    ]

    @Test(arguments: honest)
    func `a page without more pages ends its listing`(_ envelope: String, _ query: String) async throws {
        var bench = try await ListingEndTests.bench()
        bench.resource.path = "/posts\(query)"
        if ["included", "facets", "links\":["].contains(where: envelope.contains) {
            bench.resource.records = JSONPath(member: "items")
        }
        bench.origin.set("/posts\(query)", ListingEndTests.answer(envelope, 1...5))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.warnings.isEmpty, "\(report.warnings)")
        #expect(try await bench.state().completedAt != nil)
        #expect(try await bench.state().incomplete == nil)
    }

    @Test func `records that come and go while a listing is read do not make it incomplete`() async throws {
        let bench = try await ListingEndTests.bench(paging: .nextURL(JSONPath(member: "next")))
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"total":10,"next":"/posts?page=2"}"#, 1...5))
        // Two came on the first page meanwhile.
        bench.origin.set("/posts?page=2", ListingEndTests.answer(#"{"items":ITEMS,"total":12}"#, 6...10))
        #expect(try await bench.sync().result.outcome == .saved)
        // Three left.
        bench.origin.set("/posts?page=2", ListingEndTests.answer(#"{"items":ITEMS,"total":7}"#, 6...7))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `an empty page whose flag marks the last ends a listing that names a next one`() async throws {
        let bench = try await ListingEndTests.bench()
        let first = #"{"items":ITEMS,"meta":{"has_more":true},"links":{"next":"/posts?page=2"}}"#
        bench.origin.set("/posts", ListingEndTests.answer(first, 1...5))
        bench.origin.set(
            "/posts?page=2", .text(#"{"items":[],"meta":{"has_more":false},"links":{"next":"/posts?page=3"}}"#))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test func `an estimate has no effect behind the first page`() async throws {
        let bench = try await ListingEndTests.bench(paging: .nextURL(JSONPath(member: "next")))
        bench.origin.set(
            "/posts", ListingEndTests.answer(#"{"items":ITEMS,"approximate_count":14,"next":"/posts?page=2"}"#, 1...5))
        bench.origin.set("/posts?page=2", ListingEndTests.answer(#"{"items":ITEMS,"approximate_count":14}"#, 6...10))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a header field of quotas has no effect`() async throws {
        let bench = try await ListingEndTests.bench()
        let fields = [
            ("X-Remaining", "995"), ("X-RateLimit-Remaining", "4999"), ("RateLimit", "limit=100, remaining=99"),
        ]
        bench.origin.set("/posts", ListingEndTests.answer("ITEMS", 1...5, fields + [("Accept-Ranges", "bytes")]))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a full last page behind others is the end`() async throws {
        let bench = try await ListingEndTests.bench(["per_page": 5])
        bench.origin.set(
            "/posts?per_page=5",
            ListingEndTests.answer("ITEMS", 1...5, [("Link", "</posts?page=2&per_page=5>; rel=next")]))
        bench.origin.set("/posts?page=2&per_page=5", ListingEndTests.answer("ITEMS", 6...10))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a declared single page is the operator's decision, unless missing records would be deleted`()
        async throws
    {
        var bench = try await ListingEndTests.bench(paging: .none)
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,"total":15}"#, 1...5))
        #expect(try await bench.sync().result.outcome == .partial)
        bench.resource.deletions = Deletions()
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `trust_end takes the end for the end`() async throws {
        var bench = try await ListingEndTests.bench()
        bench.resource.stop.trustsEnd = true
        bench.origin.set(
            "/posts", ListingEndTests.answer(#"{"items":ITEMS,"total":15,"has_more":true,"next":"x y"}"#, 1...5))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.state().completedAt != nil)
    }
}
