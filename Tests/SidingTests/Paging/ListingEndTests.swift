// SPDX-License-Identifier: Apache-2.0
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
    static let all = Array(1...15)

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
    static let whole: [(String, String)] = [("Link", "</posts>; rel=first"), ("X-More", "")]

    /// Stores all records, then lists what `lie` answers three times: nothing may be deleted, and each report names a remedy.
    static func expectIncomplete(
        _ lie: ScriptedAnswer, at target: String = "/posts", _ bench: EngineBench, because words: String,
        remedy: String = "trust_end", location: SourceLocation = #_sourceLocation
    ) async throws {
        bench.origin.set(target, answer(#"{"items":ITEMS,"next":null}"#, all, whole))
        let first = try await bench.sync()
        #expect(first.result.outcome == .saved, "\(first.result.notes)", sourceLocation: location)
        let completed = try await bench.state().completedAt
        bench.origin.set(target, lie)
        for _ in 0..<4 {
            bench.time.advance(by: .seconds(60))
            let report = try await bench.sync()
            #expect(report.result.outcome == .partial, sourceLocation: location)
            #expect(report.result.counters.deleted == 0, sourceLocation: location)
            let warning = report.warnings.first { $0.hasPrefix("incomplete: ") } ?? ""
            #expect(warning.contains(words) && warning.contains(remedy), "\(warning)", sourceLocation: location)
        }
        #expect(try await bench.keys().count == 15, sourceLocation: location)
        #expect(try await bench.state().completedAt == completed, sourceLocation: location)
        #expect(try await bench.state().incomplete?.contains(words) == true, sourceLocation: location)
    }

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
        (#"{"items":ITEMS,"total":99999999999999999999999}"#, "5 of 9,223,372,036,854,775,807 records"),
        (#"{"items":ITEMS,"total":" 15 "}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"total":"15 items"}"#, "5 of 15 records"),
        (#"{"items":ITEMS,"range":"1-5 of 15"}"#, "5 of 15 records ($.range)"),
        (#"{"items":ITEMS,"pagination":"page 1 of 3"}"#, "1 of 3 pages ($.pagination)"),
        (#"{"items":ITEMS,"paging":{"from":1,"to":5,"of":15}}"#, "5 of 15 records ($.paging.of)"),
        (#"{"items":ITEMS,"remaining":10}"#, "$.remaining reports more pages"),
        (#"{"items":ITEMS,"hasAdditional":true}"#, "$.hasAdditional reports more pages"),
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

    @Test(arguments: lies)
    func `a listing that stops short of what the page reports is incomplete, and deletes nothing`(
        _ envelope: String, _ words: String
    ) async throws {
        let facets = (1...300).map { #""brand \#($0)":{"n":\#($0)}"# }.joined(separator: ",")
        let answer = Self.answer(envelope.replacing("FACETS", with: facets), 1...5)
        var bench = try await Self.bench()
        if envelope.contains("link\":[") || envelope.contains("links\":[") {
            bench.resource.records = JSONPath(member: "items")
        }
        try await Self.expectIncomplete(answer, bench, because: words)
    }

    @Test(arguments: [
        (#"[{"page":1,"pages":3,"per_page":"5","total":15},ITEMS]"#, "$[1][*]"),
        (#"[{"next":"/posts?page=2"},ITEMS]"#, "$[1]"),
        (#"{"top":{"track":ITEMS,"@attr":{"page":"1","totalPages":"3","total":"15"}}}"#, "$.top.track[*]"),
        (#"{"top":{"track":ITEMS,"$":{"total":"15"}}}"#, "$.top.track[*]"),
        (#"{"search-results":{"entry":ITEMS,"opensearch:totalResults":"15"}}"#, #"$."search-results".entry[*]"#),
        (
            #"{"data":{"repository":{"issues":{"nodes":ITEMS}},"issueCount":15}}"#,
            "$.data.repository.issues.nodes[*]"
        ),
        (#"{"boxes":ITEMS,"total_boxes":15}"#, "$.boxes[*]"),
        (#"{"pull_requests":ITEMS,"total_pull_requests":15}"#, "$.pull_requests[*]"),
        (#"{"releases":ITEMS,"release-count":15,"release-offset":0}"#, "$.releases[*]"),
        (#"{"categories":ITEMS,"categoriescount":15}"#, "$.categories[*]"),
    ])
    func `fields beside the records of a deeper list count`(_ envelope: String, _ path: String) async throws {
        var bench = try await Self.bench()
        bench.resource.records = try JSONPath(parsing: path)
        bench.origin.set("/posts", Self.answer(envelope, 1...5))
        let report = try await bench.sync()
        #expect(report.result.outcome == .partial, "\(report.result.notes)")
    }

    @Test(arguments: [
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
    func `a listing that stops short of what a header field reports is incomplete`(
        _ name: String, _ value: String, _ words: String
    ) async throws {
        try await Self.expectIncomplete(Self.answer("ITEMS", 1...5, [(name, value)]), Self.bench(), because: words)
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
}
