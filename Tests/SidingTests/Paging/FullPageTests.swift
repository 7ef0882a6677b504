// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A full page, or one that the origin cut below the declared size, may not be the last.
@Suite struct FullPageTests {
    @Test(arguments: [
        "per_page", "limit", "size", "pageSize", "first", "n", "num", "max", "length", "rpp", "batch_size",
        "offset_limit",
        "filter[limit]",
    ])
    func `a single page of the requested size shows only that there may be more`(_ name: String) async throws {
        // A `count` of the page itself is no word on the others.
        for envelope in ["ITEMS", #"{"items":ITEMS,"count":5}"#, #"{"items":ITEMS,"meta":{"count":5}}"#] {
            try await ListingEndTests.expectIncomplete(
                ListingEndTests.answer(envelope, 1...5), at: Self.target(name), ListingEndTests.bench([name: 5]),
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

    @Test(arguments: pagings)
    func `a full page where the declared place of the next one is missing altogether is not the end`(_ paging: Paging)
        async throws
    {
        let page = ListingEndTests.answer(#"{"items":ITEMS}"#, 1...5)
        try await ListingEndTests.expectIncomplete(
            page, at: "/posts?per_page=5", ListingEndTests.bench(["per_page": 5], paging: paging), because: "is full")
    }

    @Test(
        arguments: pagings.dropFirst()
    )
    func `a full page where the declared place has no next one is the end`(_ paging: Paging) async throws {
        for end in ["null", "\"\"", "false"] {
            let bench = try await ListingEndTests.bench(["per_page": 5], paging: paging)
            let page = ListingEndTests.answer(
                #"{"items":ITEMS,"next":\#(end)}"#, 1...5, ListingEndTests.whole + [("ETag", "\"a\"")])
            bench.origin.set("/posts?per_page=5", page, .status(.notModified), page)
            for _ in 0..<2 { #expect(try await bench.sync().warnings == [], "\(end)") }
            #expect(try await bench.state().incomplete == nil)
        }
    }

    @Test func `the size in the body of a search counts as one in the query`() async throws {
        for body in [["limit": 5], ["variables": ["first": 5]]] as [[String: QueryValue]] {
            var bench = try await ListingEndTests.bench(paging: .cursor(JSONPath(member: "next"), parameter: "c"))
            (bench.resource.method, bench.resource.body) = (.post, SearchBody(body))
            bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS}"#, 1...5))
            #expect(try await bench.sync().warnings.first?.hasPrefix("incomplete: page 1 is full") == true, "\(body)")
        }
    }

    /// The origin's maximum, what its pages have around the records, how many records there are, and how many requests lead to
    /// their end.
    @Test(arguments: [
        (10, "ITEMS", 35, 5), (50, "ITEMS", 90, 3), (20, "ITEMS", 80, 5), (25, #"{"items":ITEMS}"#, 50, 3),
        (40, "ITEMS", 95, 4), (60, "ITEMS", 60, 2), (75, "ITEMS", 90, 3), (15, "ITEMS", 40, 4),
        (99, "ITEMS", 99, 2),
        (7, #"{"items":ITEMS,"page":1,"per_page":7}"#, 15, 4), (40, #"{"items":ITEMS,"total":95}"#, 95, 3),
        // A single page may be as long as the origin's maximum.
        (50, "ITEMS", 49, 2), (50, "ITEMS", 0, 1),
        // A listing whose extent is known costs no further request.
        (50, #"{"items":ITEMS,"total":50}"#, 50, 1), (50, #"{"items":ITEMS,"pages":1}"#, 49, 1),
        (50, #"{"items":ITEMS,"has_more":false}"#, 50, 1),
    ])
    func `pages that an origin cuts below the declared size are read to their end`(
        _ most: Int, _ envelope: String, _ count: Int, _ requests: Int
    ) async throws {
        for paging in [Paging.page(.init(sizeParameter: "size", size: 500)), .offset(.init(limit: 500))] {
            let bench = try await ListingEndTests.bench(paging: paging)
            let starts = Array(stride(from: 0, to: count, by: most)) + [count]
            for (index, start) in starts.enumerated() {
                let answer = ListingEndTests.answer(envelope, Array(start..<min(start + most, count)))
                let first = ["page=1&size=500", "offset=0&limit=500"]
                for target in start == 0 ? first : ["size=500&page=\(index + 1)", "limit=500&offset=\(start)"] {
                    bench.origin.set("/posts?\(target)", answer)
                }
            }
            let report = try await bench.sync()
            #expect(report.result.outcome == .saved, "\(report.result.notes)")
            #expect(try await bench.keys().count == min(count, 99))
            #expect(report.result.counters.requests == requests)
        }
    }

    /// Pages that the origin filters after it has cut them.
    @Test(arguments: [[100, 99, 100, 37], [100, 100, 1], [3, 1, 2], [99, 100, 0, 7]])
    func `a short page among others is not the end`(_ counts: [Int]) async throws {
        for behind in [ScriptedAnswer.text("[]"), .status(.notFound), .status(.badRequest)] {
            let bench = try await ListingEndTests.bench(paging: .page(.init(sizeParameter: "size", size: 100)))
            for (index, count) in counts.enumerated() {
                let target = index == 0 ? "page=1&size=100" : "size=100&page=\(index + 1)"
                let ids = (index * 100)..<(index * 100 + count)
                bench.origin.set("/posts?\(target)", ListingEndTests.answer("ITEMS", Array(ids)))
            }
            bench.origin.set("/posts?size=100&page=\(counts.count + 1)", behind)
            let report = try await bench.sync()
            #expect(report.result.outcome == .saved, "\(report.warnings) \(report.result.notes)")
            // An empty page is the end.
            let read = counts.prefix { $0 > 0 }.reduce(0, +)
            #expect(report.result.counters.inserted == read)
        }
    }

    @Test func `the same page again behind a short one is the end`() async throws {
        let bench = try await ListingEndTests.bench(paging: .page(.init(sizeParameter: "size", size: 5)))
        bench.origin.set("/posts?page=1&size=5", ListingEndTests.answer("ITEMS", 1...5))
        for page in 2...3 {
            bench.origin.set("/posts?size=5&page=\(page)", ListingEndTests.answer("ITEMS", 6...8))
        }
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys().count == 8)
    }

    @Test(arguments: [#"{"items":ITEMS,"has_more":true}"#, #"{"items":ITEMS,"next":"/posts?page=3"}"#])
    func `a refusal behind a page that reports more is a failure`(_ envelope: String) async throws {
        var bench = try await ListingEndTests.bench(paging: .page(.init(sizeParameter: "size", size: 10)))
        bench.resource.records = try JSONPath(parsing: "$.items")
        bench.origin.set("/posts?page=1&size=10", ListingEndTests.answer(#"{"items":ITEMS}"#, 1...9))
        bench.origin.set("/posts?size=10&page=2", ListingEndTests.answer(envelope, 10...12))
        bench.origin.set("/posts?size=10&page=3", .status(.notFound))
        #expect(try await bench.sync().result.outcome == .failed)
    }

    @Test func `a page that is refused though the origin reports more is a failure`() async throws {
        let bench = try await ListingEndTests.bench(paging: .page(.init(sizeParameter: "size", size: 10)))
        bench.origin.set("/posts?page=1&size=10", ListingEndTests.answer(#"{"items":ITEMS,"total":30}"#, 1...9))
        bench.origin.set("/posts?size=10&page=2", .status(.notFound))
        #expect(try await bench.sync().result.outcome == .failed)
    }

    @Test func `where earlier pages had links, a short page without one is the end of numbered pages`() async throws {
        let bench = try await ListingEndTests.bench(paging: .page(.init(size: 20)))
        bench.origin.set(
            "/posts?page=1", ListingEndTests.answer("ITEMS", 1...5, [("Link", "</posts?page=2>; rel=next")]))
        bench.origin.set("/posts?page=2", ListingEndTests.answer("ITEMS", 6...10))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=1", "/posts?page=2"])
    }
}
