import HTTPTypes
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What is left of a sender that dies, or loses what it had in hand.
@Suite struct WriteCrashTests {
    @Test func `what a dead sender had in hand is taken up at once`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        let dead = try await bench.another()
        #expect(try await bench.claim(dead)?.entry.id == entry.id)
        #expect(try await bench.store.reap() == [], "its sender lives")
        await dead.close()
        #expect(try await bench.store.reap().map(\.id) == [entry.id])
        #expect(try await bench.entry(entry.id).crashes == 1)
        #expect(try await bench.claim()?.entry.id == entry.id)
        #expect(try await bench.events(entry.id) == ["accepted", "claimed", "crashed", "claimed"])
    }

    @Test func `a write whose settlement could not be stored is taken up by the process that lives on`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        let write = try #require(try await bench.claim())
        #expect(try await bench.store.reap() == [], "it is in hand")
        try await bench.store.write { try $0.execute("ALTER TABLE siding_attempts RENAME TO elsewhere") }
        await #expect(throws: StoreError.self) { try await bench.deliver(write) }
        try await bench.store.write { try $0.execute("ALTER TABLE elsewhere RENAME TO siding_attempts") }
        #expect(try await bench.store.reap().map(\.id) == [entry.id])
        let again = try #require(try await bench.claim())
        #expect(again.key == write.key)
        try await bench.deliver(again)
        #expect(try await bench.events(entry.id) == ["accepted", "claimed", "crashed", "claimed", "delivered"])
    }

    @Test func `an entry with which three senders died waits for a person`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        for _ in 0..<3 {
            let dead = try await bench.another()
            #expect(try await bench.claim(dead) != nil)
            await dead.close()
            _ = try await bench.store.reap()
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
        _ = try await bench.store.reap()
        let left = try await bench.entry(entry.id)
        #expect(left.state == (wasLeaving ? .parked : .queued))
        #expect(left.reason == (wasLeaving ? .uncertain : nil))
    }

    @Test func `an idempotent method is sent again without a key`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", .put, idempotency: nil)
        let dead = try await bench.another()
        let write = try #require(try await bench.claim(dead))
        #expect(write.isResendable && write.keyField == nil)
        await dead.close()
        _ = try await bench.store.reap()
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test func `who lost an entry can neither settle it nor send it`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", idempotency: nil)
        let stale = try #require(try await bench.claim())
        try await bench.store.write { transaction in
            try transaction.execute("UPDATE siding_queue SET token = token + 1 WHERE id = ?1", entry.id)
        }
        let answer = WriteAnswer(status: 201, contentType: nil, body: [])
        #expect(try await bench.store.settle(stale, WriteSettlement(.delivered(answer), .answers)) == nil)
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

    @Test func `what waited past its expiry is parked, and goes on when a person says so`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a", expiry: .seconds(60))
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(entry.id).reason == .expired)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.claim()?.entry.id == entry.id)
    }
}
