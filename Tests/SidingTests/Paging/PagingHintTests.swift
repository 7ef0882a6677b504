// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What to declare, by what a run saw.
@Suite struct PagingHintTests {
    private static func bench(_ paging: Paging, _ pages: [String: ScriptedAnswer]) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin(pages))
        bench.resource.paging = paging
        return bench
    }

    private static func refusal(_ status: Int) -> ScriptedAnswer {
        .text(#"{"message":"too deep"}"#, status: .init(code: status))
    }

    @Test(arguments: [true, false], [400, 404, 410, 422])
    func `pages that are refused from some number on have a Link before`(hasLink: Bool, status: Int) async throws {
        let link = hasLink ? "/posts?after=2" : nil
        let bench = try await Self.bench(
            .page(.init(sizeParameter: "size", size: 2)),
            [
                "/posts?page=1&size=2": ScriptedOrigin.page("[1,2]", next: link),
                "/posts?size=2&page=2": Self.refusal(status),
            ])
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed && report.result.error?.message.hasSuffix(": too deep") == true)
        #expect((report.result.error?.hint?.contains("declare paginate: link_header") ?? false) == hasLink)
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test(
        arguments: [
            ("https://api.example.org/posts?cursor=abc", true), ("http://other.example/2", true),
            ("/posts?cursor=abc", true), ("/a+b/c==", false), ("abc", false),
        ])
    func `a token that is an address is reported where it is refused`(token: String, isAddress: Bool) async throws {
        // The origin answers any other target with 404.
        let bench = try await Self.bench(
            .cursor(JSONPath(member: "next"), parameter: "cursor"),
            ["/posts": .text(#"{"items":[{"id":1}],"next":"\#(token)"}"#)])
        let hint = try await bench.sync().result.error?.hint
        #expect(bench.origin.takeTargets().count == 2)
        #expect((hint?.contains("{ type: next_url, path: '$.next' }") ?? false) == isAddress, "\(hint ?? "")")
    }

    @Test(
        arguments: [
            ("http://api.example.org/posts?page=2", "have the links corrected"),
            ("https://internal.example:8443/posts?page=2", "write https://internal.example:8443 into 'base_url'"),
            ("https://internal.example/other?page=2", "look at the answer with curl"),
        ])
    func `a next page whose origin alone differs has a hint of its own`(next: String, hint: String) async throws {
        let bench = try await Self.bench(.linkHeader, ["/posts": ScriptedOrigin.page("[1]", next: next)])
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.hint?.contains(hint) == true, "\(report.result.error?.hint ?? "")")
    }

    @Test(arguments: ["[]", "[5]"])
    func `an empty page that leads back may be the last one`(_ records: String) async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=3", ScriptedOrigin.page(records, next: "/posts?page=3"))
        let report = try await bench.sync()
        let warning = try #require(report.warnings.first { $0.contains("page 3 leads back") })
        #expect(warning.contains("stop: { empty_page: true }") == (records == "[]"), "\(warning)")
    }
}
