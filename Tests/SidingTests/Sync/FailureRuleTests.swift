// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingTesting
import Testing

/// What `errors:` makes of failures in the place of the built-in table.
@Suite struct FailureRuleTests {
    private static func status(_ codes: Int...) -> FailureRule.Condition { .answer(.init(statuses: Set(codes))) }

    private static func word(_ path: String, _ test: FailureRule.TextTest) throws -> FailureRule.Condition {
        .answer(.init(body: .init(at: try JSONPath(parsing: path), test)))
    }

    private func bench(_ rules: FailureRule...) async throws -> EngineBench {
        var bench = try await EngineBench()
        bench.resource.source.failureRules = rules
        return bench
    }

    // MARK: Fetches

    @Test(arguments: [FailureRule.Action.queue, .retry])
    func `a refusal that a rule keeps is queued, and counts or does not`(
        _ action: FailureRule.Action
    ) async throws {
        let bench = try await bench(FailureRule(when: Self.status(403), do: action))
        bench.origin.set("/posts?page=2", .status(.forbidden))
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        let entry = try await bench.entry(report.result.entry)
        #expect(entry.attempts == (action == .retry ? 1 : 0))
        #expect(entry.nextAttemptAt == bench.time.now + .seconds(action == .retry ? 2 : 60))
        #expect(try await bench.store.gates() == [])
    }

    @Test func `an answer that a rule calls rate limited closes the source for its declared time`() async throws {
        let spent = FailureRule.Condition.answer(
            .init(
                statuses: [403],
                header: .init(at: try #require(HTTPField.Name("X-RateLimit-Remaining")), .equals("0"))))
        let bench = try await bench(FailureRule(when: spent, do: .rateLimited))
        var fields: HTTPFields = [.retryAfter: "600"]
        fields[try #require(HTTPField.Name("X-RateLimit-Remaining"))] = "0"
        bench.origin.set("/posts?page=2", .status(.forbidden, headerFields: fields))
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(try await bench.entry(report.result.entry).attempts == 0)
        let gate = try #require(try await bench.store.gates().first)
        #expect(gate.reason == .retryAfter && gate.until == bench.time.now + .seconds(600))
        // Without the field it is a refusal like any other.
        bench.time.advance(by: .seconds(601))
        bench.origin.set("/posts?page=2", .status(.forbidden))
        #expect(try await bench.sync().result.outcome == .failed)
    }

    @Test func `a page whose failure is ignored ends the listing there, and nothing counts as deleted`() async throws {
        let bench = try await bench(FailureRule(when: Self.status(404, 410), do: .ignore))
        #expect(try await bench.sync().result.outcome == .saved)
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        let entry = try await bench.sync().result.entry
        bench.origin.set("/posts?page=2", .status(.notFound))
        bench.time.advance(by: .seconds(3600))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.failure == nil && report.warnings == [])
        #expect(report.result.notes.contains { $0.contains("ignored") && $0.contains("404") })
        #expect(report.result.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        #expect(try await bench.entry(entry).state == .done)
        #expect(try await bench.checkpoint() == nil)
        #expect(try await bench.state().completedAt != bench.time.now)
    }

    @Test func `an answer that is to be quarantined is kept, the listing ends there, and the next good page mends it`()
        async throws
    {
        let bench = try await bench(FailureRule(when: Self.status(422), do: .quarantine))
        _ = try await bench.sync()
        bench.origin.set("/posts?page=2", .text(#"{"id":3,"error":"cannot be shown"}"#, status: .unprocessableContent))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.failure == nil)
        #expect(report.result.counters.quarantined == 1 && report.result.counters.deleted == 0)
        #expect(report.result.counters.answersQuarantined == 1)
        #expect(report.result.notes.contains { $0.contains("quarantined") && $0.contains("422") })
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        #expect(try await bench.checkpoint() == nil)
        let store = bench.store
        let kept = try #require(try await store.quarantined(QuarantineSelection()).first)
        #expect(kept.code == "answer" && kept.key == nil && kept.url.hasSuffix("/posts?page=2"))
        #expect(kept.reason.contains("422"))
        let whole = try await store.quarantined(kept.id)
        #expect(whole?.body == Array(#"{"id":3,"error":"cannot be shown"}"#.utf8))
        // It would pass for a record, and is none.
        let retried = try await store.retryQuarantined(QuarantineSelection(), as: [bench.resource])
        #expect(retried.first?.refusal?.contains("the next sync requests its page again") == true)
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3,4]", next: "/posts?page=3"))
        #expect(try await bench.sync().result.counters.quarantined == 0)
        #expect(try await store.quarantined(QuarantineSelection()) == [])
    }

    @Test(arguments: [(FailureRule.Action.retry, 1), (.queue, 0)])
    func `a rule about an answer that asks for a wait leaves the source open for the others`(
        _ action: FailureRule.Action, _ attempts: Int
    ) async throws {
        let bench = try await bench(FailureRule(when: Self.status(429), do: action))
        bench.origin.set("/posts?page=2", .status(.tooManyRequests, headerFields: [.retryAfter: "600"]))
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(try await bench.entry(report.result.entry).attempts == attempts)
        #expect(try await bench.store.gates() == [])
    }

    @Test func `the rules of a resource come before those of its source`() async throws {
        var bench = try await bench(FailureRule(when: Self.status(403), do: .fail))
        bench.resource.source = bench.resource.source.putting(
            first: [try FailureRule(when: Self.status(403), do: .ignore, on: .fetch)])
        bench.origin.set("/posts?page=2", .status(.forbidden))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a checkpoint that the origin reports as expired is dropped once, with any status`() async throws {
        let expired = try Self.word("$.error.code", .equals("CURSOR_EXPIRED"))
        let bench = try await bench(FailureRule(when: expired, do: .resetCursor))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        bench.time.advance(by: .seconds(3600))
        bench.origin.set(
            "/posts?page=2", .text(#"{"error":{"code":"CURSOR_EXPIRED"}}"#, status: .internalServerError),
            ScriptedOrigin.page("[3]"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts?page=2"])
        #expect(report.result.notes.contains { $0.contains("reset_cursor") })

        bench.origin.set("/posts?page=2", .text(#"{"error":{"code":"CURSOR_EXPIRED"}}"#, status: .internalServerError))
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2", "/posts", "/posts?page=2"])
    }

    @Test func `a success with an error inside is a failure under such a rule`() async throws {
        let limited = try Self.word("$.error", .contains("ratelimit"))
        let bench = try await bench(FailureRule(when: limited, do: .rateLimited, place: "siding.yaml:9"))
        bench.origin.set("/posts?page=2", .text(#"{"ok":false,"error":"ratelimited"}"#))
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(report.result.error?.message.contains("siding.yaml:9 says rate_limited") == true)
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test func `any element of a list will do, and the first rule that fits wins`() async throws {
        let busy = try Self.word("$.errors[*]", .equals("7"))
        let bench = try await bench(
            FailureRule(when: busy, do: .retry), FailureRule(when: Self.status(400), do: .ignore))
        bench.origin.set("/posts", .text(#"{"errors":[1,7]}"#, status: .badRequest))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.origin.set("/posts", .text(#"{"errors":[1,8]}"#, status: .badRequest))
        bench.time.advance(by: .seconds(3600))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a failure without an answer is matched by its name`() async throws {
        let bench = try await bench(FailureRule(when: .failure([.timeout]), do: .fail))
        bench.origin.set("/posts", .failure(Failure(.timeout(.response), phase: .maybeSent)))
        #expect(try await bench.sync().result.outcome == .failed)
        bench.origin.set("/posts", .failure(Failure(.temporaryDNS, phase: .notSent)))
        #expect(try await bench.sync().result.outcome == .queued)
    }

    @Test func `an answer that a rule calls a refused token closes the gate of the source until a sign-in`()
        async throws
    {
        let bench = try await bench(
            FailureRule(when: try Self.word("$.error", .equals("token_expired")), do: .refreshToken))
        bench.origin.set("/posts", .text(#"{"error":"token_expired"}"#))
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(try await bench.store.gates().map(\.reason) == [.signIn])
    }

    @Test func `a rule for writes does not apply to fetches`() async throws {
        let bench = try await bench(FailureRule(when: Self.status(403), do: .retry, on: .write))
        bench.origin.set("/posts", .status(.forbidden))
        #expect(try await bench.sync().result.outcome == .failed)
    }

    // MARK: Writes

    private func writes(_ rules: FailureRule...) async throws -> WriteBench {
        var bench = try await WriteBench()
        bench.sources[0].failureRules = rules
        return bench
    }

    @Test func `a refused write that a rule keeps is sent again, and counts or does not`() async throws {
        let bench = try await writes(
            FailureRule(when: Self.status(403), do: .retry), FailureRule(when: Self.status(404), do: .queue))
        bench.origin.set("/a", .status(.forbidden))
        bench.origin.set("/b", .status(.notFound))
        let (a, b) = (try await bench.enqueue("/a"), try await bench.enqueue("/b"))
        _ = try await bench.sender().drain()
        let (retried, queued) = (try await bench.entry(a.id), try await bench.entry(b.id))
        #expect(retried.state == .queued && retried.attempts == 1)
        #expect(queued.state == .queued && queued.attempts == 0)
        #expect(queued.nextAttemptAt >= bench.time.now + .seconds(60))
    }

    @Test(arguments: [nil, FailureRule.Subject.write])
    func `a write that may not be sent twice is sent again only by a rule on writes`(
        _ subject: FailureRule.Subject?
    ) async throws {
        let bench = try await writes(FailureRule(when: Self.status(500), do: .retry, on: subject))
        bench.origin.set("/a", .status(.internalServerError))
        let entry = try await bench.enqueue("/a", idempotency: nil)
        _ = try await bench.sender().drain()
        let left = try await bench.entry(entry.id)
        #expect(left.state == (subject == nil ? .parked : .queued))
        #expect(left.reason == (subject == nil ? .uncertain : nil))
    }

    @Test(arguments: [FailureRule.Action.retry, .queue, .park, .fail])
    func `a write that may have arrived without an answer is uncertain under every rule`(
        _ action: FailureRule.Action
    ) async throws {
        let bench = try await writes(FailureRule(when: .failure([.connectionLost]), do: action, on: .write))
        bench.origin.set("/a", .failure(Failure(.connectionLost, phase: .maybeSent)))
        let entry = try await bench.enqueue("/a", idempotency: nil)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        #expect(bench.origin.takeTargets() == ["/a"])
    }

    @Test(arguments: [FailureRule.Action.refreshToken, .park, .rateLimited, .queue])
    func `a server error leaves a keyless write uncertain, under any rule for all requests`(
        _ action: FailureRule.Action
    ) async throws {
        let bench = try await writes(FailureRule(when: Self.status(500), do: action))
        bench.origin.set("/a", .status(.internalServerError))
        let entry = try await bench.enqueue("/a", idempotency: nil)
        for _ in 0..<3 {
            _ = try await bench.sender().drain()
            try await bench.store.endWaits(of: nil, because: .retryRequested)
            bench.time.advance(by: .seconds(7200))
        }
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        #expect(bench.origin.takeTargets() == ["/a"])
    }

    @Test func `a status that is a refusal by default may be sent again by a rule for all requests`() async throws {
        let bench = try await writes(FailureRule(when: Self.status(403), do: .rateLimited))
        bench.origin.set("/a", .status(.forbidden))
        let entry = try await bench.enqueue("/a", idempotency: nil)
        _ = try await bench.sender().drain()
        let left = try await bench.entry(entry.id)
        #expect(left.state == .queued && left.attempts == 0)
        #expect(try await bench.store.gates().map(\.reason) == [.retryAfter])
    }

    @Test func `a refused token that only a rule knows of does not forget when a key was first sent`() async throws {
        let bench = try await writes(FailureRule(when: Self.status(500), do: .refreshToken))
        bench.origin.set("/a", .status(.internalServerError))
        let promise = Idempotency(lifetime: .seconds(2))
        let entry = try await bench.enqueue("/a", idempotency: promise)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).reason == .signIn)
        bench.time.advance(by: .seconds(3))
        try await bench.store.endWaits(of: nil, because: .credentialsChanged)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).reason == .keyExpired)
        #expect(bench.origin.takeTargets() == ["/a"])
    }

    @Test func `a kept failure waits its minute although the origin asks for less`() async throws {
        let bench = try await writes(FailureRule(when: Self.status(503), do: .queue))
        bench.origin.set("/a", .status(.serviceUnavailable, headerFields: [.retryAfter: "1"]))
        let entry = try await bench.enqueue("/a")
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).nextAttemptAt >= bench.time.now + .seconds(60))
    }

    @Test func `a write that a success refuses inside waits for an operator, with the answer kept`() async throws {
        let bench = try await writes(FailureRule(when: try Self.word("$.ok", .equals("false")), do: .park, on: .write))
        bench.origin.set("/a", .text(#"{"ok":false}"#))
        bench.origin.set("/b", .text(#"{"ok":true}"#))
        let (a, b) = (try await bench.enqueue("/a"), try await bench.enqueue("/b"))
        _ = try await bench.sender().drain()
        let parked = try await bench.entry(a.id)
        #expect(parked.state == .parked && parked.reason == .rejected)
        #expect(parked.lastError?.status == 200)
        #expect(try await bench.entry(b.id).state == .done)
    }

    // MARK: What cannot be

    @Test(arguments: [
        (FailureRule.Condition.answer(.init()), FailureRule.Action.retry, FailureRule.Subject?.none, "no condition"),
        (.answer(.init(statuses: [200, 404])), .ignore, nil, "every success"),
        (.failure([.timeout]), .ignore, nil, "needs a condition on the answer"),
        (.answer(.init(statuses: [404])), .ignore, .write, "ignore of a write is for answers with a success status"),
        (.failure([.timeout]), .ignore, .write, "needs a condition on the answer"),
        (.answer(.init(statuses: [404])), .resetCursor, .write, "is for fetches"),
        (.answer(.init(statuses: [202])), .partial, .write, "is for fetches"),
        (.answer(.init(statuses: [204])), .empty, .write, "is for fetches"),
        (.answer(.init(statuses: [206, 404])), .partial, nil, "partial is for answers with a success status"),
        (.answer(.init(statuses: [200])), .partial, .fetch, "every success"),
        (.answer(.init(statuses: [200])), .empty, .fetch, "every success"),
        (.answer(.init(statuses: [201])), .retry, nil, "every success"),
        (.answer(.init(statuses: [204])), .park, .write, "every success"),
    ])
    func `a rule with an invalid combination is refused with the reason`(
        _ condition: FailureRule.Condition, _ action: FailureRule.Action, _ subject: FailureRule.Subject?,
        _ why: String
    ) throws {
        let failure = #expect(throws: Failure.self) { try FailureRule(when: condition, do: action, on: subject) }
        #expect(failure?.detail?.contains(why) == true)
    }

    @Test(arguments: [
        ([202], FailureRule.Action.retry, FailureRule.Subject?.none), ([202], .partial, .fetch), ([203], .partial, nil),
        ([204], .empty, .fetch), ([204, 404, 409], .empty, nil), ([201, 204], .queue, .fetch), ([207], .park, .write),
        ([202], .park, .write), ([200, 207], .ignore, .write),
    ])
    func `a status that is not the usual success may have a rule of its own`(
        _ statuses: [Int], _ action: FailureRule.Action, _ subject: FailureRule.Subject?
    ) throws {
        #expect(throws: Never.self) {
            try FailureRule(when: .answer(.init(statuses: Set(statuses))), do: action, on: subject)
        }
    }
}
