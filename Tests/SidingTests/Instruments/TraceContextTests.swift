// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing
import Tracing
import TestSupport

@testable import Siding

/// `traceparent`, for sources that ask for it.
@Suite struct TraceContextTests {
    private static let parent = HTTPField.Name("traceparent")!

    private static func parents(_ bench: EngineBench) -> [String?] {
        bench.origin.takeRequests().map { $0.headerFields[parent] }
    }

    @Test func `no trace context is sent to a source that does not ask for it, with a tracer or without`()
        async throws
    {
        let bench = try await EngineBench()
        _ = try await bench.sync()
        _ = try await withTracer(RecordingTracer()) { try await bench.sync() }
        #expect(Self.parents(bench) == Array(repeating: nil, count: 6))
    }

    @Test func `each request carries the context of its page's span`() async throws {
        var bench = try await EngineBench()
        bench.resource.source.sendsTraceContext = true
        let tracer = RecordingTracer()
        _ = try await withTracer(tracer) { [bench] in try await bench.sync() }
        let pages = tracer.spans(named: "siding.page").map { "00-trace-\($0.number)-01" }
        #expect(pages.count == 3 && Self.parents(bench) == pages)
    }

    @Test func `a delivery carries the context of its span`() async throws {
        var bench = try await WriteBench()
        bench.sources[0].sendsTraceContext = true
        bench.origin.set("/a", .status(.created))
        try await bench.enqueue("/a")
        let tracer = RecordingTracer()
        _ = try await withTracer(tracer) { [bench] in try await bench.sender().drain() }
        let span = try #require(tracer.spans(named: "siding.delivery").first)
        #expect(bench.origin.takeRequests().map { $0.headerFields[Self.parent] } == ["00-trace-\(span.number)-01"])
    }

    @Test func `without a tracer each request has valid ids from the injected randomness`() async throws {
        let jitter = Jitter.seeded(7)
        let context = TraceContext(jitter: jitter, logger: .silent, secretQueryNames: [])
        let request = HTTPRequest(method: .get, scheme: "https", authority: "a.test", path: "/x")
        let parents = (0..<100).map { _ in context.added(to: request).headerFields[Self.parent] ?? "" }
        #expect(parents.allSatisfy { $0.wholeMatch(of: /00-[0-9a-f]{32}-[0-9a-f]{16}-01/) != nil })
        #expect(Set(parents).count == 100)
        // Ids of zeros alone are invalid.
        let zeros = TraceContext(jitter: Jitter { 0 }, logger: .silent, secretQueryNames: [])
        #expect(
            zeros.added(to: request).headerFields[Self.parent]
                == "00-00000000000000000000000000000001-0000000000000001-01")
    }

    @Test func `one that the source's own header fields set stays`() async throws {
        let context = TraceContext(jitter: .random, logger: .silent, secretQueryNames: [])
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "a.test", path: "/x", headerFields: [Self.parent: "mine"])
        #expect(context.added(to: request).headerFields[Self.parent] == "mine")
    }

    @Test func `a sent request is logged with its run and resource, and without the secrets of the URL`() async throws {
        let log = RecordedLog()
        var bench = try await EngineBench()
        bench.resource.source.sendsTraceContext = true
        bench.resource.path = "/posts?token=s3cret"
        bench.origin.set("/posts?token=s3cret", ScriptedOrigin.page("[1]"))
        let engine = SyncEngine(
            store: bench.store, transports: bench.origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: .none, clock: bench.clock, wallClock: bench.time.clock,
                logger: log.logger))
        _ = try await engine.sync(bench.resource)
        let sent = Self.parents(bench)
        let line = try #require(log.lines.first { $0.message == "trace context is sent" })
        #expect(line.metadata["traceparent"] == sent.first ?? "" && sent.count == 1)
        #expect(line.metadata["run"] == "1" && line.metadata["resource"] == "posts")
        #expect(line.metadata["url"] == "https://api.example.org/posts?token=…")
        #expect(log.lines.allSatisfy { $0.metadata["run"] == "1" })
        #expect(!log.lines.contains { $0.metadata.values.contains { $0.contains("s3cret") } })
    }

    @Test func `the log lines of a delivery name its entry`() async throws {
        let log = RecordedLog()
        let bench = try await WriteBench()
        bench.origin.set("/a", .status(.created))
        let entry = try await bench.enqueue("/a")
        let sender = WriteSender(
            store: bench.store, sources: bench.sources, transports: bench.origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: .none, clock: ManualClock(), wallClock: bench.time.clock,
                logger: log.logger))
        _ = try await sender.drain()
        #expect(!log.lines.isEmpty && log.lines.allSatisfy { $0.metadata["entry"] == entry.shortID })
    }
}
