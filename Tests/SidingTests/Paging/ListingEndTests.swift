import HTTPTypes
import SidingChain
import SidingJSON
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
            #"{"href":"items page 2"}"#, #"["/posts?page=2"]"#,
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
        arguments: ["true", "7.5", "2", #"{"page":2}"#, #"["/posts?page=2"]"#])
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

    // MARK: Healthy answers

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
    ]

    @Test("a page that reports no more ends its listing", arguments: honest)
    func telling(_ envelope: String, _ query: String) async throws {
        var bench = try await Self.bench()
        bench.resource.path = "/posts\(query)"
        if ["included", "facets", "links\":["].contains(where: envelope.contains) {
            bench.resource.records = JSONPath(member: "items")
        }
        bench.origin.set("/posts\(query)", Self.answer(envelope, 1...5))
        let report = try await bench.sync()
        #expect(report.line.outcome == .saved && report.warnings.isEmpty, "\(report.warnings)")
        #expect(try await bench.state().completedAt != nil)
        #expect(try await bench.state().incomplete == nil)
    }

    @Test func `records that come and go while a listing is read do not make it incomplete`() async throws {
        let bench = try await Self.bench(paging: .nextURL(JSONPath(member: "next")))
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":10,"next":"/posts?page=2"}"#, 1...5))
        // Two came on the first page meanwhile.
        bench.origin.set("/posts?page=2", Self.answer(#"{"items":ITEMS,"total":12}"#, 6...10))
        #expect(try await bench.sync().line.outcome == .saved)
        // Three left.
        bench.origin.set("/posts?page=2", Self.answer(#"{"items":ITEMS,"total":7}"#, 6...7))
        #expect(try await bench.sync().line.outcome == .saved)
    }

    @Test func `a full last page behind others is the end`() async throws {
        let bench = try await Self.bench(["per_page": 5])
        bench.origin.set(
            "/posts?per_page=5", Self.answer("ITEMS", 1...5, [("Link", "</posts?page=2&per_page=5>; rel=next")]))
        bench.origin.set("/posts?page=2&per_page=5", Self.answer("ITEMS", 6...10))
        #expect(try await bench.sync().line.outcome == .saved)
    }

    @Test func `a declared single page is the user's word, unless absence would delete`() async throws {
        var bench = try await Self.bench(paging: .none)
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":15}"#, 1...5))
        #expect(try await bench.sync().line.outcome == .partial)
        bench.resource.deletions = Deletions()
        #expect(try await bench.sync().line.outcome == .saved)
    }

    @Test func `trust_end takes the end for the end`() async throws {
        var bench = try await Self.bench()
        bench.resource.stop.trustsEnd = true
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":15,"has_more":true,"next":"x y"}"#, 1...5))
        #expect(try await bench.sync().line.outcome == .saved)
        #expect(try await bench.state().completedAt != nil)
    }

    // MARK: What to declare

    @Test(
        "the message has the line to add",
        arguments: [
            (
                #"{"items":ITEMS,"total":15,"page":1}"#, "?per_page=5",
                "paginate: { type: page, param: page, size_param: per_page, size: 5 }"
            ),
            (
                #"{"items":ITEMS,"total":15,"offset":0}"#, "?limit=5",
                "paginate: { type: offset, param: offset, limit_param: limit, limit: 5 }"
            ),
            (
                #"{"items":ITEMS,"data":{"@links":{"next":[{"uri":"/posts?page=2"}]}}}"#, "",
                #"paginate: { type: next_url, path: '$.data."@links".next[0].uri' }"#
            ),
            (#"{"items":ITEMS,"next_page":2}"#, "", "paginate: { type: page, param: page }"),
        ])
    func suggestions(_ envelope: String, _ query: String, _ line: String) async throws {
        var bench = try await Self.bench()
        bench.resource.path = "/posts\(query)"
        bench.resource.records = JSONPath(member: "items")
        bench.origin.set("/posts\(query)", Self.answer(envelope, 1...5))
        let warning = try await bench.sync().warnings.first ?? ""
        #expect(warning.contains(line), "\(warning)")
    }
}
