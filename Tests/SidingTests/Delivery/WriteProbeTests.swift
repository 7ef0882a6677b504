// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A write that may have arrived and may not be sent twice: the origin is asked before anything else is done.
@Suite struct WriteProbeTests {
    private static let probe = WriteProbe("/issues?ref={entry}", mark: JSONPath(member: "ref"))
    private static let lost = ScriptedAnswer.failure(Failure(.connectionLost, phase: .maybeSent))

    /// A bench with one write whose first try was lost.
    struct Lost {
        let bench: WriteBench
        let entry: QueueEntry
        var asked: String { "/issues?ref=\(entry.id)" }

        init(
            _ probe: WriteProbe = WriteProbeTests.probe, key: String? = nil, idempotency: Idempotency? = nil
        ) async throws {
            bench = try await WriteBench(concurrency: 1)
            entry = try await bench.store.enqueue(
                WriteRequest(
                    to: "api", .post, HTTPURL("https://api.test/issues"), body: Array(#"{"a":1}"#.utf8),
                    idempotency: idempotency
                )
                .with(\.key, key)
                .with(\.probe, probe))
            bench.origin.set("/issues", WriteProbeTests.lost, .text(#"{"id":7}"#, status: .created))
        }

        var now: QueueEntry { get async throws { try await bench.entry(entry.id) } }

        /// Lets `seconds` go by, and sends what is due.
        @discardableResult
        func drain(after seconds: Int = 0) async throws -> [String] {
            bench.time.advance(by: .seconds(seconds))
            _ = try await bench.sender().drain()
            return bench.origin.takeRequests().map { "\($0.method) \($0.path ?? "")" }
        }

        func events() async throws -> [String] { try await bench.events(entry.id) }

        /// Loses the write, has the probe answered so, and expects that an operator decides.
        func expectUndecided(
            by answer: ScriptedAnswer, location: SourceLocation = #_sourceLocation
        ) async throws {
            bench.origin.set(asked, answer)
            try await drain()
            #expect(try await drain(after: 100) == ["GET \(asked)"], sourceLocation: location)
            #expect(try await now.reason == .uncertain, sourceLocation: location)
        }
    }

    @Test func `a write that the origin has is done, and was sent once`() async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, .text(#"[{"id":7,"ref":"\#(lost.entry.id)"}]"#))
        #expect(try await lost.drain() == ["POST /issues"])
        let left = try await lost.now
        #expect(left.state == .queued && left.unknownSince == lost.bench.time.now && left.attempts == 1)
        #expect(try await lost.drain() == [], "it is not asked about before its wait is over")
        #expect(try await lost.drain(after: 10) == ["GET \(lost.asked)"])
        #expect(try await lost.now.state == .done)
        #expect(try await lost.events() == ["accepted", "claimed", "unknown", "claimed", "found"])
        let answer = try #require(try await lost.bench.store.content(of: lost.entry.id)?.answer)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"id":7,"ref":"\#(lost.entry.id)"}"#)
    }

    @Test func `the write carries its mark, and the rest of its body unchanged`() async throws {
        let lost = try await Lost()
        let sent = try #require(try await lost.bench.claim()?.body)
        #expect(String(decoding: sent, as: UTF8.self) == #"{"a":1,"ref":"\#(lost.entry.id)"}"#)
        #expect(try await lost.bench.store.content(of: lost.entry.id)?.body == sent)
        #expect(try await lost.bench.store.content(of: lost.entry.id)?.probe == lost.asked)
    }

    @Test func `a missing write is sent again, once the request cannot be under way`() async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, .text("[]"))
        let tried = lost.bench.time.now
        try await lost.drain()
        #expect(try await lost.drain(after: 10) == ["GET \(lost.asked)"])
        #expect(try await lost.now.unknownSince == tried)
        #expect(try await lost.now.nextAttemptAt == tried + .seconds(30))
        #expect(try await lost.drain(after: 20) == ["GET \(lost.asked)", "POST /issues"])
        #expect(try await lost.now.state == .done)
        #expect(
            try await lost.events() == [
                "accepted", "claimed", "unknown", "claimed", "probed", "claimed", "probed", "claimed", "delivered",
            ])
    }

    @Test func `where the key stands in the URL's path, 404 means that the write is missing`() async throws {
        let lost = try await Lost(WriteProbe("/issues/by-key/{key}", after: .seconds(1)), key: "k1")
        lost.bench.origin.set("/issues/by-key/k1", .status(.notFound))
        try await lost.drain()
        #expect(try await lost.drain(after: 10) == ["GET /issues/by-key/k1", "POST /issues"])
        #expect(try await lost.now.state == .done)
    }

    @Test(arguments: [
        ScriptedAnswer.status(.notFound), .status(.forbidden), .text(#"[{"id":1}]"#), .text(#"{"a":[],"b":[]}"#),
        .status(.notImplemented),
    ])
    func `an inconclusive probe leaves the write to an operator, who may send it again`(
        answer: ScriptedAnswer
    ) async throws {
        let lost = try await Lost()
        try await lost.expectUndecided(by: answer)
        #expect(try await lost.drain(after: 100) == [])
        _ = try await lost.bench.store.perform(.retry, on: QueueSelection(ids: [lost.entry.id]))
        #expect(try await lost.drain() == ["POST /issues"])
    }

    @Test func `where two arrivals are harmless, it is sent again although the probe is inconclusive`() async throws {
        var probe = Self.probe
        probe.fallback = .send
        let lost = try await Lost(probe)
        lost.bench.origin.set(lost.asked, .status(.forbidden))
        try await lost.drain()
        #expect(try await lost.drain(after: 10) == ["GET \(lost.asked)"])
        #expect(try await lost.drain(after: 20) == ["GET \(lost.asked)", "POST /issues"])
    }

    @Test(arguments: [
        ScriptedAnswer.failure(Failure(.cantConnectToHost(.refused), phase: .notSent)),
        .failure(Failure(.timeout(.total), phase: .maybeSent)), .status(.badGateway), .text("<html>"),
        .status(.serviceUnavailable), .failure(Failure(.noInternetConnection, phase: .notSent)),
        .failure(Failure(.credentialUnavailable, phase: .notSent)),
    ])
    func `a probe that fails is sent again, and the write is not sent meanwhile`(answer: ScriptedAnswer) async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, answer, .text(#"[{"ref":"\#(lost.entry.id)"}]"#))
        try await lost.drain()
        let since = try await lost.now.unknownSince
        #expect(try await lost.drain(after: 10) == ["GET \(lost.asked)"])
        #expect(try await lost.now.state == .queued)
        #expect(try await lost.now.unknownSince == since)
        #expect(try await lost.drain(after: 4000) == ["GET \(lost.asked)"])
        #expect(try await lost.now.state == .done)
    }

    @Test func `a probe with a Retry-After of zero is sent ever more rarely`() async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, .status(.tooManyRequests, headerFields: [.retryAfter: "0"]))
        var asked = 0
        for _ in 0..<40 { asked += try await lost.drain(after: 1).count { $0.hasPrefix("GET") } }
        #expect((3...10).contains(asked))
        #expect(try await lost.now.attempts == asked + 1)
    }

    @Test func `a probe that needs a sign-in waits for it, and is sent then`() async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, .status(.unauthorized), .text(#"[{"ref":"\#(lost.entry.id)"}]"#))
        try await lost.drain()
        try await lost.drain(after: 10)
        #expect(try await lost.now.reason == .signIn)
        try await lost.bench.store.endWaits(of: nil, because: .retryRequested)
        #expect(try await lost.drain() == ["GET \(lost.asked)"])
        #expect(try await lost.now.state == .done)
    }

    @Test func `a key that the origin may have forgotten is probed, not used again`() async throws {
        let lost = try await Lost(idempotency: Idempotency(lifetime: .seconds(3600)))
        lost.bench.origin.set("/issues", Self.lost)
        lost.bench.origin.set(lost.asked, .text("[]"))
        try await lost.drain()
        #expect(try await lost.now.unknownSince == nil, "the key is good for another try")
        #expect(try await lost.drain(after: 4000) == ["GET \(lost.asked)"])
        lost.bench.origin.set("/issues", .status(.created))
        #expect(try await lost.drain(after: 30) == ["GET \(lost.asked)", "POST /issues"])
        #expect(try await lost.now.state == .done)
    }

    @Test func `the later entries of its lane wait until all is known`() async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, .text("[]"))
        lost.bench.origin.set("/next", .status(.created))
        let next = try await lost.bench.enqueue("/next", lane: lost.entry.lane)
        try await lost.drain()
        #expect(try await lost.drain(after: 10) == ["GET \(lost.asked)"])
        #expect(try await lost.bench.entry(next.id).isHead == false)
        #expect(try await lost.drain(after: 20) == ["GET \(lost.asked)", "POST /issues", "POST /next"])
    }
}

// MARK: - Deaths and persons

extension WriteProbeTests {
    @Test func `a write that a dead sender may have sent is probed, and three deaths wait for an operator`()
        async throws
    {
        let lost = try await Lost()
        let bench = lost.bench
        var dead = try await bench.another()
        try await dead.markSent(try #require(try await bench.claim(dead)))
        await dead.close()
        _ = try await bench.store.reclaim()
        let since = try #require(try await lost.now.unknownSince)
        #expect(try await lost.now.state == .queued)
        for _ in 0..<2 {
            bench.time.advance(by: .seconds(1))
            dead = try await bench.another()
            #expect(try await bench.claim(dead)?.probeToRun != nil, "a probe, not a second send")
            await dead.close()
            _ = try await bench.store.reclaim()
        }
        #expect(try await lost.now.reason == .poison)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [lost.entry.id]))
        #expect(try await lost.now.unknownSince == since)
        #expect(try await lost.drain().first == "GET \(lost.asked)")
    }

    @Test func `an operator's retry probes at once, and hold and release forget nothing`() async throws {
        let lost = try await Lost()
        lost.bench.origin.set(lost.asked, .text("[]"))
        try await lost.drain()
        let selection = QueueSelection(ids: [lost.entry.id])
        _ = try await lost.bench.store.perform(.retry, on: selection)
        #expect(try await lost.drain() == ["GET \(lost.asked)"])
        _ = try await lost.bench.store.perform(.hold, on: selection)
        _ = try await lost.bench.store.perform(.release, on: selection)
        #expect(try await lost.drain() == ["GET \(lost.asked)"])
        #expect(try await lost.now.unknownSince != nil)
    }

    @Test func `its reason to wait and its next step are explained`() async throws {
        let lost = try await Lost()
        try await lost.drain()
        let told = QueueExplanation(try await lost.now, gate: nil, keep: KeepRules(), now: lost.bench.time.now)
        #expect(told.why.hasPrefix("it may have reached the origin: "))
        #expect(told.next.contains("ask the origin whether the write arrived from "))
        #expect(told.next.contains("if so, it is done; if not, it is sent again"))
    }

    @Test func `an edited write carries its own id, and is not taken for the old one`() async throws {
        let lost = try await Lost()
        try await lost.drain()
        let change = WriteChange(body: Array(#"{"a":2}"#.utf8), releases: true)
        let early = try await storeErrorKind { _ = try await lost.bench.store.replace(lost.entry.id, with: change) }
        #expect(early == .invalidWrite, "it would be a second write, unasked for")
        _ = try await lost.bench.store.perform(.hold, on: QueueSelection(ids: [lost.entry.id]))
        let edited = try await lost.bench.store.replace(lost.entry.id, with: change)
        #expect(edited.unknownSince == nil)
        let body = try #require(try await lost.bench.store.content(of: edited.id)?.body)
        #expect(String(decoding: body, as: UTF8.self) == #"{"a":2,"ref":"\#(edited.id)"}"#)
        let kind = try await storeErrorKind {
            _ = try await lost.bench.store.replace(edited.id, with: WriteChange(body: Array("[]".utf8)))
        }
        #expect(kind == .invalidWrite, "it could not carry its mark")
    }

    @Test(arguments: [
        ("[1]", WriteProbe("/i?r={entry}", mark: JSONPath(member: "r"))),
        (#"{"r":"mine"}"#, WriteProbe("/i?r={entry}", mark: JSONPath(member: "r"))), ("{}", WriteProbe("/i")),
        ("{}", WriteProbe("/i/{id}?r={entry}", mark: JSONPath(member: "r"))),
    ])
    func `a write that cannot carry the mark is not accepted`(body: String, probe: WriteProbe) async throws {
        let bench = try await WriteBench()
        let write = WriteRequest(to: "api", .post, try HTTPURL("https://api.test/i"), body: Array(body.utf8))
            .with(\.probe, probe)
        #expect(try await storeErrorKind { _ = try await bench.store.enqueue(write) } == .invalidWrite)
        var idempotent = write
        idempotent.method = .put
        _ = try await bench.store.enqueue(idempotent)
    }
}

// MARK: - Records

extension WriteProbeTests {
    private static func create(_ bench: EditBench, _ body: String) async throws -> QueueEntry {
        let edit = WriteEdit(.create, of: try EditBench.posts()).with(\.idPath, JSONPath(members: ["data", "id"]))
        return try await bench.store.enqueue(
            WriteRequest(to: "blog", .post, try EditBench.url("/posts"), body: Array(body.utf8)).with(\.edit, edit)
                .with(\.probe, probe))
    }

    private static let unknown = WriteResult.Transition.unknown(
        RecordedError(name: "connectionLost", message: "the line broke", phase: "maybe_sent"), waitsForNetwork: false
    ) { _ in .zero }

    @Test func `the record that was found gives a created one its id, as the answer would have`() async throws {
        let bench = try await EditBench()
        let entry = try await Self.create(bench, #"{"title":"a"}"#)
        let temporary = try #require(entry.recordKey)
        let later = try await bench.edit(.merge, temporary, #"{"title":"b"}"#)
        try await bench.recordResult(entry, Self.unknown)
        #expect(try await bench.claim(later.id) == nil)
        let record = #"{"id":7,"title":"a","ref":"\#(entry.id)"}"#
        let answer = WriteAnswer(status: 200, contentType: "application/json", body: Array(record.utf8))
        try await bench.recordResult(entry, .arrived(answer))
        #expect(try await bench.shown(temporary) == nil)
        #expect(try await bench.shown("7") == #"{"id":7,"title":"b","ref":"\#(entry.id)"}"#)
        #expect(try await bench.entry(later.id).url.hasSuffix("/posts/7"))
        try await bench.expectSound()
    }

    @Test func `an incoming change leaves an edit alone that may have arrived, and conflicts once it has not`()
        async throws
    {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":7,"title":"a"}]"#)
        let edit = WriteEdit(.merge, of: try EditBench.posts(), key: "7")
        let entry = try await bench.store.enqueue(
            WriteRequest(to: "blog", .patch, try EditBench.url("/posts/7"), body: Array(#"{"title":"mine"}"#.utf8))
                .with(\.edit, edit)
                .with(\.probe, Self.probe))
        try await bench.recordResult(entry, Self.unknown)
        try await bench.pull(#"[{"id":7,"title":"theirs"}]"#)
        #expect(try await bench.entry(entry.id).state == .queued)
        try await bench.recordResult(entry, .sendAgain(from: bench.time.now, because: "it is not there"))
        #expect(try await bench.claim() == nil)
        let left = try await bench.entry(entry.id)
        #expect(left.reason == .conflict && left.unknownSince == nil)
        try await bench.expectSound()
    }
}

// MARK: - Which answers are conflicts

extension WriteProbeTests {
    @Test(arguments: [
        (422, ParkReason.conflict), (409, .conflict), (412, .rejected), (428, .rejected), (400, .rejected),
    ])
    func `a write's own statuses mean a conflict, and no others`(status: Int, reason: ParkReason) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .text(#"{"message":"no"}"#, status: .init(code: status)))
        let entry = try await bench.store.enqueue(
            WriteRequest(to: "api", .post, HTTPURL("https://api.test/a"), body: Array("{}".utf8))
                .with(\.conflictStatuses, [409, 422]))
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).reason == reason)
    }
}
