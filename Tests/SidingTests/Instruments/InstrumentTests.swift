// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Metrics
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What a process counts and times as it works.
@Suite struct InstrumentTests {
    @Test func `a sync counts its run, its pages and its requests, and times them`() async throws {
        let bench = try await EngineBench()
        let metrics = RecordingMetrics()
        _ = try await withMetricsFactory(metrics) { try await bench.sync() }
        #expect(
            metrics.counts == [
                "siding_runs_total{outcome=saved}": 1, "siding_run_duration_seconds": 1,
                "siding_pages_total{resource=posts,outcome=fetched}": 3,
                "siding_page_duration_seconds{resource=posts}": 3,
                "siding_requests_total{source=blog,outcome=2xx}": 3,
            ])
    }

    @Test func `a page that fails is counted with the class of its answer, and so is its run`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.notFound))
        let metrics = RecordingMetrics()
        _ = try await withMetricsFactory(metrics) { try await bench.sync() }
        #expect(metrics.counts["siding_pages_total{resource=posts,outcome=fetched}"] == 1)
        #expect(metrics.counts["siding_pages_total{resource=posts,outcome=failed}"] == 1)
        #expect(metrics.counts["siding_requests_total{source=blog,outcome=4xx}"] == 1)
        #expect(metrics.counts["siding_runs_total{outcome=failed}"] == 1)
    }

    @Test func `a request without an answer is counted as failed`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts", .failure(Failure(.connectionLost, phase: .maybeSent)))
        let metrics = RecordingMetrics()
        _ = try await withMetricsFactory(metrics) { try await bench.sync() }
        #expect(metrics.counts["siding_requests_total{source=blog,outcome=failed}"] == 1)
        #expect(metrics.counts["siding_runs_total{outcome=queued}"] == 1)
    }

    @Test func `an unchanged page is counted as such`() async throws {
        let bench = try await EngineBench(
            ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]", etag: "\"a\"")]))
        _ = try await bench.sync()
        bench.origin.set("/posts", .status(.notModified))
        let metrics = RecordingMetrics()
        _ = try await withMetricsFactory(metrics) { try await bench.sync() }
        #expect(metrics.counts["siding_pages_total{resource=posts,outcome=not_modified}"] == 1)
        #expect(metrics.counts["siding_requests_total{source=blog,outcome=3xx}"] == 1)
        #expect(metrics.counts["siding_runs_total{outcome=not_modified}"] == 1)
    }

    @Test func `a delivery is counted by the state that its entry is in afterwards`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/done", .status(.created))
        bench.origin.set("/bad", .status(.unprocessableContent))
        try await bench.enqueue("/done")
        try await bench.enqueue("/bad")
        let metrics = RecordingMetrics()
        _ = try await withMetricsFactory(metrics) { try await bench.sender().drain() }
        #expect(
            metrics.counts == [
                "siding_deliveries_total{source=api,outcome=done}": 1,
                "siding_deliveries_total{source=api,outcome=parked}": 1,
                "siding_delivery_duration_seconds{source=api}": 2,
                "siding_requests_total{source=api,outcome=2xx}": 1,
                "siding_requests_total{source=api,outcome=4xx}": 1,
            ])
    }

    @Test func `durations are those of the injected clock, in nanoseconds`() async throws {
        let clock = ManualClock()
        let bench = try await EngineBench(
            ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]")]) { _ in clock.advance(by: .milliseconds(1_500)) })
        let engine = SyncEngine(
            store: bench.store, transports: bench.origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: .none, clock: clock, wallClock: bench.time.clock))
        let metrics = RecordingMetrics()
        _ = try await withMetricsFactory(metrics) { try await engine.sync(bench.resource) }
        #expect(metrics.nanoseconds("siding_page_duration_seconds{resource=posts}") == [1_500_000_000])
        #expect(metrics.nanoseconds("siding_run_duration_seconds") == [1_500_000_000])
    }
}
