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

    /// Lists all records, as the paging in question ends.
    private static let whole: [(String, String)] = [("Link", "</posts>; rel=first"), ("X-More", "")]

    /// Stores all records, then lists what `lie` answers three times: nothing may be deleted, and each report names a remedy.
    private func expectIncomplete(
        _ lie: ScriptedAnswer, at target: String = "/posts", _ bench: EngineBench, because words: String,
        remedy: String = "trust_end", location: SourceLocation = #_sourceLocation
    ) async throws {
        bench.origin.set(target, Self.answer(#"{"items":ITEMS,"next":null}"#, Self.all, Self.whole))
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
        // Named after the records.
        (#"{"posts":ITEMS,"totalPosts":15}"#, "5 of 15 records ($.totalPosts)"),
        (#"{"items":ITEMS,"post_count":15}"#, "5 of 15 records ($.post_count)"),
        (#"{"items":ITEMS,"meta":{"total_posts":15}}"#, "5 of 15 records ($.meta.total_posts)"),
        (#"{"items":ITEMS,"hasMorePosts":true}"#, "$.hasMorePosts reports more pages"),
        (#"{"items":ITEMS,"hydra:totalItems":15}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"hydra:view":{"hydra:next":"/posts?page=2"}}"#, "names a next page (/posts?page=2)"),
        (#"{"items":ITEMS,"@attr":{"totalPages":"3","total":"15"}}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"meta":{"api":{"v1":{"pagination":{"total":15}}}}}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"total":99999999999999999999999}"#, "5 of 9223372036854775807 records"),
        (#"{"items":ITEMS,"total":" 15 "}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"total":"15 items"}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"range":"1-5 of 15"}"#, "5 of 15 records ($.range)"),
        (#"{"items":ITEMS,"pagination":"page 1 of 3"}"#, "1 of 3 pages ($.pagination)"),
        (#"{"items":ITEMS,"paging":{"from":1,"to":5,"of":15}}"#, "5 of 15 records ($.paging.of)"),
        (#"{"items":ITEMS,"remaining":10}"#, "$.remaining reports more pages"),
        (#"{"items":ITEMS,"hasAdditional":true}"#, "$.hasAdditional reports more pages"),
        (#"{"items":ITEMS,"partial":true}"#, "$.partial reports more pages"),
        (#"{"items":ITEMS,"eof":false}"#, "$.eof reports more pages"),
        (#"{"items":ITEMS,"nextSince":"12345"}"#, "$.nextSince names a next page (12345)"),
        (#"{"items":ITEMS,"cnt":15}"#, "5 of 15 records ($.cnt)"),
        (#"{"items":ITEMS,"resultSize":15}"#, "5 of 15 records ($.resultSize)"),
        (#"{"items":ITEMS,"meta":{"hits":15}}"#, "5 of 15 records ($.meta.hits)"),
        (#"{"items":ITEMS,"estimatedTotalHits":15}"#, "5 of 15 records ($.estimatedTotalHits)"),
        (
            #"{"items":ITEMS,"additional_data":{"pagination":{"more_items_in_collection":true}}}"#,
            "more_items_in_collection reports more pages"
        ),
        (
            #"{"items":ITEMS,"links":[{"@ref":"self","@href":"/posts"},{"@ref":"next","@href":"/posts?page=2"}]}"#,
            "names a next page (/posts?page=2)"
        ),
        (#"{"items":ITEMS,"links":[{"name":"next","href":"/posts?page=2"}]}"#, "names a next page (/posts?page=2)"),
        (#"{"items":ITEMS,"links":[{"type":"Next","url":"/posts?page=2"}]}"#, "names a next page (/posts?page=2)"),
        (#"{"items":ITEMS,"link":[{"rel":["next"],"href":"/posts?page=2"}]}"#, "names a next page (/posts?page=2)"),
        (#"{"items":ITEMS,"links":{"next":{"foo":"bar"}}}"#, "$.links.next leads to no page: it is an object"),
        (#"{"items":ITEMS,"total":15,"has_more":false}"#, "5 of 15 records ($.total)"),
        (#"{"items":ITEMS,"total":15,"pages":3,"has_more":false}"#, "5 of 15 records ($.total)"),
    ]

    @Test("a listing that stops short of what the page reports is incomplete, and deletes nothing", arguments: lies)
    func lying(_ envelope: String, _ words: String) async throws {
        let facets = (1...300).map { #""brand \#($0)":{"n":\#($0)}"# }.joined(separator: ",")
        let answer = Self.answer(envelope.replacing("FACETS", with: facets), 1...5)
        var bench = try await Self.bench()
        if envelope.contains("link\":[") || envelope.contains("links\":[") {
            bench.resource.records = JSONPath(member: "items")
        }
        try await expectIncomplete(answer, bench, because: words)
    }

    @Test(
        "what stands beside the records of a deeper list counts",
        arguments: [
            (#"[{"page":1,"pages":3,"per_page":"5","total":15},ITEMS]"#, "$[1][*]"),
            (#"[{"next":"/posts?page=2"},ITEMS]"#, "$[1]"),
            (#"{"top":{"track":ITEMS,"@attr":{"page":"1","totalPages":"3","total":"15"}}}"#, "$.top.track[*]"),
            (#"{"top":{"track":ITEMS,"$":{"total":"15"}}}"#, "$.top.track[*]"),
            (#"{"search-results":{"entry":ITEMS,"opensearch:totalResults":"15"}}"#, #"$."search-results".entry[*]"#),
            (
                #"{"data":{"repository":{"issues":{"nodes":ITEMS}},"issueCount":15}}"#,
                "$.data.repository.issues.nodes[*]"
            ),
            (#"{"releases":ITEMS,"release-count":15,"release-offset":0}"#, "$.releases[*]"),
            (#"{"boxes":ITEMS,"total_boxes":15}"#, "$.boxes[*]"),
            (#"{"people":ITEMS,"totalPeople":15}"#, "$.people[*]"),
            (#"{"pull_requests":ITEMS,"total_pull_requests":15}"#, "$.pull_requests[*]"),
            (#"{"categories":ITEMS,"categorycount":15}"#, "$.categories[*]"),
        ])
    func beside(_ envelope: String, _ path: String) async throws {
        var bench = try await Self.bench()
        bench.resource.records = try JSONPath(parsing: path)
        bench.origin.set("/posts", Self.answer(envelope, 1...5))
        let report = try await bench.sync()
        #expect(report.line.outcome == .partial, "\(report.line.notes)")
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
            ("X-Content-Range", "items 0-4/15", "5 of 15 records"), ("Range", "0-4/15", "5 of 15 records"),
            ("X-Paging", #"{"total":15}"#, "5 of 15 records (X-Paging.total)"),
            ("Pagination", #"page=1, total="15""#, "5 of 15 records (Pagination.total)"),
            ("X-Total-Posts", "15", "5 of 15 records"), ("X-Has-More", "yes", "X-Has-More reports more"),
        ])
    func fields(_ name: String, _ value: String, _ words: String) async throws {
        try await expectIncomplete(Self.answer("ITEMS", 1...5, [(name, value)]), Self.bench(), because: words)
    }

    @Test(
        "a single page as full as was asked for shows only that there may be more",
        arguments: [
            "per_page", "limit", "size", "pageSize", "first", "n", "num", "max", "length", "rpp", "batch_size",
            "offset_limit",
            "filter[limit]",
        ])
    func full(_ name: String) async throws {
        // A `count` of the page itself is no word on the others.
        for envelope in ["ITEMS", #"{"items":ITEMS,"count":5}"#, #"{"items":ITEMS,"meta":{"count":5}}"#] {
            try await expectIncomplete(
                Self.answer(envelope, 1...5), at: Self.target(name), Self.bench([name: 5]),
                because: "page 1 is full")
        }
    }

    private static func target(_ name: String) -> String {
        "/posts?\(name.replacing("[", with: "%5B").replacing("]", with: "%5D"))=5"
    }

    private static let more = HTTPField.Name("X-More")!
    private static let pagings: [Paging] = [
        .none, .nextURL(JSONPath(member: "next")), .nextURL(nil), .cursor(JSONPath(member: "next"), parameter: "c"),
        .linkHeader, .headerCursor(more, parameter: "c"), .nextHeader(more),
    ]

    @Test(
        "a full page where the declared place of the next one is missing altogether is not the end", arguments: pagings)
    func fullDeclared(_ paging: Paging) async throws {
        let page = Self.answer(#"{"items":ITEMS}"#, 1...5)
        try await expectIncomplete(
            page, at: "/posts?per_page=5", Self.bench(["per_page": 5], paging: paging), because: "is full")
    }

    @Test(
        "a full page where the declared place says that there is no next one is the end", arguments: pagings.dropFirst()
    )
    func emptyDeclared(_ paging: Paging) async throws {
        for end in ["null", "\"\"", "false"] {
            let bench = try await Self.bench(["per_page": 5], paging: paging)
            let page = Self.answer(#"{"items":ITEMS,"next":\#(end)}"#, 1...5, Self.whole + [("ETag", "\"a\"")])
            bench.origin.set("/posts?per_page=5", page, .status(.notModified), page)
            for _ in 0..<2 { #expect(try await bench.sync().warnings == [], "\(end)") }
            #expect(try await bench.state().incomplete == nil)
        }
    }

    @Test func `the size in the body of a search counts as one in the query`() async throws {
        for body in [["limit": 5], ["variables": ["first": 5]]] as [[String: QueryValue]] {
            var bench = try await Self.bench(paging: .cursor(JSONPath(member: "next"), parameter: "c"))
            (bench.resource.method, bench.resource.body) = (.post, SearchBody(body))
            bench.origin.set("/posts", Self.answer(#"{"items":ITEMS}"#, 1...5))
            #expect(try await bench.sync().warnings.first?.hasPrefix("incomplete: page 1 is full") == true, "\(body)")
        }
    }

    /// The origin's maximum, what its pages have around the records, how many records there are, and how many requests lead to
    /// their end.
    @Test(
        "pages that an origin cuts below the declared size are read to their end",
        arguments: [
            (10, "ITEMS", 35, 4), (50, "ITEMS", 90, 2), (20, "ITEMS", 80, 5), (25, #"{"items":ITEMS}"#, 50, 3),
            (40, "ITEMS", 95, 3), (60, "ITEMS", 60, 2), (75, "ITEMS", 90, 2), (15, "ITEMS", 40, 3),
            (99, "ITEMS", 99, 2),
            (7, #"{"items":ITEMS,"page":1,"per_page":7}"#, 15, 3), (40, #"{"items":ITEMS,"total":95}"#, 95, 3),
            // A single page may be as long as the origin's maximum.
            (50, "ITEMS", 49, 2), (50, "ITEMS", 0, 1),
            // A listing whose extent is known costs no further request.
            (50, #"{"items":ITEMS,"total":50}"#, 50, 1), (50, #"{"items":ITEMS,"pages":1}"#, 49, 1),
            (50, #"{"items":ITEMS,"has_more":false}"#, 50, 1),
        ])
    func cut(_ most: Int, _ envelope: String, _ count: Int, _ requests: Int) async throws {
        for paging in [Paging.page(.init(sizeParameter: "size", size: 500)), .offset(.init(limit: 500))] {
            let bench = try await Self.bench(paging: paging)
            let starts = Array(stride(from: 0, to: count, by: most)) + [count]
            for (index, start) in starts.enumerated() {
                let answer = Self.answer(envelope, Array(start..<min(start + most, count)))
                let first = ["page=1&size=500", "offset=0&limit=500"]
                for target in start == 0 ? first : ["size=500&page=\(index + 1)", "limit=500&offset=\(start)"] {
                    bench.origin.set("/posts?\(target)", answer)
                }
            }
            let report = try await bench.sync()
            #expect(report.line.outcome == .saved, "\(report.line.notes)")
            #expect(try await bench.keys().count == min(count, 99))
            #expect(report.line.counters.requests == requests)
        }
    }

    @Test func `where earlier pages had links, a short page without one is the end of numbered pages`() async throws {
        let bench = try await Self.bench(paging: .page(.init(size: 20)))
        bench.origin.set("/posts?page=1", Self.answer("ITEMS", 1...5, [("Link", "</posts?page=2>; rel=next")]))
        bench.origin.set("/posts?page=2", Self.answer("ITEMS", 6...10))
        #expect(try await bench.sync().line.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=1", "/posts?page=2"])
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
        arguments: [
            #"</posts?p=2; rel="next""#, #"/posts?p=2; rel="next""#, "</posts?p=2; rel='next'", "rel=next; /posts?p=2",
        ])
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
