// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What is left of a sender that dies, or loses what it had in hand.
@Suite struct WriteCrashTests {
    @Test func `the entry of a dead sender is reclaimed at once`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        let dead = try await bench.another()
        #expect(try await bench.claim(dead)?.entry.id == entry.id)
        #expect(try await bench.store.reclaim() == [], "its sender lives")
        await dead.close()
        #expect(try await bench.store.reclaim().map(\.id) == [entry.id])
        #expect(try await bench.entry(entry.id).crashes == 1)
        #expect(try await bench.claim()?.entry.id == entry.id)
        #expect(try await bench.events(entry.id) == ["accepted", "claimed", "crashed", "claimed"])
    }

    @Test func `a write whose result could not be stored is reclaimed by the running process`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        let write = try #require(try await bench.claim())
        #expect(try await bench.store.reclaim() == [], "it is in hand")
        try await bench.store.write { try $0.execute("ALTER TABLE siding_outbox_events RENAME TO elsewhere") }
        await #expect(throws: StoreError.self) { try await bench.deliver(write) }
        try await bench.store.write { try $0.execute("ALTER TABLE elsewhere RENAME TO siding_outbox_events") }
        #expect(try await bench.store.reclaim().map(\.id) == [entry.id])
        let again = try #require(try await bench.claim())
        #expect(again.key == write.key)
        try await bench.deliver(again)
        #expect(try await bench.events(entry.id) == ["accepted", "claimed", "crashed", "claimed", "delivered"])
    }

    @Test func `an entry with which three senders died waits for an operator`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        for _ in 0..<3 {
            let dead = try await bench.another()
            #expect(try await bench.claim(dead) != nil)
            await dead.close()
            _ = try await bench.store.reclaim()
        }
        #expect(try await bench.entry(entry.id).reason == .poison)
        #expect(try await bench.claim() == nil)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test(arguments: [true, false])
    func `a write that may not be sent twice is parked only where it was about to leave`(wasLeaving: Bool) async throws
    {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", idempotency: nil)
        let dead = try await bench.another()
        let write = try #require(try await bench.claim(dead))
        if wasLeaving { try await dead.markSent(write) }
        await dead.close()
        _ = try await bench.store.reclaim()
        let left = try await bench.entry(entry.id)
        #expect(left.state == (wasLeaving ? .parked : .queued))
        #expect(left.reason == (wasLeaving ? .uncertain : nil))
    }

    @Test(arguments: [true, false])
    func `an entry whose sender died is shown as such before it is reclaimed`(wasLeaving: Bool) async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", idempotency: nil)
        let dead = try await bench.another()
        let write = try #require(try await bench.claim(dead))
        if wasLeaving { try await dead.markSent(write) }
        let chosen = QueueSelection(ids: [entry.id])
        let sent = try #require(try await bench.store.entries(chosen).first)
        let before = QueueExplanation(sent, gate: nil, keep: KeepRules(), now: bench.time.now)
        #expect(sent.state == .sending && !sent.hasDeadSender)
        #expect(before.why.hasPrefix("it is being sent, and its answer is not known yet"), "\(before.why)")
        #expect(before.why.contains("it may have reached the origin") == wasLeaving)
        await dead.close()
        let left = try #require(try await bench.store.entries(chosen).first)
        #expect(left.state == .sending && left.hasDeadSender)
        let told = QueueExplanation(left, gate: nil, keep: KeepRules(), now: bench.time.now)
        #expect(told.why == (wasLeaving ? "its sender died: it may have reached the origin." : "its sender died."))
        #expect(told.next.hasPrefix("its sender died; the next 'siding queue run' or 'siding sync' decides"))
    }

    @Test func `an idempotent method is sent again without a key`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", .put, idempotency: nil)
        let dead = try await bench.another()
        let write = try #require(try await bench.claim(dead))
        #expect(write.isResendable && write.keyField == nil)
        await dead.close()
        _ = try await bench.store.reclaim()
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test func `a sender that lost an entry can neither complete it nor send it`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", idempotency: nil)
        let stale = try #require(try await bench.claim())
        try await bench.store.write { transaction in
            try transaction.execute("UPDATE siding_outbox SET token = token + 1 WHERE id = ?1", entry.id)
        }
        let answer = WriteAnswer(status: 201, contentType: nil, body: [])
        #expect(try await bench.store.recordResult(stale, WriteResult(.delivered(answer), .answers)) == nil)
        #expect(try await bench.entry(entry.id).state == .sending, "nothing was changed")
        #expect(try await storeErrorKind { try await bench.store.markSent(stale) } == .leaseLost)
    }

    @Test func `a key that the origin has forgotten is never used again`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", idempotency: Idempotency(lifetime: .seconds(3600)))
        let first = try #require(try await bench.claim())
        bench.time.advance(by: .seconds(10))
        try await bench.fail(first, phase: .maybeSent)
        bench.time.advance(by: .seconds(3580))
        try await bench.fail(try #require(try await bench.claim()), phase: .maybeSent)
        bench.time.advance(by: .seconds(10))
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(entry.id).reason == .keyExpired)
    }

    @Test func `the lifetime of a key begins with the try that may have arrived`() async throws {
        let bench = try await WriteBench()
        try await bench.enqueue("/a", idempotency: Idempotency(lifetime: .seconds(3600)))
        try await bench.fail(try #require(try await bench.claim()), phase: .notSent)
        bench.time.advance(by: .seconds(100_000))
        #expect(try await bench.claim() != nil, "no try has left the machine")
    }

    @Test func `an expired entry is parked, and continues when an operator says so`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", expiry: .seconds(60))
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(entry.id).reason == .expired)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test(
        arguments: [
            "url = 'no url'", "method = 'G E T'", "headers = '{}'", #"headers = '[["a b","c"]]'"#,
            #"headers = '[["If-Match"]]'"#, "conflict_on = '{}'", "probe = '{}', unknown_since = 1",
        ] as [SQL])
    func `a write that cannot be read is parked, and stops its own lane only`(damage: SQL) async throws {
        let bench = try await WriteBench(sources: ["api", "other"])
        let bad = try await bench.enqueue("/a", lane: "l")
        try await bench.enqueue("/b", lane: "l")
        let good = try await [bench.enqueue("/c"), bench.enqueue("/d", to: "other")]
        try await bench.store.write {
            _ = try $0.execute(
                """
                UPDATE siding_outbox_requests SET \(damage)
                WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
                """, bad.id)
        }
        let first = try #require(try await bench.claim())
        let second = try #require(try await bench.claim())
        #expect(Set([first.entry.id, second.entry.id]) == Set(good.map(\.id)))
        #expect(try await bench.claim() == nil)
        let parked = try await bench.entry(bad.id)
        #expect(parked.state == .parked && parked.reason == .invalid)
        #expect(parked.lastError?.message.isEmpty == false)
        #expect(try await bench.store.history(of: bad.id).last?.detail == parked.lastError?.message)
        #expect(try await bench.claim(entry: bad.id) == nil)
    }

    @Test func `a clock that was set back blocks no lane`() async throws {
        let bench = try await WriteBench(concurrency: 8)
        bench.time.advance(by: .seconds(31_536_000))
        let late = try await bench.enqueue("/a")
        try await bench.fail(try #require(try await bench.claim()), wait: .seconds(60))
        bench.time.advance(by: .seconds(-31_536_000))
        let soon = try await bench.enqueue("/b")
        try await bench.fail(try #require(try await bench.claim(entry: soon.id)), wait: .seconds(60))
        // An ordinary wait stands before it, and does not hide it.
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == bench.time.now)
        #expect(try await bench.store.outlook(of: ["api"]).hasWork)
        #expect(try await bench.claim()?.entry.id == late.id)
        #expect(try await bench.claim() == nil, "the other waits for its time")
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == bench.time.now + .seconds(60))
        #expect(try await !bench.store.outlook(of: ["api"]).hasWork)
    }

    @Test func `a wait is a day at most, and holds to its end`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        try await bench.fail(try #require(try await bench.claim()), wait: .seconds(30 * 86_400))
        #expect(try await bench.claim() == nil)
        bench.time.advance(by: .seconds(86_399))
        #expect(try await bench.claim() == nil)
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test func `a clock that was set back does not delay a probe for a year`() async throws {
        let bench = try await WriteBench()
        bench.time.advance(by: .seconds(31_536_000))
        let entry = try await bench.store.enqueue(
            WriteRequest(to: "api", .post, HTTPURL("https://api.test/a"), body: Array("{}".utf8))
                .with(\.probe, WriteProbe("/a?ref={entry}", mark: JSONPath(member: "ref"))))
        let error = RecordedError(name: "connectionLost", message: "it was lost")
        let transition = WriteResult.Transition.unknown(error, waitsForNetwork: false) { _ in .seconds(60) }
        let lost = try #require(try await bench.claim())
        _ = try await bench.store.recordResult(lost, WriteResult(transition, .nothing))
        bench.time.advance(by: .seconds(-31_536_000))
        let asked = try #require(try await bench.claim())
        #expect(asked.entry.unknownSince == bench.time.now)
        #expect(try await bench.entry(entry.id).unknownSince == bench.time.now)
        let later = WriteResult.Transition.sendAgain(
            from: bench.time.now + .seconds(30 * 86_400), because: "it is not there")
        _ = try await bench.store.recordResult(asked, WriteResult(later, .answers))
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == bench.time.now + .seconds(86_400))
    }
}
