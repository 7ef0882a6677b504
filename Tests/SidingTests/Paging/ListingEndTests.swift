import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// A listing is complete only if nothing that the origin reports says otherwise.
@Suite struct ListingEndTests {
    /// Fifteen records, of which a page has five.
    private static let all = Array(1...15)

    static func records(_ ids: some Sequence<Int>) -> String {
        "[\(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]"
    }

    static func answer(
        _ envelope: String, _ ids: some Sequence<Int>, _ fields: [(String, String)] = []
    ) -> ScriptedAnswer {
        var all: HTTPFields = [.contentType: "application/json"]
        for (name, value) in fields { all[HTTPField.Name(name)!] = value }
        return .text(envelope.replacing("ITEMS", with: records(ids)), headerFields: all)
    }

    static func bench(_ query: [String: QueryValue] = [:], paging: Paging = .automatic) async throws
        -> EngineBench
    {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.query = query
        bench.resource.paging = paging
        bench.resource.deletions = Deletions(byAbsence: true, most: 1)
        return bench
    }

    /// Stores all records, then lists what `lie` answers three times: nothing may be deleted, and each report names a remedy.
    private func expectIncomplete(
        _ lie: ScriptedAnswer, at target: String = "/posts", _ bench: EngineBench, because words: String,
        remedy: String = "trust_end", location: SourceLocation = #_sourceLocation
    ) async throws {
        bench.origin.set(target, Self.answer(#"{"items":ITEMS}"#, Self.all))
        let first = try await bench.sync()
        #expect(first.line.outcome == .saved, "\(first.line.notes)", sourceLocation: location)
        let completed = try await bench.state().completedAt
        bench.origin.set(target, lie)
        for _ in 0..<4 {
            bench.time.advance(by: .seconds(60))
            let report = try await bench.sync()
            #expect(report.line.outcome == .partial, sourceLocation: location)
            #expect(report.line.counters.deleted == 0, sourceLocation: location)
            let warning = report.warnings.first { $0.hasPrefix("incomplete: ") } ?? ""
            #expect(warning.contains(words) && warning.contains(remedy), "\(warning)", sourceLocation: location)
        }
        #expect(try await bench.keys().count == 15, sourceLocation: location)
        #expect(try await bench.state().completedAt == completed, sourceLocation: location)
        #expect(try await bench.state().incomplete?.contains(words) == true, sourceLocation: location)
    }

    // MARK: Totals, pages and flags

    static let lies: [(envelope: String, words: String)] = [
        (#"{"items":ITEMS,"has_more":true}"#, "$.has_more reports more pages"),
        (#"{"items":ITEMS,"meta":{"hasNextPage":true}}"#, "$.meta.hasNextPage reports more pages"),
        (#"{"items":ITEMS,"is_last":false}"#, "$.is_last reports more pages"),
        (#"{"items":ITEMS,"done":false}"#, "$.done reports more pages"),
        (#"{"total":15,"items":ITEMS}"#, "5 of 15 records ($.total)"),
        (#"{"items":ITEMS,"total":"15"}"#, "5 of 15 records ($.total)"),
        (#"{"count":15,"items":ITEMS}"#, "5 of 15 records ($.count)"),
        (#"{"items":ITEMS,"total_count":15}"#, "5 of 15 records ($.total_count)"),
        (#"{"items":ITEMS,"totalCount":15}"#, "5 of 15 records ($.totalCount)"),
        (#"{"items":ITEMS,"@total_size":15}"#, #"5 of 15 records ($."@total_size")"#),
        (#"{"items":ITEMS,"@odata.count":15}"#, #"5 of 15 records ($."@odata.count")"#),
        (#"{"items":ITEMS,"meta":{"total":15}}"#, "5 of 15 records ($.meta.total)"),
        (#"{"items":ITEMS,"meta":{"count":15}}"#, "5 of 15 records ($.meta.count)"),
        (#"{"items":ITEMS,"meta":{"pagination":{"total":15}}}"#, "5 of 15 records ($.meta.pagination.total)"),
        (#"{"items":ITEMS,"page":{"totalElements":15,"totalPages":3,"number":0}}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"count":5,"total":15}"#, "5 of 15 records ($.total)"),
        (#"{"items":ITEMS,"pages":3}"#, "1 of 3 pages ($.pages)"),
        (#"{"items":ITEMS,"last_page":3}"#, "1 of 3 pages ($.last_page)"),
        (#"{"items":ITEMS,"result_info":{"page":1,"total_pages":3}}"#, "1 of 3 pages"),
        (#"{"items":ITEMS,"offset":0,"count":15}"#, "5 of 15 records ($.count)"),
        (
            #"{"items":ITEMS,"links":[{"rel":"self","href":"/posts"},{"rel":"next","href":"/posts?page=2"}]}"#,
            "names a next page (/posts?page=2)"
        ),
        (#"{"items":ITEMS,"total":-1,"has_more":true}"#, "$.has_more reports more pages"),
        (#"{"pagination":{"total":3,"totalElements":15},"items":ITEMS}"#, "5 of 15 records"),
        (#"{"facets":{FACETS},"items":ITEMS,"total":15}"#, "5 of 15 records ($.total)"),
        (#"{"items":ITEMS,"incomplete_results":true}"#, "$.incomplete_results reports more"),
        (#"{"items":ITEMS,"links":{"last":"/posts?page=3"}}"#, "1 of 3 pages ($.links.last)"),
        (#"{"items":ITEMS,"page":1,"of":3}"#, "1 of 3 pages ($.of)"),
        (#"{"items":ITEMS,"hasMore":1}"#, "$.hasMore reports more pages"),
        (#"{"items":ITEMS,"total":{"count":15}}"#, "5 of 15 records ($.total.count)"),
        (#"{"items":ITEMS,"numberMatched":"15"}"#, "5 of 15 records ($.numberMatched)"),
        (#"{"items":ITEMS,"offset":"itr12/rec34"}"#, "$.offset names a next page (itr12/rec34)"),
        (#"{"items":ITEMS,"cursor":"c2Vjb25k"}"#, "$.cursor names a next page (c2Vjb25k)"),
        (#"{"items":ITEMS,"LastEvaluatedKey":{"id":{"S":"5"}}}"#, "LastEvaluatedKey.id.S names a next page (5)"),
        (#"{"items":ITEMS,"@links":{"next":[{"uri":"/posts?page=2"}]}}"#, "names a next page (/posts?page=2)"),
    ]

    @Test("a listing that stops short of what the page reports is incomplete, and deletes nothing", arguments: lies)
    func lying(_ envelope: String, _ words: String) async throws {
        let facets = (1...300).map { #""brand \#($0)":{"n":\#($0)}"# }.joined(separator: ",")
        let answer = Self.answer(envelope.replacing("FACETS", with: facets), 1...5)
        var bench = try await Self.bench()
        if envelope.contains("links\":[") { bench.resource.records = JSONPath(member: "items") }
        try await expectIncomplete(answer, bench, because: words)
    }

    @Test(
        "a listing that stops short of what a header field reports is incomplete",
        arguments: [
            ("X-Total-Count", "15", "5 of 15 records"), ("X-WP-Total", "15", "5 of 15 records"),
            ("X-WP-TotalPages", "3", "1 of 3 pages"), ("X-Total-Pages", "3", "1 of 3 pages"),
            ("Link", "</posts?page=3>; rel=last", "1 of 3 pages"),
            ("X-Next-Cursor", "YWJj", "names a next page (YWJj)"),
            ("X-Pagination", #"{"TotalCount":15}"#, "5 of 15 records (X-Pagination.TotalCount)"),
            ("Content-Range", "items 0-4/15", "5 of 15 records"), ("Total-Records", "15", "5 of 15 records"),
        ])
    func fields(_ name: String, _ value: String, _ words: String) async throws {
        try await expectIncomplete(Self.answer("ITEMS", 1...5, [(name, value)]), Self.bench(), because: words)
    }

    @Test(
        "a single page as full as was asked for shows only that there may be more",
        arguments: ["per_page", "limit", "size", "pageSize"])
    func full(_ name: String) async throws {
        // A `count` of the page itself is no word on the others.
        for envelope in ["ITEMS", #"{"items":ITEMS,"count":5}"#, #"{"items":ITEMS,"meta":{"count":5}}"#] {
            try await expectIncomplete(
                Self.answer(envelope, 1...5), at: "/posts?\(name)=5", Self.bench([name: 5]),
                because: "page 1 is full")
        }
    }

    /// The origin's maximum, what its pages have around the records, and how many records of how many it leads to.
    @Test(
        "pages that an origin cuts below the declared size are read to their end",
        arguments: [
            (10, "ITEMS", 35, 35), (50, "ITEMS", 90, 90), (20, "ITEMS", 80, 80), (25, #"{"items":ITEMS}"#, 50, 50),
            // Other maxima are known where the origin reports its page size.
            (7, #"{"items":ITEMS,"page":1,"per_page":7}"#, 15, 15), (7, "ITEMS", 15, 7),
            // A listing that fits into one page, and one whose extent is known, cost no further request.
            (50, "ITEMS", 49, 49), (50, #"{"items":ITEMS,"total":50}"#, 50, 50),
            (50, #"{"items":ITEMS,"has_more":false}"#, 50, 50),
        ])
    func cut(_ most: Int, _ envelope: String, _ count: Int, _ kept: Int) async throws {
        for paging in [Paging.page(.init(sizeParameter: "size", size: 500)), .offset(.init(limit: 500))] {
            let bench = try await Self.bench(paging: paging)
            for start in stride(from: 0, through: count, by: most) {
                let ids = Array(start..<min(start + most, count))
                let (page, answer) = (start / most + 1, Self.answer(envelope, ids))
                let first = ["page=1&size=500", "offset=0&limit=500"]
                for target in start == 0 ? first : ["size=500&page=\(page)", "limit=500&offset=\(start)"] {
                    bench.origin.set("/posts?\(target)", answer)
                }
            }
            let report = try await bench.sync()
            #expect(report.line.outcome == .saved, "\(report.line.notes)")
            #expect(try await bench.keys().count == kept)
            let isKnown = count < most || envelope.contains("total") || envelope.contains("has_more")
            #expect(report.line.counters.requests == (isKnown || kept < count ? 1 : (count + most) / most))
        }
    }

    @Test func `totals beside the records of a deeper list count`() async throws {
        var bench = try await Self.bench()
        bench.resource.records = try JSONPath(parsing: "$.data.posts.nodes[*]")
        bench.origin.set(
            "/posts", Self.answer(#"{"data":{"posts":{"nodes":ITEMS,"pageInfo":{"hasNextPage":true}}}}"#, 1...5))
        #expect(try await bench.sync().warnings.first?.contains("pageInfo.hasNextPage reports more") == true)
        bench.origin.set("/posts", Self.answer(#"{"data":{"posts":{"totalCount":15,"nodes":ITEMS}}}"#, 1...5))
        #expect(try await bench.sync().warnings.first?.contains("5 of 15 records") == true)
    }

    // MARK: Next pages that cannot be read

    @Test(
        "under auto a next page that cannot be read does not end the listing",
        arguments: [
            #""file:///etc/passwd""#, #""items page 2""#, "true", "7.5", "2", #""abc""#, #"{"page":2}"#,
            #"{"href":"items page 2"}"#, #"["/posts?page=2"]"#, #""/posts{?page}""#,
            #"{"href":"/posts?page=2{&size,sort*}","templated":true}"#,
        ])
    func unreadable(_ next: String) async throws {
        for member in [#""next":\#(next)"#, #""links":{"next":\#(next)}"#] {
            var bench = try await Self.bench()
            bench.resource.records = JSONPath(member: "items")
            try await expectIncomplete(
                Self.answer(#"{"items":ITEMS,\#(member)}"#, 1...5), bench, because: "names a next page")
        }
    }

    @Test(
        "under a declared next_url a value that is no URL does not end the listing",
        arguments: ["true", "7.5", "2", #"{"page":2}"#, #"["/posts?page=2"]"#, #""/posts{?page}""#])
    func declared(_ next: String) async throws {
        var bench = try await Self.bench(paging: .nextURL(JSONPath(member: "more_at")))
        bench.resource.records = JSONPath(member: "items")
        try await expectIncomplete(
            Self.answer(#"{"items":ITEMS,"more_at":\#(next)}"#, 1...5), bench, because: "$.more_at leads to no page")
    }

    @Test(
        "a Link field that cannot be read does not end the listing",
        arguments: [#"</posts?p=2; rel="next""#, #"/posts?p=2; rel="next""#, "</posts?p=2; rel='next'"])
    func brokenLink(_ field: String) async throws {
        for paging in [Paging.automatic, .linkHeader] {
            try await expectIncomplete(
                Self.answer("ITEMS", 1...5, [("Link", field)]), Self.bench(paging: paging), because: "the Link field")
        }
    }

    @Test(
        "an object with a URL is read as that URL",
        arguments: [
            #""next":{"href":"/posts?page=2"}"#, #""links":{"next":{"href":"/posts?page=2"}}"#,
            #""_links":{"next":{"href":"/posts?page=2"}}"#, #""paging":{"next":{"url":"/posts?page=2"}}"#,
        ])
    func objects(_ member: String) async throws {
        let bench = try await Self.bench()
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,\#(member)}"#, 1...5))
        bench.origin.set("/posts?page=2", Self.answer(#"{"items":ITEMS,"next":{"href":null}}"#, 6...15))
        #expect(try await bench.sync().line.outcome == .saved)
        #expect(try await bench.keys().count == 15)
    }

    // MARK: Declared paging

    @Test func `a listing whose last link is missing is incomplete where its total says more`() async throws {
        let bench = try await Self.bench(paging: .nextURL(try JSONPath(parsing: "$.links.next")))
        bench.origin.set(
            "/posts", Self.answer(#"{"items":ITEMS,"links":{"next":"/posts?page=2"},"meta":{"total":15}}"#, 1...5))
        bench.origin.set("/posts?page=2", Self.answer(#"{"items":ITEMS,"links":{},"meta":{"total":15}}"#, 6...10))
        let report = try await bench.sync()
        #expect(report.line.outcome == .partial)
        #expect(try await bench.state().incomplete == "10 of 15 records ($.meta.total)")
        #expect(try await bench.state().completedAt == nil)
    }

    @Test func `a total that only the first page reports counts in each listing, and on no empty page`() async throws {
        let bench = try await Self.bench(paging: .nextURL(JSONPath(member: "next")))
        let first = Self.answer(#"{"items":ITEMS,"next":"/posts?page=2","total":15}"#, 1...5, [("ETag", "\"a\"")])
        bench.origin.set("/posts", first)
        bench.origin.set("/posts?page=2", Self.answer(#"{"items":ITEMS,"total":0}"#, 6...10))
        for _ in 0..<3 {
            #expect(try await bench.sync().line.outcome == .partial)
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
        let bench = try await Self.bench()
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS}"#, 1...5))
        #expect(try await bench.sync(options).line.outcome == .saved)
        #expect(try await bench.sync(options).line.outcome == .skipped)
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":15}"#, 1...5))
        #expect(try await bench.sync().line.outcome == .partial)
        #expect(try await bench.sync(options).line.outcome == .partial)
    }

    @Test func `the cursor of an incomplete listing stays`() async throws {
        var bench = try await Self.bench(["since": "{cursor}"])
        bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "id")), type: .integer)
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"has_more":true}"#, 1...5))
        #expect(try await bench.sync().line.outcome == .partial)
        #expect(try await bench.store.cursor(of: "posts") == nil)
    }

    @Test func `a 304 beside a total that says more asks for all pages whole the next time`() async throws {
        let bench = try await Self.bench(paging: .nextURL(JSONPath(member: "next")))
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":10,"next":"/posts?page=2"}"#, 1...5))
        bench.origin.set("/posts?page=2", Self.answer(#"{"items":ITEMS}"#, 6...10, [("ETag", "\"a\"")]))
        #expect(try await bench.sync().line.outcome == .saved)
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":11,"next":"/posts?page=2"}"#, 1...5))
        bench.origin.set(
            "/posts?page=2", .status(.notModified), Self.answer(#"{"items":ITEMS}"#, 6...11, [("ETag", "\"a\"")]))
        #expect(try await bench.sync().line.outcome == .partial)
        #expect(try await bench.sync().line.outcome == .saved)
        #expect(try await bench.keys().count == 11)
    }

    @Test func `a listing whose first page lost its next page does not count as evidence of deletions`() async throws {
        var bench = try await Self.bench(paging: .linkHeader)
        bench.resource.isStable = true
        let link = ("Link", #"</posts?page=2>; rel="next""#)
        bench.origin.set("/posts", Self.answer("ITEMS", 1...5, [link]))
        bench.origin.set("/posts?page=2", Self.answer("ITEMS", 6...9))
        for _ in 0..<2 { _ = try await bench.sync() }
        bench.origin.set("/posts", Self.answer("ITEMS", 1...5))
        let report = try await bench.sync()
        #expect(report.line.outcome == .saved && report.line.counters.deleted == 0)
        #expect(try await bench.sync().line.counters.deleted == 4)
    }
}
