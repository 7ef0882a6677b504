import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct ConflictTests {
    private static let post = #"{"id":"a","title":"old","votes":1}"#
    private static let theirs = #"{"id":"a","title":"theirs","votes":1}"#

    private func bench() async throws -> EditBench {
        let bench = try await EditBench()
        try await bench.pull("[\(Self.post)]")
        return bench
    }

    // MARK: A pull finds a changed base

    @Test func `a pull that changed the same member parks the edit and keeps all three sides`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull("[\(Self.theirs)]")
        let parked = try await bench.entry(entry.id)
        #expect(parked.reason == .conflict)
        #expect(try await bench.store.history(of: entry.id).last?.detail == "the origin has changed $.title")
        let report = try #require(try await bench.store.conflict(of: entry.id))
        #expect(report.base == (try JSONDocument(Self.post)))
        #expect(report.mine == (try JSONDocument(#"{"id":"a","title":"mine","votes":1}"#)))
        #expect(report.theirs == (try JSONDocument(Self.theirs)))
        #expect(report.difference?.conflicts.map(\.description) == ["$.title"])
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":1}"#)
        #expect(try await bench.pending("a") == 1)
    }

    @Test func `a pull that changed other members disturbs nobody`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull(#"[{"id":"a","title":"old","votes":2}]"#)
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test func `a pull that shows the edit's own effect is no conflict`() async throws {
        let bench = try await bench()
        let first = try await bench.edit(.merge, "a", #"{"title":"1"}"#)
        let second = try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        // The first one arrived, and its answer was lost.
        try await bench.pull(#"[{"id":"a","title":"1","votes":1}]"#)
        #expect(try await bench.entry(first.id).state == .queued)
        #expect(try await bench.entry(second.id).state == .queued)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2","votes":1}"#)
    }

    @Test func `an edit behind one that was delivered is made for its answer`() async throws {
        let bench = try await bench()
        let first = try await bench.edit(.merge, "a", #"{"title":"1"}"#)
        let second = try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        try await bench.deliver(first, #"{"id":"a","title":"1!","votes":1}"#)
        try await bench.pull(#"[{"id":"a","title":"1!","votes":5}]"#)
        #expect(try await bench.entry(second.id).state == .queued)
        #expect(try await bench.store.conflict(of: second.id)?.disagreement == nil)
    }

    @Test func `a record that the origin deleted is in conflict with an edit`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.store.write { transaction in
            let overlay = try #require(try EditProjection.load("posts", now: bench.time.now, transaction))
            let gone = RecordState(body: try JSONDocument(Self.post), deletedAt: bench.time.now)
            try overlay.setBase(of: "a", to: ServerCopy(state: gone, cause: .missing), transaction)
        }
        let report = try #require(try await bench.store.conflict(of: entry.id))
        #expect(report.theirs == nil)
        #expect(report.disagreement == "the origin has deleted the record")
    }

    @Test func `where the origin is to win, the edit is dropped and its record is the origin's`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .theirs }
        try await bench.pull("[\(Self.theirs)]")
        #expect(try await bench.entry(entry.id).state == .dropped)
        #expect(try await bench.shown("a") == Self.theirs)
        #expect(try await bench.pending("a") == 0)
        #expect(try await bench.bases().isEmpty)
        try await bench.expectSound()
    }

    @Test func `where the edit is to win, it stays`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .mine }
        try await bench.pull("[\(Self.theirs)]")
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test func `where both are to be merged, a whole record takes over what only the origin changed`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.replace, "a", #"{"id":"a","title":"mine","votes":1}"#) { edit in
            (edit.conflict, edit.ifMatch) = (.merge, true)
        }
        try await bench.pull(#"[{"id":"a","title":"old","votes":7}]"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":7}"#)
        #expect(try await bench.sqlite.rows("SELECT sent_as <> key FROM siding_idempotency_keys") == [["1"]])
        #expect(try #require(try await bench.claim(entry.id)).text == #"{"id":"a","title":"mine","votes":7}"#)
    }

    @Test func `a whole record with a condition is in conflict with any change, without one only with the same`()
        async throws
    {
        for isConditional in [true, false] {
            let bench = try await bench()
            let entry = try await bench.edit(.replace, "a", #"{"id":"a","title":"mine","votes":1}"#) { edit in
                edit.ifMatch = isConditional
            }
            try await bench.pull(#"[{"id":"a","title":"old","votes":7}]"#)
            #expect(try await bench.entry(entry.id).state == (isConditional ? .parked : .queued))
        }
    }

    @Test func `a delete with a condition is in conflict with any change, without one with none`() async throws {
        for isConditional in [true, false] {
            let bench = try await bench()
            let entry = try await bench.edit(.delete, "a") { $0.ifMatch = isConditional }
            try await bench.pull("[\(Self.theirs)]")
            #expect(try await bench.entry(entry.id).state == (isConditional ? .parked : .queued))
            #expect(try await bench.shown("a") == nil)
        }
    }

    @Test func `what is being sent is left alone`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .theirs }
        let write = try #require(try await bench.claim(entry.id))
        try await bench.pull("[\(Self.theirs)]")
        #expect(try await bench.entry(entry.id).state == .sending)
        try await bench.settle(write, .answered(#"{"id":"a","title":"mine","votes":1}"#))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":1}"#)
    }

    // MARK: The origin refuses

    @Test func `a refusal that holds the record tells what theirs is`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        let parked = try await bench.settle(entry, .parked(.conflict, status: 412, answer: Self.theirs))
        #expect(parked.reason == .conflict)
        #expect(try await bench.store.conflict(of: entry.id)?.theirs == (try JSONDocument(Self.theirs)))
        #expect(try await bench.bases() == [["a", Self.theirs]])
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == Self.theirs)
    }

    @Test func `where the edit is to win, it is sent again with a new key, at most three times`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .mine }
        var keys: Set<String> = []
        for _ in 0..<2 {
            let write = try #require(try await bench.claim(entry.id))
            keys.insert(write.key)
            #expect(try await bench.settle(write, .parked(.conflict, status: 409)).state == .queued)
        }
        let last = try #require(try await bench.claim(entry.id))
        keys.insert(last.key)
        #expect(keys.count == 3)
        #expect(try await bench.settle(last, .parked(.conflict, status: 409)).state == .parked)
    }

    @Test func `where the origin is to win, a refused edit is dropped`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .theirs }
        let dropped = try await bench.settle(entry, .parked(.conflict, status: 409, answer: Self.theirs))
        #expect(dropped.state == .dropped)
        #expect(try await bench.shown("a") == Self.theirs)
        try await bench.expectSound()
    }

    @Test func `what can be merged is sent again with the new validator`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { edit in
            (edit.conflict, edit.ifMatch) = (.merge, true)
        }
        let now = #"{"id":"a","title":"old","votes":8}"#
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.headerFields[.ifMatch] == nil)
        var verdict = WriteSettlement.Verdict.parked(.conflict, status: 412, answer: now)
        if case .parked(let reason, let error, var answer?) = verdict {
            answer.etag = "\"8\""
            verdict = .parked(reason, error, answer)
        }
        #expect(try await bench.settle(write, verdict).state == .queued)
        let again = try #require(try await bench.claim(entry.id))
        #expect(again.headerFields[.ifMatch] == "\"8\"")
        #expect(again.key != write.key)
    }

    @Test func `a merge waits for a person, or for a pull that makes it possible`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .merge }
        #expect(try await bench.settle(entry, .parked(.conflict, status: 409)).state == .parked)
        try await bench.pull(#"[{"id":"a","title":"old","votes":8}]"#)
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test func `the validator of an answer goes with the next edit, and not past a change`() async throws {
        let bench = try await bench()
        func answered(_ etag: String) async throws {
            let entry = try await bench.edit(.merge, "a", #"{"title":"x"}"#) { $0.ifMatch = true }
            let answer = WriteAnswer(status: 200, contentType: nil, etag: etag, body: Array(Self.theirs.utf8))
            try await bench.settle(entry, .delivered(answer))
        }
        func condition() async throws -> String? {
            let entry = try await bench.edit(.merge, "a", #"{"title":"y"}"#) { $0.ifMatch = true }
            let write = try #require(try await bench.claim(entry.id))
            try await bench.settle(write, .released(isUnsent: true))
            try await bench.drop(entry)
            return write.headerFields[.ifMatch]
        }
        try await answered("\"1\"")
        #expect(try await condition() == "\"1\"")
        #expect(try await condition() == "\"1\"")
        try await answered("W/\"2\"")
        #expect(try await condition() == nil)
        try await answered("\"3\"")
        try await bench.pull("[\(Self.post)]")
        #expect(try await condition() == nil)
    }

    @Test func `the validator of an answer is kept by the sender`() async throws {
        let bench = try await bench()
        let origin = ScriptedOrigin()
        origin.set("/posts/a", .text(Self.theirs, headerFields: [.eTag: "\"7\""]))
        let sender = WriteSender(
            store: bench.store, sources: [try EditBench.posts().source], transports: origin,
            environment: Environment(connectivity: TestConnectivity(), wallClock: bench.time.clock))
        for _ in 0..<2 {
            let entry = try await bench.edit(.merge, "a", #"{"title":"x"}"#) { $0.ifMatch = true }
            #expect(try await sender.send(entry.id)?.state == .done)
        }
        #expect(origin.takeRequests().map { $0.headerFields[.ifMatch] } == [nil, "\"7\""])
    }

    @Test func `an edit that goes out without the validator it asked for says so in its history`() async throws {
        let bench = try await bench()
        let details = { (entry: QueueEntry) in
            try await bench.store.history(of: entry.id).filter { $0.event == "claimed" }.map(\.detail)
        }
        let first = try await bench.edit(.merge, "a", #"{"title":"x"}"#) { $0.ifMatch = true }
        let answer = WriteAnswer(status: 200, contentType: nil, etag: "\"1\"", body: Array(Self.theirs.utf8))
        try await bench.settle(first, .delivered(answer))
        #expect(try await details(first) == ["no strong ETag of the record is known: it goes out without If-Match"])
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

    // MARK: A person decides

    @Test func `mine is sent again under a new key`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#, fields: [.ifMatch: "\"1\""])
        let before = try #require(try await bench.claim(entry.id))
        try await bench.settle(before, .parked(.conflict, status: 412, answer: Self.theirs))
        let resolved = try await bench.store.resolve(entry.id, as: .mine)
        #expect(resolved.id == entry.id)
        #expect(resolved.state == .queued)
        #expect(try await bench.store.conflict(of: entry.id)?.disagreement == nil)
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.key != before.key)
        #expect(write.headerFields[.ifMatch] == nil)
        try await bench.settle(write, .answered(""))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":1}"#)
    }

    @Test func `theirs drops the edit`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull("[\(Self.theirs)]")
        #expect(try await bench.store.resolve(entry.id, as: .theirs).state == .dropped)
        #expect(try await bench.shown("a") == Self.theirs)
        #expect(try await bench.pending("a") == 0)
    }

    @Test func `a merge sends what makes of theirs the record that is wanted`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull(#"[{"id":"a","title":"theirs","votes":3}]"#)
        let wanted = #"{"id":"a","title":"both","votes":3}"#
        let new = try await bench.store.resolve(entry.id, as: .merge(Array(wanted.utf8)))
        #expect(new.replaces == entry.id)
        #expect(new.state == .queued)
        #expect(new.lane == entry.lane)
        #expect(try await bench.shown("a") == wanted)
        #expect(try #require(try await bench.claim(new.id)).text == #"{"title":"both"}"#)
    }

    @Test func `a merge that no merge patch can say is refused, and nothing changes`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull("[\(Self.theirs)]")
        let kind = try await storeErrorKind {
            _ = try await bench.store.resolve(entry.id, as: .merge(Array(#"{"id":"a","title":null}"#.utf8)))
        }
        #expect(kind == .invalidWrite)
        #expect(try await bench.entry(entry.id).reason == .conflict)
    }

    @Test func `a write that is no edit is resolved as well`() async throws {
        let bench = try await bench()
        let entry = try await bench.send(.post, "/things", "{}")
        try await bench.settle(entry, .parked(.conflict, status: 409))
        #expect(try await bench.store.conflict(of: entry.id) == nil)
        let new = try await bench.store.resolve(entry.id, as: .merge(Array("[]".utf8)))
        #expect(try #require(try await bench.claim(new.id)).text == "[]")
    }

    // MARK: The caller's key

    /// Sends a POST that replaces post `a` under the key `k`.
    private func keyed(_ bench: EditBench, _ policy: ConflictPolicy) async throws -> QueueEntry {
        var edit = WriteEdit(.replace, of: try EditBench.posts(), key: "a", conflict: policy)
        edit.ifMatch = true
        return try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .post, try EditBench.url("/posts/a"),
                body: Array(#"{"id":"a","title":"mine","votes":1}"#.utf8), key: "k", idempotency: Idempotency(),
                edit: edit))
    }

    @Test(arguments: [ConflictPolicy.mine, .merge, .hold])
    func `a key that the caller chose leads to its entry, however the conflict was resolved`(policy: ConflictPolicy)
        async throws
    {
        let bench = try await bench()
        let entry = try await keyed(bench, policy)
        try await bench.settle(
            entry, .parked(.conflict, status: 412, answer: #"{"id":"a","title":"old","votes":7}"#))
        if policy == .hold { _ = try await bench.store.resolve(entry.id, as: .mine) }
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.key != "k")
        #expect(try await keyed(bench, policy).id == entry.id)
        try await bench.settle(write, .answered(""))
        #expect(try await keyed(bench, policy).state == .done)
        _ = try await bench.store.carryOut(.purge, on: QueueSelection(ids: [entry.id]))
        #expect(try await keyed(bench, policy).id == entry.id)
        #expect(try await bench.waiting().isEmpty)
        let other = try await storeErrorKind { try await bench.send(.post, "/posts/a", "{}", key: "k") }
        #expect(other == .invalidWrite)
    }

    @Test(arguments: [ConflictPolicy.merge, .theirs, .hold])
    func `an edit that was tried, and may have arrived, is not changed by a pull`(policy: ConflictPolicy) async throws {
        let bench = try await bench()
        let entry = try await keyed(bench, policy)
        let first = try #require(try await bench.claim(entry.id))
        let error = RecordedError(name: "http", message: "the origin said 500", status: 500, phase: "answered")
        try await bench.settle(first, .retry(error, isCounted: true, waitsForNetwork: false) { _ in .zero })
        try await bench.pull("[\(Self.theirs)]")
        let again = try #require(try await bench.claim(entry.id))
        #expect(again.key == "k" && again.body == first.body)
    }

    @Test(arguments: [429, 503])
    func `an edit that the origin turned away meets its changes as one that was not tried`(status: Int) async throws {
        let bench = try await bench()
        let entry = try await keyed(bench, .hold)
        let error = RecordedError(name: "http", message: "the origin said \(status)", status: status, phase: "answered")
        try await bench.settle(entry, .retry(error, isCounted: false, waitsForNetwork: false) { _ in .zero })
        #expect(try await !bench.entry(entry.id).mayHaveArrived)
        try await bench.pull("[\(Self.theirs)]")
        #expect(try await bench.entry(entry.id).reason == .conflict)
    }
}
