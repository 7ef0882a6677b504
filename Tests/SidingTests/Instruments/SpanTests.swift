// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingTesting
import Testing
import Tracing

@testable import Siding

/// The spans of a program that has a tracer.
@Suite struct SpanTests {
    @Test func `a run has a span for each resource, and this one for each page`() async throws {
        let bench = try await EngineBench()
        let tracer = RecordingTracer()
        _ = try await withTracer(tracer) { try await bench.sync() }
        let run = try #require(tracer.spans(named: "siding.run").first)
        #expect(run.parent == nil && run["siding.outcome"] == "saved" && run.failure == nil)
        #expect(run["siding.run"] == "1")
        let resource = try #require(tracer.spans(named: "siding.resource").first)
        #expect(resource.parent == run.number)
        #expect(resource["siding.resource"] == "posts" && resource["siding.source"] == "blog")
        #expect(resource["siding.pages"] == "3")
        let pages = tracer.spans(named: "siding.page")
        #expect(pages.map { $0["siding.page"] } == ["1", "2", "3"])
        #expect(pages.allSatisfy { $0.parent == resource.number && $0["http.response.status_code"] == "200" })
        #expect(pages.last?["url.full"] == "https://api.example.org/posts?page=3")
        #expect(tracer.spans.count == 5)
    }

    @Test func `a page that fails has its failure in its span, and so have its resource and its run`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.notFound))
        let tracer = RecordingTracer()
        _ = try await withTracer(tracer) { try await bench.sync() }
        let pages = tracer.spans(named: "siding.page")
        #expect(pages.map(\.failure) == [nil, "http404"])
        #expect(pages.last?["http.response.status_code"] == "404" && pages.last?["siding.outcome"] == "failed")
        #expect(tracer.spans(named: "siding.resource").first?["siding.outcome"] == "failed")
        #expect(tracer.spans(named: "siding.resource").first?.failure == "http404")
        #expect(tracer.spans(named: "siding.run").first?.failure == "failed")
    }

    @Test func `a delivery has a span with its entry and the state that it is in afterwards`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/done", .status(.created))
        bench.origin.set("/bad", .status(.unprocessableContent))
        let done = try await bench.enqueue("/done")
        let bad = try await bench.enqueue("/bad")
        let tracer = RecordingTracer()
        _ = try await withTracer(tracer) { try await bench.sender().drain() }
        let spans = tracer.spans(named: "siding.delivery")
        let first = try #require(spans.first { $0["siding.entry"] == done.id })
        #expect(first["siding.outcome"] == "done" && first.failure == nil && first["siding.source"] == "api")
        #expect(first["http.request.method"] == "POST" && first["url.full"] == "https://api.test/done")
        let second = try #require(spans.first { $0["siding.entry"] == bad.id })
        #expect(second["siding.outcome"] == "parked" && second["http.response.status_code"] == "422")
        #expect(second.failure != nil && spans.count == 2)
    }

    @Test func `no span shows a secret of a URL`() async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts?mine=s3cret": ScriptedOrigin.page("[1]")]))
        bench.resource.source.authorization = .apiKeyQuery("mine", Secret("test") { "s3cret" })
        let tracer = RecordingTracer()
        _ = try await withTracer(tracer) { [bench] in try await bench.sync() }
        #expect(bench.origin.takeTargets() == ["/posts?mine=s3cret"])
        let shown = tracer.spans.flatMap { span in
            var values: [String] = []
            span.attributes.forEach { values.append("\($0): \($1)") }
            return values
        }
        #expect(shown.contains { $0.contains("https://api.example.org/posts") })
        #expect(!shown.contains { $0.contains("s3cret") })
    }
}
