// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What syncs and senders do where bytes are limited. Each request here carries 1,000 of them.
@Suite struct MeteredSyncTests {
    private struct Metered: TransportFactory {
        let base: any TransportFactory

        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            ObservingTransport(
                base.transport(for: account, settings), before: { _ in TrafficMeter.current?.add(1_000) })
        }
    }

    private func run(
        _ bench: EngineBench, _ resources: [AnyResource]? = nil, maxBytes: Int? = nil
    ) async throws -> [SyncReport] {
        let engine = bench.engine(over: Metered(base: bench.origin))
        var options = SyncOptions()
        options.maxBytes = maxBytes
        return try await engine.run(resources ?? [bench.resource], options: options)
    }

    private static func bytes(_ rate: String) throws -> RateLimit {
        try RateLimit(PathPattern("**"), rate: RequestRate(rate, unit: .bytes))
    }

    // MARK: --max-bytes

    @Test func `a run at its limit of bytes keeps its page, and the next run continues there at once`() async throws {
        let bench = try await EngineBench()
        let report = try await run(bench, maxBytes: 1_500)[0]
        #expect(report.result.outcome == .queued)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
        #expect(report.result.counters.bytes == 2_000 && report.result.counters.requests == 2)
        let error = try #require(report.result.error)
        #expect(
            error.message
                == "not requested now (GET https://api.example.org/posts?page=3): this run has carried 2.0 KiB, and "
                + "may carry 1.5 KiB (--max-bytes)")
        #expect(error.hint == "the next 'siding sync' continues here")
        let entry = try await bench.entry(report.result.entry)
        #expect(entry.pageNumber == 3 && entry.attempts == 0 && entry.tries == 0)
        #expect(entry.nextAttemptAt == bench.time.now)
        #expect(try await bench.store.gates().isEmpty)
        #expect(try await run(bench)[0].result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=3"])
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        #expect(try await bench.queue().allSatisfy { $0.state == .done })
    }

    @Test func `run after run, no page is requested twice`() async throws {
        let bench = try await EngineBench()
        var outcomes: [RunOutcome?] = []
        for _ in 1...3 { outcomes.append(try await run(bench, maxBytes: 1)[0].result.outcome) }
        #expect(outcomes == [.queued, .queued, .saved])
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2", "/posts?page=3"])
    }

    @Test func `the resources after it are skipped with the reason, without an entry each`() async throws {
        let bench = try await EngineBench()
        let others = ["b", "c"].map { AnyResource($0, from: bench.resource.source, at: "/\($0)", key: "id") }
        let reports = try await run(bench, [bench.resource] + others, maxBytes: 2_000)
        #expect(reports.map(\.result.outcome) == [.queued, .skipped, .skipped])
        #expect(reports[1].result.error?.message.contains("this run has carried 2.0 KiB") == true)
        #expect(try await bench.queue().count == 1)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
        #expect(try await bench.lastRun().outcome == .queued)
        #expect(try reports[1].outcome() == .skipped)
    }

    @Test func `parents are listed one at a time, so that one answer at most exceeds it`() async throws {
        let bench = try await EngineBench(ScriptedOrigin())
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3,4,5,6]"))
        for id in 1...6 { bench.origin.set("/posts/\(id)/comments", ScriptedOrigin.page("[\(id)0]")) }
        var comments = bench.resource
        (comments.name, comments.path) = ("comments", "/posts/{post}/comments")
        comments.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")], concurrency: 4)
        _ = try await run(bench)
        _ = bench.origin.takeTargets()
        let report = try await run(bench, [comments], maxBytes: 1_500)[0]
        #expect(report.result.outcome == .queued && report.result.counters.inserted == 2)
        #expect(bench.origin.takeTargets().count == 2)
        #expect(try await bench.queue().count == 1)
        let rest = try await run(bench, [comments])[0]
        #expect(rest.result.outcome == .saved && rest.result.counters.inserted == 4)
        #expect(bench.origin.takeTargets().count == 4)
    }

    @Test func `missing records are verified up to the limit of bytes, and the answers count`() async throws {
        var bench = try await EngineBench()
        bench.resource.deletions = Deletions(byAbsence: true, recordPath: "/posts/{id}")
        #expect(try await run(bench)[0].result.outcome == .saved)
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[4]", next: "/posts?page=3"))
        for id in 1...5 { bench.origin.set("/posts/\(id)", .status(.notFound)) }
        _ = bench.origin.takeTargets()
        let report = try await run(bench, maxBytes: 3_500)[0]
        #expect(bench.origin.takeTargets().count { $0.hasPrefix("/posts/") } == 1)
        #expect(report.result.counters.deleted == 1)
        #expect(report.result.counters.requests == 4 && report.result.counters.bytes == 4_000)
        #expect(report.warnings.contains { $0.contains("could not verify whether '3' was deleted: not requested now") })
        #expect(try await run(bench)[0].result.counters.deleted == 1)
        #expect(try await bench.keys() == ["1", "4", "5"])
    }

    @Test func `a failed page counts with the bytes that it carried`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        let report = try await run(bench)[0]
        #expect(report.result.outcome == .queued && report.result.counters.bytes == 2_000)
        #expect(try await bench.lastRun().resources.map(\.counters.bytes) == [2_000])
        #expect(try await bench.store.bytes(since: bench.time.now) == 2_000)
        #expect(try await bench.store.bytes(since: bench.time.now + .seconds(1)) == 0)
    }

    // MARK: limits

    @Test func `a limit of bytes puts the rest off until there is room, beside one of requests`() async throws {
        var bench = try await EngineBench()
        bench.resource.source.limits = [try RateLimit("**", "9/h"), try Self.bytes("1500B/h")]
        let report = try await run(bench)[0]
        #expect(report.result.outcome == .queued)
        #expect(
            report.result.error?.message.contains("the limit '**' (1500B/h) is used up until 2023-11-14T23:14:00.000Z")
                == true)
        let limits = try await bench.store.rateLimits()
        #expect(limits.map(\.rate?.unit) == [.bytes, .requests])
        #expect(limits.map(\.used) == [2_000, 2])
        #expect(limits[0].freeAt == bench.time.now + .seconds(3_640) && limits[1].freeAt == nil)
        _ = bench.origin.takeTargets()
        #expect(try await run(bench)[0].result.outcome == .queued)
        #expect(bench.origin.takeTargets().isEmpty)
        bench.time.advance(by: .seconds(3_640))
        #expect(try await run(bench)[0].result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=3"])
    }

    @Test func `own writes count for a limit of bytes, and wait for it`() async throws {
        var bench = try await WriteBench(concurrency: 1)
        bench.sources[0].limits = [try Self.bytes("1500B/h")]
        for path in ["/a", "/b", "/c"] {
            bench.origin.set(path, .status(.created))
            try await bench.enqueue(path)
        }
        let sender = WriteSender(
            store: bench.store, sources: bench.sources, transports: Metered(base: bench.origin),
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: .none, clock: ManualClock(), wallClock: bench.time.clock))
        _ = try await sender.drain()
        #expect(bench.origin.takeTargets() == ["/a", "/b"])
        #expect(try await bench.store.rateLimits().map(\.used) == [2_000])
        bench.time.advance(by: .seconds(3_640))
        _ = try await sender.drain()
        #expect(bench.origin.takeTargets() == ["/c"])
    }
}
