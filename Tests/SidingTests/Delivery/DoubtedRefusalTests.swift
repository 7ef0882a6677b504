// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A refusal of a write that may have arrived by an earlier try under the same key: it is no verdict on that try.
@Suite struct DoubtedRefusalTests {
    private static let lost = ScriptedAnswer.failure(Failure(.connectionLost, phase: .maybeSent))
    private static let refused = ScriptedAnswer.status(.unprocessableContent)

    /// Sends what is due, again and again, past all waits.
    private static func drain(_ bench: WriteBench, times: Int = 6) async throws {
        for _ in 0..<times {
            _ = try await bench.sender().drain()
            try await bench.store.endWaits(of: nil, because: .retryRequested)
            bench.time.advance(by: .seconds(4000))
        }
    }

    private static func end(
        _ answers: [ScriptedAnswer], _ method: HTTPRequest.Method = .post, isKeyed: Bool = true,
        rules: [FailureRule] = [], body: String = "{}"
    ) async throws -> QueueEntry {
        var bench = try await WriteBench(concurrency: 1)
        bench.sources[0].failureRules = rules
        bench.origin.set("/a", answers)
        let entry = try await bench.enqueue(
            "/a", method, idempotency: isKeyed ? WriteBench.keyed : nil, body: body)
        try await drain(bench)
        return try await bench.entry(entry.id)
    }

    @Test(
        arguments: [HTTPRequest.Method.post, .patch, .put, .delete],
        [400, 402, 403, 404, 405, 409, 410, 412, 413, 415, 422, 428, 451, 501])
    func `a refusal after a lost try under the key is uncertain, with any status`(
        method: HTTPRequest.Method, status: Int
    ) async throws {
        let entry = try await Self.end([Self.lost, .status(.init(code: status))], method)
        if method == .delete, status == 404 || status == 410 {
            #expect(entry.state == .done)
        } else {
            #expect(entry.state == .parked && entry.reason == .uncertain)
            #expect(entry.mayHaveArrived)
            #expect(entry.lastError?.message.contains("an earlier try was not answered") == true)
            #expect(entry.lastError?.status == status)
        }
    }

    @Test(arguments: [
        lost, .status(.internalServerError), .status(.badGateway), .status(.gatewayTimeout), .status(.requestTimeout),
        .failure(Failure(.timeout(.response), phase: .maybeSent)), .failure(Failure(.cancelled, phase: .maybeSent)),
    ])
    func `each end of a try without an answer leaves it uncertain, and a later success is a success`(
        first: ScriptedAnswer
    ) async throws {
        #expect(try await Self.end([first, Self.refused]).reason == .uncertain)
        #expect(try await Self.end([first, .status(.created)]).state == .done)
    }

    @Test(
        arguments: [
            .status(.tooManyRequests), .status(.serviceUnavailable), .status(.unauthorized), .status(.forbidden),
            .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)),
            .failure(Failure(.noInternetConnection, phase: .notSent)),
        ] as [ScriptedAnswer])
    func `a try that was rejected or not sent makes nothing uncertain, and nothing certain`(
        other: ScriptedAnswer
    ) async throws {
        let rules = [try FailureRule(when: .answer(.init(statuses: [403])), do: .rateLimited)]
        #expect(try await Self.end([other, Self.refused], rules: rules).reason == .rejected)
        #expect(try await Self.end([other, .status(.conflict)], rules: rules).reason == .conflict)
        #expect(try await Self.end([Self.lost, other, Self.refused], rules: rules).reason == .uncertain)
    }

    @Test(arguments: [true, false])
    func `a rule that parks decides nothing about an earlier try`(isSuccess: Bool) async throws {
        let body = FailureRule.Trait(at: JSONPath(member: "ok"), .equals("false"))
        let condition = isSuccess ? FailureRule.Answer(body: body) : FailureRule.Answer(statuses: [400])
        let rule = try FailureRule(when: .answer(condition), do: .park, on: .write)
        let answer = ScriptedAnswer.text(#"{"ok":false}"#, status: isSuccess ? .ok : .badRequest)
        #expect(try await Self.end([answer], rules: [rule]).reason == .rejected)
        #expect(try await Self.end([Self.lost, answer], rules: [rule]).reason == .uncertain)
    }

    @Test func `a GraphQL refusal, and a 304, decide nothing about an earlier try`() async throws {
        let refusal = ScriptedAnswer.text(#"{"errors":[{"message":"the name is taken"}]}"#)
        let mutation = #"{"query":"mutation { add(name: 1) { id } }"}"#
        #expect(try await Self.end([Self.lost, refusal], body: mutation).reason == .uncertain)
        #expect(try await Self.end([Self.lost, .status(.notModified)]).reason == .uncertain)
    }

    @Test func `a conflict with the key is tried again three times before it is uncertain`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/a", Self.lost, .status(.conflict), .status(.conflict), .status(.created))
        let entry = try await bench.enqueue("/a")
        try await Self.drain(bench)
        #expect(try await bench.entry(entry.id).state == .done)
        #expect(bench.origin.takeTargets().count == 4)
    }

    @Test(arguments: [[refused], [.status(.serviceUnavailable), .status(.serviceUnavailable), refused]])
    func `a lost try within the call counts as one before it`(others: [ScriptedAnswer]) async throws {
        var bench = try await WriteBench(concurrency: 1)
        bench.sources[0].retry = RetryPolicy(retries: 2, backoff: Backoff(base: .zero, cap: .zero))
        bench.origin.set("/a", [Self.lost] + others)
        let entry = try await bench.enqueue("/a")
        let sender = WriteSender(
            store: bench.store, sources: bench.sources, transports: bench.origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: Jitter { 1 }, wallClock: bench.time.clock))
        for _ in 0..<3 {
            _ = try await sender.drain()
            bench.time.advance(by: .seconds(4000))
        }
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        #expect(bench.origin.takeTargets().count == 1 + others.count)
    }

    @Test func `a request within the call that was turned away does not count as a lost try`() async throws {
        var bench = try await WriteBench(concurrency: 1)
        bench.sources[0].retry = RetryPolicy(retries: 2, backoff: Backoff(base: .zero, cap: .zero))
        bench.origin.set("/a", .status(.serviceUnavailable, headerFields: [.retryAfter: "0"]), Self.refused)
        let entry = try await bench.enqueue("/a")
        let sender = WriteSender(
            store: bench.store, sources: bench.sources, transports: bench.origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: Jitter { 1 }, wallClock: bench.time.clock))
        _ = try await sender.drain()
        #expect(try await bench.entry(entry.id).reason == .rejected)
    }

    @Test(arguments: [409, 412, 422]) func `where a probe is declared, it is sent`(status: Int) async throws {
        let bench = try await WriteBench(concurrency: 1)
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "api", .post, HTTPURL("https://api.test/a"), body: Array("{}".utf8), idempotency: Idempotency()
            )
            .with(\.probe, WriteProbe("/a?ref={entry}", mark: JSONPath(member: "ref"))))
        bench.origin.set("/a", Self.lost, .status(.init(code: status)))
        bench.origin.set("/a?ref=\(entry.id)", .text(#"[{"id":7,"ref":"\#(entry.id)"}]"#))
        try await Self.drain(bench)
        #expect(try await bench.entry(entry.id).state == .done)
        #expect(bench.origin.takeTargets().last == "/a?ref=\(entry.id)")
    }

    @Test func `a sender that died may have sent it, so a refusal of the next try is uncertain`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        let dead = try await bench.another()
        #expect(try await bench.claim(dead) != nil)
        await dead.close()
        _ = try await bench.store.reclaim()
        bench.origin.set("/a", Self.refused)
        try await Self.drain(bench)
        #expect(try await bench.entry(entry.id).reason == .uncertain)
    }

    @Test(arguments: [(422, ParkReason.rejected), (409, .conflict)])
    func `an operator's retry starts afresh`(status: Int, reason: ParkReason) async throws {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/a", Self.lost, .status(.init(code: status)))
        let entry = try await bench.enqueue("/a")
        try await Self.drain(bench)
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        _ = try await bench.store.perform(.retry, on: QueueSelection(ids: [entry.id]))
        try await Self.drain(bench)
        #expect(try await bench.entry(entry.id).reason == reason)
    }
}

// MARK: - Edits

extension DoubtedRefusalTests {
    /// An edit whose first try may be lost, then meets a conflict, until nothing is due.
    private func edit(
        _ change: WriteEdit.Change, _ policy: ConflictPolicy, status: Int, isKeyed: Bool = true, isLost: Bool = true
    ) async throws -> (EditBench, QueueEntry) {
        let bench = try await EditBench.conflict()
        var edit = WriteEdit(change, of: try EditBench.posts(), key: change == .create ? nil : "a")
        edit.conflict = policy
        let method: HTTPRequest.Method = change == .create ? .post : change == .replace ? .put : .patch
        let path = change == .create ? "/posts" : "/posts/a"
        let body = change == .replace ? #"{"id":"a","title":"mine","votes":1}"# : #"{"title":"mine"}"#
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", method, try EditBench.url(path), body: Array(body.utf8),
                idempotency: isKeyed ? Idempotency() : nil
            )
            .with(\.edit, edit))
        let origin = ScriptedOrigin()
        origin.set(path, (isLost ? [Self.lost] : []) + [.text(EditBench.theirs, status: .init(code: status))])
        let sender = try bench.sender(over: origin)
        for _ in 0..<6 {
            _ = try await sender.drain()
            bench.time.advance(by: .seconds(4000))
        }
        return (bench, try await bench.entry(entry.id))
    }

    @Test(arguments: [WriteEdit.Change.create, .merge, .replace], ConflictPolicy.allCases)
    func `no conflict policy decides about an edit that may have arrived`(
        change: WriteEdit.Change, policy: ConflictPolicy
    ) async throws {
        for status in [409, 412, 428] {
            let (bench, entry) = try await edit(change, policy, status: status)
            #expect(entry.state == .parked && entry.reason == .uncertain, "\(status)")
            let key = try #require(entry.recordKey)
            #expect(try await bench.shown(key)?.contains("mine") == true, "the edit stays")
            // The key is still the one that was sent, by which the origin may know it.
            #expect(try await bench.sqlite.rows("SELECT sent_as FROM siding_idempotency_keys") == [[nil]])
            #expect(try await bench.store.resolve(entry.id, as: .arrived(id: nil)).state == .done)
            try await bench.expectSound()
        }
    }

    @Test(arguments: [(WriteEdit.Change.merge, true), (.merge, false), (.replace, true), (.replace, false)])
    func `a policy decides about a first try that was answered`(change: WriteEdit.Change, isKeyed: Bool) async throws {
        let (bench, entry) = try await edit(change, .theirs, status: 412, isKeyed: isKeyed, isLost: false)
        #expect(entry.state == .dropped)
        #expect(try await bench.shown("a") == EditBench.theirs)
    }

    @Test func `a PUT without a key is uncertain as well, where the record cannot be read`() async throws {
        let (_, entry) = try await edit(.replace, .theirs, status: 412, isKeyed: false)
        #expect(entry.state == .parked && entry.reason == .uncertain)
    }
}
