import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

/// A 304 is a word on the bytes of a page, and not on what its header fields said when it had no page behind it.
@Suite struct UnchangedLastPageTests {
    private static let unchanged = ScriptedAnswer.status(.notModified)

    private func bench(
        _ engine: Engine, _ paging: Paging = .linkHeader,
        first: ScriptedAnswer = ScriptedOrigin.page("[1]", etag: "\"a\"")
    ) async throws -> EngineBench {
        var bench = try await EngineBench(engine, ScriptedOrigin(["/posts": first]))
        bench.resource.paging = paging
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        return bench
    }

    @Test(arguments: Engine.allCases)
    func `where a 304 names no next page the last page is asked for whole, and a new page is found`(
        _ engine: Engine
    ) async throws {
        let bench = try await bench(engine)
        bench.origin.set("/posts", Self.unchanged, ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: "\"a\""))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[2]"))
        let report = try await bench.sync()
        let requests = bench.origin.takeRequests()
        #expect(requests.map(\.path) == ["/posts", "/posts", "/posts?page=2"])
        #expect(requests.map { $0.headerFields[.ifNoneMatch] } == ["\"a\"", nil, nil])
        #expect(report.line.counters.requests == 3 && report.line.counters.pages == 2)
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test(arguments: Engine.allCases)
    func `where nothing is behind it that costs one request, and no record is written`(_ engine: Engine) async throws {
        let bench = try await bench(engine)
        bench.origin.set("/posts", Self.unchanged, ScriptedOrigin.page("[1]", etag: "\"a\""))
        let report = try await bench.sync()
        #expect(report.line.counters.requests == 2)
        #expect(report.line.counters.unchanged == 1 && report.line.counters.updated == 0)
        #expect(try await bench.state().completedAt == bench.time.now)
    }

    @Test(arguments: Engine.allCases, [Paging.linkHeader, .automatic])
    func `an origin whose 304 names the next page is believed where it names none`(
        _ engine: Engine, _ paging: Paging
    ) async throws {
        let bench = try await bench(
            engine, paging, first: ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: "\"a\""))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[2]", etag: "\"b\""))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        let link = try #require(HTTPField.Name("Link"))
        bench.origin.set("/posts", .status(.notModified, headerFields: [link: "</posts?page=2>; rel=\"next\""]))
        bench.origin.set("/posts?page=2", Self.unchanged)
        #expect(try await bench.sync().line.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test(arguments: Engine.allCases)
    func `what auto found in header fields is looked for there, behind pages that led on as stored`(
        _ engine: Engine
    ) async throws {
        let next = try #require(HTTPField.Name("X-Next-Page"))
        let first = ScriptedAnswer.text(#"[{"id":1}]"#, headerFields: [.eTag: "\"a\"", next: "2"])
        let bench = try await bench(engine, .automatic, first: first)
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[2]", etag: "\"b\""))
        _ = try await bench.sync()
        bench.origin.set("/posts", Self.unchanged)
        bench.origin.set(
            "/posts?page=2", Self.unchanged,
            .text(#"[{"id":2}]"#, headerFields: [.eTag: "\"b\"", next: "3"]))
        bench.origin.set("/posts?page=3", ScriptedOrigin.page("[3]"))
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["1", "2", "3"])
    }

    @Test(arguments: Engine.allCases)
    func `pages that name the next one in their body are believed`(_ engine: Engine) async throws {
        let first = ScriptedAnswer.text(
            #"{"items":[{"id":1}],"next":"/posts?page=2"}"#, headerFields: [.eTag: "\"a\""])
        let bench = try await bench(engine, .automatic, first: first)
        bench.origin.set("/posts?page=2", .text(#"{"items":[{"id":2}],"next":null}"#, headerFields: [.eTag: "\"b\""]))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        for target in ["/posts", "/posts?page=2"] { bench.origin.set(target, Self.unchanged) }
        bench.time.advance(by: .seconds(100_000))
        #expect(try await bench.sync().line.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }

    @Test(arguments: Engine.allCases)
    func `a single page on which auto found nothing is asked for whole once a day`(_ engine: Engine) async throws {
        let bench = try await bench(engine, .automatic)
        bench.origin.set("/posts", Self.unchanged)
        bench.time.advance(by: .seconds(86_399))
        #expect(try await bench.sync().line.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts"])
        bench.time.advance(by: .seconds(1))
        bench.origin.set("/posts", Self.unchanged, ScriptedOrigin.page("[1]", etag: "\"a\""), Self.unchanged)
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == ["/posts", "/posts"])
        #expect(try await bench.sync().line.outcome == .notModified)
        #expect(bench.origin.takeTargets() == ["/posts"])
    }
}
