// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What a sync and a sender do at the limits of their source.
@Suite(.timeLimit(.minutes(5))) struct LimitedSourceTests {
    private func bench(_ limits: RateLimit..., origin: ScriptedOrigin = .posts()) async throws -> EngineBench {
        var bench = try await EngineBench(origin)
        bench.resource.source.limits = limits
        return bench
    }

    private func limits(_ bench: EngineBench) async throws -> [RateLimitReport] {
        try await bench.store.rateLimits()
    }

    @Test func `a sync waits in its process where there is room soon`() async throws {
        let bench = try await bench(try RateLimit("**", "2/m"))
        async let report = bench.sync()
        await bench.clock.sleepers(1, waiting: .seconds(61))
        #expect(bench.origin.waiting == 2)
        bench.time.advance(by: .seconds(61))
        bench.clock.advance(by: .seconds(61))
        let result = try await report.result
        #expect(result.outcome == .saved && result.notes.contains("waited 61 s for the origin"), "\(result.notes)")
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
    }

    @Test func `a sync reports its wait for a Retry-After, if that is long enough to notice`() async throws {
        for (asked, wait, isTold) in [("3", Duration.seconds(3), true), ("0", .milliseconds(500), false)] {
            var changed = try await EngineBench()
            changed.resource.source.retry = RetryPolicy(retries: 1, backoff: Backoff(base: .milliseconds(500)))
            let bench = changed
            bench.origin.set(
                "/posts", .status(.serviceUnavailable, headerFields: [.retryAfter: asked]), ScriptedOrigin.page("[1]"))
            async let report = bench.sync()
            await bench.clock.sleepers(1, waiting: wait)
            bench.clock.advance(by: wait)
            let notes = try await report.result.notes
            #expect(notes.contains("waited 3 s for the origin") == isTold, "\(notes)")
            #expect(notes.contains { $0.hasPrefix("waited") } == isTold)
            // `siding runs show` prints the notes of the stored run.
            #expect(try await bench.lastRun().resources.first?.notes == notes)
        }
    }

    @Test(
        arguments: [
            ("10, 5", "60", "remaining_header", "X-Left is '10, 5', not a number"),
            ("32/40", "60", "remaining_header", "X-Left is '32/40', not a number"),
            ("9", "soon", "reset_header", "X-Reset is 'soon', not a number of seconds or a date"),
            ("9", "60", "", nil), (nil, nil, "", nil),
        ] as [(String?, String?, String, String?)])
    func `a declared field that came and cannot be read is reported`(
        left: String?, reset: String?, key: String, words: String?
    ) async throws {
        let bench = try await bench(
            try RateLimit(
                "/posts", remaining: HTTPField.Name("X-Left")!, reset: HTTPField.Name("X-Reset")!))
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[HTTPField.Name("X-Left")!] = left
        fields[HTTPField.Name("X-Reset")!] = reset
        bench.origin.set("/posts", .text(#"[{"id":1}]"#, headerFields: fields))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.warnings == (words.map { ["'\(key)' of the limit '/posts' has no effect: \($0)"] } ?? []))
    }

    @Test
    func `where there is room later only, the page is kept until then, does not count, and the source is left alone`()
        async throws
    {
        let bench = try await bench(try RateLimit("**", "2/h"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(report.result.error?.name == "waitingForOrigin")
        #expect(
            report.result.error?.message.contains("the limit '**' (2/h) is used up until 2023-11-14T23:14:00.000Z")
                == true)
        #expect(report.result.error?.hint?.contains("limits") == true)
        #expect(bench.origin.takeTargets().count == 2)
        let entry = try await bench.entry(report.result.entry)
        #expect(entry.attempts == 0)
        #expect(entry.nextAttemptAt == bench.time.now + .seconds(3640))
        #expect(entry.pageNumber == 3)
        let gate = try #require(try await bench.store.gates().first)
        #expect(gate.reason == .retryAfter && gate.until == entry.nextAttemptAt)
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(bench.origin.takeTargets().isEmpty)
        bench.time.advance(by: .seconds(3640))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
    }

    @Test func `a limit of some paths holds back no others`() async throws {
        var bench = try await bench(try RateLimit("/posts/**", "1/h"), try RateLimit("/other", "9/h"))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await bench.store.gates().isEmpty)
        bench.origin.set("/other", ScriptedOrigin.page("[7]"))
        var other = AnyResource("other", from: bench.resource.source, at: "/other", key: "id")
        other.isConditional = false
        bench.resource = other
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await limits(bench).map(\.used) == [1, 1])
    }

    @Test func `a reported zero exhausts the limit, and the sync keeps its page`() async throws {
        let (left, reset) = (HTTPField.Name("X-RateLimit-Remaining")!, HTTPField.Name("X-RateLimit-Reset")!)
        let bench = try await bench(try RateLimit(PathPattern("**"), rate: nil, remaining: left, reset: reset))
        bench.origin.set(
            "/posts",
            .text(
                #"[{"id":1}]"#,
                headerFields: [
                    .contentType: "application/json", HTTPField.Name("Link")!: "</posts?page=2>; rel=\"next\"",
                    left: "0", reset: "1700000600",
                ]))
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(report.result.error?.message.contains("the origin has nothing left for '**'") == true)
        #expect(try await bench.entry(report.result.entry).nextAttemptAt == Timestamp(secondsSince1970: 1_700_000_600))
        #expect(bench.origin.takeTargets() == ["/posts"])
    }

    @Test func `a page that could not be requested uses nothing of the limit`() async throws {
        let bench = try await bench(try RateLimit("**", "1/h"))
        bench.origin.set("/posts", .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)))
        _ = try await bench.sync()
        #expect(try await limits(bench).isEmpty)
    }

    // MARK: Writes

    private func writes(_ limits: RateLimit...) async throws -> WriteBench {
        var bench = try await WriteBench(concurrency: 1)
        bench.sources[0].limits = limits
        for path in ["/a", "/b", "/c"] { bench.origin.set(path, .status(.created)) }
        return bench
    }

    @Test func `writes beyond the limit wait in the queue, unsent, and are sent when it has room`() async throws {
        let bench = try await writes(try RateLimit("**", "1/h"))
        let entries = [
            try await bench.enqueue("/a"), try await bench.enqueue("/b", idempotency: nil),
            try await bench.enqueue("/c"),
        ]
        _ = try await bench.sender().drain()
        #expect(bench.origin.takeTargets() == ["/a"])
        let waiting = try await bench.entry(entries[1].id)
        #expect(waiting.state == .queued && waiting.attempts == 0 && !waiting.mayHaveArrived)
        // Its turn is before what was accepted later.
        #expect(waiting.nextAttemptAt == bench.time.now)
        // The gate holds back the rest without a try.
        #expect(try await bench.events(entries[2].id) == ["accepted"])
        let gate = try await bench.store.gates().first
        let told = QueueExplanation(waiting, gate: gate, keep: KeepRules(), now: bench.time.now)
        #expect(told.why.contains("the limit '**' (1/h) is used up until"))
        #expect(told.next.contains("no request goes to its source until 2023-11-14T23:14:00.000Z"))
        bench.time.advance(by: .seconds(3640))
        _ = try await bench.sender().drain()
        #expect(bench.origin.takeTargets() == ["/b"])
        #expect(try await bench.entry(entries[1].id).state == .done)
    }

    @Test func `a limit of some writes lets the others pass`() async throws {
        let bench = try await writes(try RateLimit("/a", "1/h"))
        for path in ["/a", "/a", "/b"] { try await bench.enqueue(path) }
        _ = try await bench.sender().drain()
        #expect(bench.origin.takeTargets() == ["/a", "/b"])
    }

    @Test func `a write whose caller waits does not wait long`() async throws {
        let bench = try await writes(try RateLimit("**", "1/10s"))
        let (one, two) = (try await bench.enqueue("/a"), try await bench.enqueue("/b"))
        let sender = bench.sender()
        #expect(try await sender.send(one.id)?.state == .done)
        #expect(try await sender.send(two.id)?.state == .queued)
        #expect(bench.origin.takeTargets() == ["/a"])
    }
}
