// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import SidingPaging

/// Origins spell the same thing in many ways: each class of names is found in all spellings, places and kinds of values.
@Suite struct ListingExtentTests {
    /// `total count` as `totalCount`, `TotalCount`, `total_count`, `total-count`, `totalcount`, `TOTAL_COUNT`.
    private static func spellings(of words: String) -> [String] {
        let words = words.split(separator: " ").map(String.init)
        let capitals = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return [
            words[0] + capitals.dropFirst().joined(), capitals.joined(), words.joined(separator: "_"),
            words.joined(separator: "-"), words.joined(), words.joined(separator: "_").uppercased(),
        ]
    }

    private static let containers: [[String]] = [
        [], ["meta"], ["_meta"], ["pagination"], ["paging"], ["page_info"], ["meta", "pagination"],
        ["response", "pageInfo"],
        ["resultSet"], ["listInfo"], ["metaInfo"], ["searchInformation"], ["page_status"], ["resultsMeta"],
        ["search_results_metadata"], ["response", "collectionMetaData"],
    ]

    private static func extent(
        _ members: [(path: [String], value: EnvelopeScalar)], _ fields: [String: String] = [:],
        at url: String = "/items"
    ) throws -> ListingExtent {
        var all: HTTPFields = [:]
        for (name, value) in fields { all[try #require(HTTPField.Name(name))] = value }
        var answer = PageAnswer(
            headerFields: all, recordCount: 5, envelope: [:], url: try HTTPURL("http://127.0.0.1:8000\(url)"))
        answer.surroundings = members.map { (JSONPath(members: $0.path), $0.value) }
        return ListingExtent(answer, recordsAt: JSONPath(member: "items"))
    }

    /// Calls `check` for each spelling of each name in each container.
    private static func forAll(_ names: [String], _ check: ([String], String) throws -> Void) throws {
        for words in names {
            for name in spellings(of: words) {
                for container in containers { try check(container + [name], words) }
            }
        }
    }

    private static let totals = [
        "total", "total count", "total records", "total results", "total items", "total rows", "total elements",
        "total hits", "total size", "total entries", "total objects", "num found", "nb hits", "number of results",
        "number matched", "available count", "count all", "records total", "total docs", "matched", "total matches",
        "item count", "result count", "found", "total filtered", "filtered count", "total of all", "filter count",
    ]
    private static let pages = [
        "pages", "last page", "total pages", "page count", "num pages", "nb pages", "total page count", "pages total",
        "number of pages", "max page",
    ]

    @Test func `a total is found in all spellings, places and kinds of numbers`() throws {
        let values: [EnvelopeScalar] = [
            .number("1500"), .number("1500.0"), .number("1.5e3"), .text("1500"), .text("1,500"), .text("1 500"),
        ]
        try Self.forAll(Self.totals) { path, words in
            for value in values {
                let extent = try Self.extent([(path, value)])
                #expect(extent.total?.count == 1500 && extent.pages == nil, "\(path) \(value)")
            }
        }
        for path in [
            ["total", "count"], ["hits", "total", "value"], ["meta", "range", "total"], ["@odata.count"],
            ["status", "total_count"],
        ] {
            #expect(try Self.extent([(path, .number("150"))]).total?.count == 150, "\(path)")
        }
    }

    @Test func `a number of pages is found in all spellings`() throws {
        try Self.forAll(Self.pages) { path, _ in
            let extent = try Self.extent([(path, .number("30"))])
            #expect(extent.pages?.count == 30 && extent.total == nil, "\(path)")
        }
        #expect(try Self.extent([(["pages", "total"], .number("3"))]).pages?.count == 3)
        #expect(try Self.extent([(["page"], .number("1")), (["of"], .number("3"))]).pages?.count == 3)
        for last in [
            "/items?page=3", "/items?page%5Bnumber%5D=3&page%5Bsize%5D=5", "https://example.com/items?p=1&pageNumber=3",
        ] {
            #expect(try Self.extent([(["links", "last"], .text(last))]).pages?.count == 3, "\(last)")
            #expect(try Self.extent([], ["Link": "<\(last)>; rel=\"last\""]).pages?.count == 3, "\(last)")
        }
        #expect(try Self.extent([(["links", "last"], .text("/items?offset=10&limit=5"))]).total?.count == 11)
    }

    @Test func `a flag is found in all spellings and kinds of truth`() throws {
        let more = [
            "has more", "has next", "has next page", "has more pages", "has more items", "more results",
            "more available",
            "more", "is truncated", "truncated", "incomplete results", "next page exists", "exceeded transfer limit",
        ]
        let end = [
            "is last", "is last page", "done", "is done", "end of records", "is end", "finished", "is complete",
            "end of stream",
        ]
        let truths: [(value: EnvelopeScalar, truth: Bool)] = [
            (.bool(true), true), (.bool(false), false), (.text("true"), true), (.text("False"), false),
            (.number("1"), true), (.number("0"), false),
        ]
        for (value, truth) in truths {
            func isUsed(_ words: String) -> Bool {
                if case .number = value { ["has", "is", "more"].contains { words.hasPrefix($0) } } else { true }
            }
            try Self.forAll(more.filter(isUsed)) { path, _ in
                let extent = try Self.extent([(path, value)])
                #expect((extent.more != nil) == truth && extent.saysEnd == !truth, "\(path) \(value)")
            }
            try Self.forAll(end.filter(isUsed)) { path, _ in
                let extent = try Self.extent([(path, value)])
                #expect((extent.more != nil) == !truth && extent.saysEnd == truth, "\(path) \(value)")
            }
        }
    }

    @Test func `a next page is found in all spellings`() throws {
        let certain = [
            "next", "next page", "next link", "next url", "next page url", "next page token", "next cursor",
            "next token",
            "next marker", "next offset", "next page number", "next records url", "continuation token", "continuation",
            "resumption token", "next key", "next cursor mark", "next start",
        ]
        try Self.forAll(certain) { path, _ in
            for value in [EnvelopeScalar.text("/items?page=2"), .text("a2V5"), .number("2"), .bool(true)] {
                let extent = try Self.extent([(path, value)])
                #expect(extent.nextPages.first?.isCertain == true, "\(path) \(value)")
            }
            for value in [
                EnvelopeScalar.text(""), .text("null"), .text("0"), .number("0"), .number("-1"), .bool(false),
            ] {
                let extent = try Self.extent([(path, value)])
                #expect(extent.nextPages.isEmpty, "\(path) \(value)")
            }
        }
        let possible = [
            "cursor", "end cursor", "bookmark", "after cursor", "offset", "scroll id", "marker", "page token",
        ]
        try Self.forAll(possible) { path, words in
            let extent = try Self.extent([(path, .text("a2V5"))])
            #expect(extent.nextPages.first?.isCertain == false, "\(path)")
            // The offset of this page.
            for value in [EnvelopeScalar.number("100"), .text("100")] where !words.contains("offset") {
                #expect(try Self.extent([(path, value)]).nextPages.first?.isCertain == false, "\(path)")
            }
            let own = try Self.extent([(path, .text("a2V5"))], at: "/items?at=a2V5")
            #expect(own.nextPages.isEmpty, "\(path)")
        }
        for path in [
            ["LastEvaluatedKey", "id", "S"], ["continue", "apcontinue"], ["next", "href"], ["feed", "links", "next"],
        ] {
            let extent = try Self.extent([(path, .text("a2V5"))])
            #expect(extent.nextPages.first?.isCertain == true, "\(path)")
        }
    }

    @Test func `header fields count as members do`() throws {
        for name in ["X-Total-Count", "X-Total", "X-WP-Total", "Total-Records", "Pagination-Count", "x-total-results"] {
            #expect(try Self.extent([], [name: "150"]).total?.count == 150, "\(name)")
        }
        for name in ["X-WP-TotalPages", "X-Total-Pages", "X-Pagination-Page-Count", "X-Page-Count", "X-Last-Page"] {
            #expect(try Self.extent([], [name: "3"]).pages?.count == 3, "\(name)")
        }
        for name in ["X-Next-Cursor", "X-Continuation-Token", "x-ms-continuation", "X-Next-Page", "Next-Page-Token"] {
            #expect(try Self.extent([], [name: "a2V5"]).nextPages.count == 1, "\(name)")
        }
        #expect(try Self.extent([], ["Content-Range": "items 0-4/150"]).total?.count == 150)
        #expect(try Self.extent([], ["Content-Range": "items 0-4/*"]).total == nil)
        let json = #"{"TotalCount":150,"PageSize":5,"CurrentPage":1,"TotalPages":30,"HasNext":true}"#
        let extent = try Self.extent([], ["X-Pagination": json])
        #expect(extent.total?.count == 150 && extent.pages?.count == 30 && extent.size?.count == 5)
        #expect(extent.more == "X-Pagination.HasNext")
    }

    @Test(arguments: [
        "totalAmount", "total_price", "totalTime", "total_bytes", "nextEvent", "nextSyncToken", "next_run_at",
        "deltaLink",
        "previous", "prev_cursor", "start_cursor", "startCursor", "cursor_type", "page_views", "pageTitle",
        "resource_size",
        "moreover", "lastModified", "last_name", "number", "version", "estimated_price", "limitations",
        "rate_limit_total",
        "numberReturned", "available", "after_sales", "data", "id", "complete_by", "hasChildren", "isPublic",
    ])
    func `a name with a word that belongs to no class has no effect`(_ name: String) throws {
        for value in [EnvelopeScalar.number("900"), .text("a2V5"), .bool(true), .bool(false)] {
            let extent = try Self.extent([([name], value), (["meta", name], value)])
            #expect(
                extent.total == nil && extent.pages == nil && extent.more == nil && !extent.saysEnd, "\(name) \(value)")
            #expect(extent.nextPages.isEmpty, "\(name) \(value)")
        }
        #expect(
            try Self.extent([], ["X-RateLimit-Limit": "5000", "X-Cache-Hits": "900", "X-Total-Time": "900"]).total
                == nil)
        #expect(try Self.extent([(["summary", "total"], .number("900"))]).total == nil)
    }
}
