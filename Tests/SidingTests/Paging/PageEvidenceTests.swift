// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What pages say of whether there is more, and of where they are.
@Suite struct PageEvidenceTests {
    private func bench(_ paging: Paging, hasMore: String? = nil) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.paging = paging
        bench.resource.stop.hasMore = try hasMore.map { try JSONPath(parsing: $0) }
        return bench
    }

    private static func page(_ ids: [Int], more: Bool? = nil, etag: String? = nil) -> ScriptedAnswer {
        let items = ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
        var fields: HTTPFields = [.contentType: "application/json"]
        if let etag { fields[.eTag] = etag }
        return .text(#"{"items":[\#(items)]\#(more.map { #","more":\#($0)"# } ?? "")}"#, headerFields: fields)
    }

    @Test func `an origin with smaller pages than requested is read to its reported end`() async throws {
        let bench = try await bench(.page(.init(sizeParameter: "n", size: 50)), hasMore: "$.more")
        bench.origin.set("/posts?page=1&n=50", Self.page([1, 2], more: true))
        bench.origin.set("/posts?n=50&page=2", Self.page([3], more: false))
        let report = try await bench.sync()
        #expect(try await bench.keys() == ["1", "2", "3"])
        #expect(report.warnings == [])
        #expect(try await bench.state().completedAt != nil)
    }

    @Test
    func `a reported next page without a link makes the listing incomplete, and the token's place is reported`()
        async throws
    {
        let token = try JSONPath(parsing: "$.token")
        let bench = try await bench(.cursor(token, parameter: "c"), hasMore: "$.more")
        bench.origin.set("/posts", Self.page([1], more: true))
        let report = try await bench.sync()
        #expect(
            report.warnings
                == ["incomplete: $.more reports more pages, but no next page was found by cursor at $.token in ?c"])
        #expect(try await bench.state().completedAt == nil)
    }

    @Test func `a total that counts the page alone ends no numbered listing at a short page`() async throws {
        let bench = try await bench(.page(.init(sizeParameter: "n", size: 10)))
        var next = 1
        for (number, count) in [10, 9, 10, 4, 0].enumerated() {
            let items = (next..<next + count).map { #"{"id":\#($0)}"# }.joined(separator: ",")
            bench.origin.set(
                number == 0 ? "/posts?page=1&n=10" : "/posts?n=10&page=\(number + 1)",
                .text(#"{"items":[\#(items)],"total":\#(count)}"#))
            next += count
        }
        #expect(try await bench.sync().result.counters.inserted == 33)
        #expect(try await bench.state().completedAt != nil)
    }

    @Test func `an offset listing that begins at 1 ends at its total`() async throws {
        let bench = try await bench(.offset(.init(start: 1, limit: 50)))
        bench.origin.set("/posts?offset=1&limit=50", .text(#"{"items":[{"id":1},{"id":2}],"total":2}"#))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?offset=1&limit=50"])
    }

    @Test(arguments: [true, false])
    func `an error behind the last page ends a listing whose totals or flags say nothing`(_ hasTotal: Bool) async throws
    {
        let bench = try await bench(
            .page(.init(sizeParameter: "n", size: 3)), hasMore: hasTotal ? nil : "$.more")
        func page(_ ids: [Int]) -> ScriptedAnswer {
            let items = ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
            return .text(#"{"items":[\#(items)]\#(hasTotal ? #","total":\#(ids.count)"# : "")}"#)
        }
        bench.origin.set("/posts?page=1&n=3", page([1, 2, 3]))
        bench.origin.set("/posts?n=3&page=2", page([4]))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.state().completedAt != nil)
    }

    @Test(arguments: [#""items":null,"#, #""items":[],"error":"no","#, ""])
    func `records that were found on the first page are found in no other place`(_ items: String) async throws {
        let bench = try await bench(.nextURL(nil))
        bench.origin.set("/posts", .text(#"{"items":[{"id":1},{"id":2}],"next_url":"/posts?page=2"}"#))
        bench.origin.set("/posts?page=2", .text(#"{\#(items)"warnings":[{"id":77,"text":"degraded"}]}"#))
        let outcome = try await bench.sync().result.outcome
        #expect(outcome == .partial || outcome == .failed)
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test func `unchanged pages whose body marks the last are requested, and none behind it`() async throws {
        let bench = try await bench(.page(.init()), hasMore: "$.more")
        bench.origin.set("/posts?page=1", Self.page([1], more: true, etag: "\"a\""), .status(.notModified))
        bench.origin.set("/posts?page=2", Self.page([2], more: false, etag: "\"b\""), .status(.notModified))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts?page=1", "/posts?page=2"])
    }

    @Test(arguments: ["page", "offset"])
    func `an origin that ignores the page's number is noticed at the second page`(
        _ kind: String
    ) async throws {
        let bench = try await bench(kind == "page" ? .page(.init()) : .offset(.init(limit: 2)))
        for target in [
            "/posts?page=1", "/posts?page=2", "/posts?page=3", "/posts?offset=0&limit=2", "/posts?limit=2&offset=2",
            "/posts?limit=2&offset=4",
        ] {
            bench.origin.set(target, Self.page([1, 2]))
        }
        let report = try await bench.sync()
        #expect(bench.origin.takeTargets().count == 2)
        #expect(
            report.warnings.first?.hasPrefix("incomplete: page 2 has the records of the page before it again: a loop")
                == true)
        #expect(try await bench.state().completedAt == nil)
    }

    @Test func `empty pages on the way do not count as a loop`() async throws {
        let bench = try await bench(.linkHeader)
        bench.origin.set("/posts", ScriptedOrigin.page("[]", next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[]", next: "/posts?page=3"))
        bench.origin.set("/posts?page=3", ScriptedOrigin.page("[3]"))
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["3"])
    }

    @Test func `a reference in the body that is relative to the page leads on`() async throws {
        let bench = try await bench(.automatic)
        bench.origin.set("/posts", .text(#"{"items":[{"id":1}],"next":"posts?page=2"}"#))
        bench.origin.set("/posts?page=2", .text(#"{"items":[{"id":2}],"next":null}"#))
        #expect(try await bench.sync().result.notes == ["paging: next_url at $.next"])
        #expect(try await bench.keys() == ["1", "2"])
    }
}
