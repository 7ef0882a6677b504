// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// The origin refuses an edit because somebody else changed its record; validators say so beforehand.
@Suite struct RefusedEditTests {
    @Test func `a refusal with the record gives the server copy`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        let parked = try await bench.recordResult(entry, .parked(.conflict, status: 412, answer: EditBench.theirs))
        #expect(parked.reason == .conflict)
        #expect(try await bench.store.conflict(of: entry.id)?.theirs == (try JSONDocument(EditBench.theirs)))
        #expect(try await bench.bases() == [["a", EditBench.theirs]])
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == EditBench.theirs)
    }

    @Test func `where the edit is to win, it is sent again with a new key, at most three times`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .mine }
        var keys: Set<String> = []
        for _ in 0..<2 {
            let write = try #require(try await bench.claim(entry.id))
            keys.insert(write.key)
            #expect(try await bench.recordResult(write, .parked(.conflict, status: 409)).state == .queued)
        }
        let last = try #require(try await bench.claim(entry.id))
        keys.insert(last.key)
        #expect(keys.count == 3)
        #expect(try await bench.recordResult(last, .parked(.conflict, status: 409)).state == .parked)
    }

    @Test func `where the origin is to win, a refused edit is dropped`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .theirs }
        let dropped = try await bench.recordResult(entry, .parked(.conflict, status: 409, answer: EditBench.theirs))
        #expect(dropped.state == .dropped)
        #expect(try await bench.shown("a") == EditBench.theirs)
        try await bench.expectSound()
    }

    @Test func `an edit that can be merged is sent again with the new validator`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { edit in
            (edit.conflict, edit.ifMatch) = (.merge, true)
        }
        let now = #"{"id":"a","title":"old","votes":8}"#
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.headerFields[.ifMatch] == nil)
        var transition = WriteResult.Transition.parked(.conflict, status: 412, answer: now)
        if case .parked(let reason, let error, var answer?) = transition {
            answer.etag = "\"8\""
            transition = .parked(reason, error, answer)
        }
        #expect(try await bench.recordResult(write, transition).state == .queued)
        let again = try #require(try await bench.claim(entry.id))
        #expect(again.headerFields[.ifMatch] == "\"8\"")
        #expect(again.key != write.key)
    }

    @Test func `a merge waits for an operator, or for an incoming change that makes it possible`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .merge }
        #expect(try await bench.recordResult(entry, .parked(.conflict, status: 409)).state == .parked)
        try await bench.pull(#"[{"id":"a","title":"old","votes":8}]"#)
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test func `the validator of an answer is sent with the next edit, and not past a change`() async throws {
        let bench = try await EditBench.conflict()
        func answered(_ etag: String) async throws {
            let entry = try await bench.edit(.merge, "a", #"{"title":"x"}"#) { $0.ifMatch = true }
            let answer = WriteAnswer(status: 200, contentType: nil, etag: etag, body: Array(EditBench.theirs.utf8))
            try await bench.recordResult(entry, .delivered(answer))
        }
        func condition() async throws -> String? {
            let entry = try await bench.edit(.merge, "a", #"{"title":"y"}"#) { $0.ifMatch = true }
            let write = try #require(try await bench.claim(entry.id))
            try await bench.recordResult(write, .released(isUnsent: true))
            try await bench.drop(entry)
            return write.headerFields[.ifMatch]
        }
        try await answered("\"1\"")
        #expect(try await condition() == "\"1\"")
        #expect(try await condition() == "\"1\"")
        try await answered("W/\"2\"")
        #expect(try await condition() == nil)
        try await answered("\"3\"")
        try await bench.pull("[\(EditBench.post)]")
        #expect(try await condition() == nil)
    }

    @Test func `the validator of an answer is kept by the sender`() async throws {
        let bench = try await EditBench.conflict()
        let origin = ScriptedOrigin()
        origin.set("/posts/a", .status(.notFound), .text(EditBench.theirs, headerFields: [.eTag: "\"7\""]))
        let sender = WriteSender(
            store: bench.store, sources: [try EditBench.posts().source], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: bench.time.clock))
        for _ in 0..<2 {
            let entry = try await bench.edit(.merge, "a", #"{"title":"x"}"#) { $0.ifMatch = true }
            #expect(try await sender.send(entry.id)?.state == .done)
        }
        let sent = origin.takeRequests()
        #expect(sent.map(\.method) == [.get, .patch, .patch])
        #expect(sent.map { $0.headerFields[.ifMatch] } == [nil, nil, "\"7\""])
    }

    /// The record is not shown before the first edit, whose answer gives an ETag. The origin refuses that for the second edit.
    private static func refused(
        _ policy: ConflictPolicy, edit body: String = #"{"title":"mine"}"#, now: ScriptedAnswer...
    ) async throws -> (EditBench, ScriptedOrigin, QueueEntry) {
        let bench = try await EditBench.conflict()
        let origin = ScriptedOrigin()
        origin.set(
            "/posts/a",
            // An edit that is to win does not ask for the record.
            (policy == .mine ? [] : [.status(.notFound)])
                + [.text(EditBench.theirs, headerFields: [.eTag: "\"1\""]), .status(.preconditionFailed)] + now)
        let sender = try bench.sender(over: origin)
        var last: QueueEntry?
        for body in [#"{"title":"theirs"}"#, body] {
            last = try await bench.edit(.merge, "a", body) { edit in
                (edit.ifMatch, edit.conflict) = (true, policy)
            }
            for _ in 0..<3 {
                _ = try await sender.drain()
                bench.time.advance(by: .seconds(120))
            }
        }
        return (bench, origin, try await bench.entry(try #require(last).id))
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `where only the validator differs, the edit is sent once under the new one`(policy: ConflictPolicy)
        async throws
    {
        let now = ScriptedAnswer.text(EditBench.theirs, headerFields: [.eTag: "\"2\""])
        let (bench, origin, entry) = try await Self.refused(policy, now: now, .status(.noContent))
        #expect(entry.state == .done)
        let sent = origin.takeRequests().filter { $0.method == .patch }.map { $0.headerFields[.ifMatch] }
        #expect(sent == [nil, "\"1\"", "\"2\""])
        #expect(try await bench.shown("a")?.contains("mine") == true)
        try await bench.expectSound()
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `a failure between two such refusals does not have it sent a third time`(policy: ConflictPolicy) async throws {
        func now(_ etag: String) -> ScriptedAnswer { .text(EditBench.theirs, headerFields: [.eTag: etag]) }
        let (bench, origin, entry) = try await Self.refused(
            policy, now: now("\"2\""), .status(.serviceUnavailable), .status(.preconditionFailed), now("\"3\""),
            .status(.noContent))
        #expect(entry.state == .parked && entry.reason == .conflict)
        #expect(
            entry.lastError?.message.hasSuffix("the record there is unchanged, only its ETag differs") == true)
        let sent = origin.takeRequests().filter { $0.method == .patch }.map { $0.headerFields[.ifMatch] }
        #expect(sent == [nil, "\"1\"", "\"2\"", "\"2\""])
        #expect(try await bench.pending("a") == 1)
        // An operator's decision begins anew.
        _ = try await bench.store.resolve(entry.id, as: .mine)
        _ = try await bench.sender(over: origin).drain()
        #expect(try await bench.entry(entry.id).state == .done)
        try await bench.expectSound()
    }

    @Test func `failures before a refusal leave an edit that is to win its tries`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .mine }
        let error = RecordedError(name: "timeout", message: "no way", phase: Failure.Phase.notSent.rawValue)
        for _ in 0..<4 {
            try await bench.recordResult(entry, .retry(error, isCounted: true, waitsForNetwork: false) { _ in .zero })
        }
        for state in [QueueEntry.State.queued, .queued, .parked] {
            #expect(try await bench.recordResult(entry, .parked(.conflict, status: 409)).state == state)
        }
    }

    @Test func `the result of a GET after the refusal does not count as the answer to the write`() async throws {
        let now = ScriptedAnswer.text(#"{"id":"a","title":"later"}"#, headerFields: [.eTag: "\"2\""])
        let (bench, _, entry) = try await Self.refused(.theirs, now: now)
        #expect(entry.state == .dropped)
        let provenance = try #require(try await bench.store.provenance(of: "posts", key: "a"))
        #expect(provenance.cause == .write)
        #expect(provenance.request?.method == "GET")
        #expect(provenance.request?.url == "https://api.example.org/posts/a")
        #expect(provenance.request?.status == 200 && provenance.request?.etag == "\"2\"")
        #expect(provenance.request?.entry == entry.id)
    }

    @Test func `a member that the record does not show may have been changed, so that the policy decides`()
        async throws
    {
        let now = ScriptedAnswer.text(EditBench.theirs, headerFields: [.eTag: "\"2\""])
        let (_, origin, entry) = try await Self.refused(
            .hold, edit: #"{"secret":"mine"}"#, now: now, .status(.noContent))
        #expect(entry.state == .parked && entry.reason == .conflict)
        #expect(origin.takeRequests().filter { $0.method == .patch }.count == 2)
    }

    @Test(arguments: ["W/\"2\"", "\"1\""])
    func `without a new validator no edit is dropped for an unchanged record`(etag: String) async throws {
        let now = ScriptedAnswer.text(EditBench.theirs, headerFields: [.eTag: etag])
        let (bench, _, entry) = try await Self.refused(.theirs, now: now, .status(.preconditionFailed), now)
        #expect(entry.state == .parked && entry.reason == .conflict)
        #expect(entry.lastError?.message.hasSuffix("the record there is unchanged") == true)
        #expect(try await bench.pending("a") == 1)
        try await bench.expectSound()
    }

    @Test func `an edit that is sent without its requested validator has that in its history`() async throws {
        let bench = try await EditBench.conflict()
        let details = { (entry: QueueEntry) in
            try await bench.store.history(of: entry.id).filter { $0.event == .claimed }.map(\.detail)
        }
        let first = try await bench.edit(.merge, "a", #"{"title":"x"}"#) { $0.ifMatch = true }
        let answer = WriteAnswer(status: 200, contentType: nil, etag: "\"1\"", body: Array(EditBench.theirs.utf8))
        try await bench.recordResult(first, .learned(nil))
        let write = try #require(try await bench.claim(first.id, knowsRecord: true))
        try await bench.recordResult(write, .delivered(answer))
        #expect(
            try await details(first) == [nil, "no strong ETag of the record is known: it is sent without If-Match"])
        let second = try await bench.edit(.merge, "a", #"{"title":"y"}"#) { $0.ifMatch = true }
        try await bench.deliver(second)
        #expect(try await details(second) == [nil])
        let own = try await bench.edit(.merge, "a", #"{"title":"z"}"#, fields: [.ifMatch: "\"5\""]) {
            $0.ifMatch = true
        }
        try await bench.deliver(own)
        #expect(try await details(own) == [nil])
        let plain = try await bench.edit(.merge, "a", #"{"title":"z"}"#)
        try await bench.deliver(plain)
        #expect(try await details(plain) == [nil])
    }
}
