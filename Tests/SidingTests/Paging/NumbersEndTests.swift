// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Numbered pages end where the origin says so, also if behind the last page is an error.
@Suite struct NumbersEndTests {
    @Test(arguments: [true, false])
    func `page numbers end at a full page whose answer excludes a next one`(declaresSize: Bool) async throws {
        var bench = try await EngineBench()
        bench.resource.paging = .page(.init(size: declaresSize ? 2 : nil))
        bench.resource.records = JSONPath(member: "results")
        // Django REST framework: `next` is null on the last page, and behind it is a 404.
        bench.origin.set(
            "/posts?page=1",
            .text(#"{"count":4,"next":"/posts?page=2","results":[{"id":1},{"id":2}]}"#, headerFields: [.eTag: "\"a\""]))
        bench.origin.set(
            "/posts?page=2",
            .text(#"{"count":4,"next":null,"results":[{"id":3},{"id":4}]}"#, headerFields: [.eTag: "\"b\""]))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved, "\(report.result)")
        #expect(bench.origin.takeTargets() == ["/posts?page=1", "/posts?page=2"])
        // Also where the last page did not change.
        for target in ["/posts?page=1", "/posts?page=2"] { bench.origin.set(target, .status(.notModified)) }
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts?page=1", "/posts?page=2"])
    }

    @Test(arguments: [true, false])
    func `a null in the place of a next URL alone ends no numbered pages`(declaresSize: Bool) async throws {
        var bench = try await EngineBench()
        bench.resource.paging = .page(.init(size: declaresSize ? 2 : nil))
        bench.resource.records = JSONPath(member: "results")
        bench.origin.set("/posts?page=1", .text(#"{"next":null,"results":[{"id":1},{"id":2}]}"#))
        bench.origin.set("/posts?page=2", .text(#"{"next":null,"results":[{"id":3},{"id":4}]}"#))
        bench.origin.set("/posts?page=3", .text(#"{"next":null,"results":[]}"#))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=1", "/posts?page=2", "/posts?page=3"])
    }

    @Test func `page numbers end at the numbers of records and pages that the origin reports`() async throws {
        var bench = try await EngineBench()
        bench.resource.paging = .page(.init(size: 2))
        // WordPress: behind the last page is a 400.
        for page in 1...2 {
            bench.origin.set(
                "/posts?page=\(page)",
                .text(
                    "[{\"id\":\(page * 2)},{\"id\":\(page * 2 + 1)}]",
                    headerFields: [try name("X-WP-Total"): "4", try name("X-WP-TotalPages"): "2"]))
        }
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=1", "/posts?page=2"])
    }

    @Test(arguments: [#""total":2"#, #""pages":1"#, #""has_more":false"#])
    func `a short page that its body calls the last costs no further request, also where it did not change`(
        _ word: String
    )
        async throws
    {
        var bench = try await EngineBench()
        bench.resource.paging = .page(.init(size: 5))
        bench.resource.records = JSONPath(member: "results")
        let page = ScriptedAnswer.text(#"{"results":[{"id":1},{"id":2}],\#(word)}"#, headerFields: [.eTag: "\"a\""])
        bench.origin.set("/posts?page=1", page, .status(.notModified))
        for outcome in [RunOutcome.saved, .notModified] {
            #expect(try await bench.sync().result.outcome == outcome)
            #expect(bench.origin.takeTargets() == ["/posts?page=1"])
        }
    }

    @Test(arguments: [
        (HTTPResponse.Status.unprocessableContent, #"{"message":"Only the first 1000 search results are available"}"#),
        (.badRequest, #"{"message":"page above 25 requires access token"}"#),
        (.badRequest, #"{"error":{"message":"Result window is too large"}}"#),
        (.notFound, #"{"detail":"the maximum offset is 3"}"#),
        (.badRequest, #"{"message":"page depth exceeds maximum of 2"}"#),
        (.badRequest, #"{"message":"Deep pagination is not allowed"}"#),
        (.unprocessableContent, #"{"message":"Upgrade your plan to see more results"}"#),
        (.badRequest, #"{"message":"Please use cursor-based pagination"}"#),
        (.badRequest, #"{"message":"No session found"}"#),
        (.notFound, #"{"message":"page 3 needs a paid subscription"}"#),
        (.badRequest, #"{"message":"page is out of range, switch to cursor pagination"}"#),
        (.badRequest, #"{"message":"API key not found"}"#), (.badRequest, #"{"message":"no database connection"}"#),
        (.badRequest, #"{"message":"invalid page size"}"#), (.badRequest, #"{"message":"page failed: out of memory"}"#),
        (.notFound, #"{"message":"no Route matched with those values"}"#),
        (.badRequest, #"{"message":"Seite nicht erlaubt"}"#), (.notFound, "default backend - 404"),
        (.notFound, "<html><title>404 Not Found</title></html>"),
    ])
    func `a page that is refused for the number of records before it ends no listing`(
        _ status: HTTPResponse.Status, _ body: String
    ) async throws {
        let bench = try await Self.benchOfShortPage(before: .text(body, status: status))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.message.contains("\(status.code)") == true)
        // Behind the last page others say that there is none.
        bench.origin.set("/posts?page=3", .text(#"{"detail":"Invalid page."}"#, status: .notFound))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test(arguments: [
        (HTTPResponse.Status.notFound, ""), (.notFound, "{}"), (.notFound, #"{"detail":"Invalid page."}"#),
        (.gone, "{}"),
        (.rangeNotSatisfiable, ""), (.notFound, #"{"message":"No subscriptions found"}"#),
        (.badRequest, #"{"error":"page_out_of_range"}"#), (.badRequest, #"{"error":"invalid_page"}"#),
        (.unprocessableContent, #"{"message":"No posts found"}"#),
        (.notFound, #"{"message":"page 4 exceeds the maximum page 3"}"#),
        (.badRequest, #"{"error":"page 3 is out of range"}"#),
        (
            .badRequest,
            #"{"code":"x","message":"The page number requested is larger than the number of pages available."}"#
        ),
        (.unprocessableContent, #"{"message":"no more results"}"#),
        (.badRequest, #"{"message":"Page does not exist"}"#),
        (.badRequest, #"{"message":"offset exceeds the total"}"#), (.badRequest, #"{"message":"Invalid page number"}"#),
    ])
    func `a page that is refused as there is none ends the listing`(
        _ status: HTTPResponse.Status, _ body: String
    ) async throws {
        let bench = try await Self.benchOfShortPage(before: .text(body, status: status))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    private static func benchOfShortPage(before refusal: ScriptedAnswer) async throws -> EngineBench {
        var bench = try await EngineBench()
        bench.resource.paging = .page(.init(size: 2))
        bench.origin.set("/posts?page=1", .text(#"[{"id":1},{"id":2}]"#))
        bench.origin.set("/posts?page=2", .text(#"[{"id":3}]"#))
        bench.origin.set("/posts?page=3", refusal)
        return bench
    }

    private func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }
}
