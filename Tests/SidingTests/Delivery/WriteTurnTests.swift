// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// One write is completed and the next taken in one transaction.
@Suite struct WriteTurnTests {
    private static let delivered = WriteResult(
        .delivered(WriteAnswer(status: 201, contentType: nil, body: [])), .answers)
    private static let request = ClaimRequest(sources: ["api": 1])

    @Test func `the next of a lane is claimed as soon as the one before it is completed`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        let entries = try await [bench.enqueue("/a", lane: "l"), bench.enqueue("/b", lane: "l")]
        let first = try #require(try await bench.claim())
        let turn = try await bench.store.recordResult(first, Self.delivered, claiming: Self.request)
        #expect(turn.entry?.state == .done)
        let second = try #require(turn.next)
        #expect(second.entry.id == entries[1].id && second.entry.state == .sending)
        #expect(try await bench.events(entries[1].id) == ["accepted", "claimed"])
        // This process is at work on it: nobody of it takes it for left behind.
        #expect(try await bench.store.reclaim() == [])
        #expect(try await bench.entry(entries[1].id).state == .sending)
        let last = try await bench.store.recordResult(second, Self.delivered, claiming: Self.request)
        #expect(last.entry?.state == .done)
        #expect(last.next == nil)
    }

    @Test func `the outcome for a source holds for the next entry already`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        try await bench.enqueue("/a")
        try await bench.enqueue("/b")
        let first = try #require(try await bench.claim())
        let error = RecordedError(name: "offline", message: "no way", phase: Failure.Phase.notSent.rawValue)
        let transition = WriteResult.Transition.retry(error, isCounted: false, waitsForNetwork: true) { _ in .zero }
        let turn = try await bench.store.recordResult(
            first, WriteResult(transition, .offline(note: "no way")), claiming: Self.request)
        #expect(turn.entry?.state == .queued)
        #expect(turn.next == nil)
    }

    @Test func `a sender that lost its entry changes nothing of that entry, and may claim the next`() async throws {
        let bench = try await WriteBench(concurrency: 2)
        try await bench.enqueue("/a")
        let other = try await bench.enqueue("/b")
        let lost = try #require(try await bench.claim())
        try await bench.store.write {
            _ = try $0.execute("UPDATE siding_outbox SET token = token + 1 WHERE id = ?1", lost.entry.id)
        }
        let turn = try await bench.store.recordResult(
            lost, Self.delivered, claiming: ClaimRequest(sources: ["api": 2]))
        #expect(turn.entry == nil)
        #expect(turn.next?.entry.id == other.id)
        #expect(try await bench.entry(lost.entry.id).state == .sending)
    }

    @Test func `a damaged entry is passed over, and does not undo the completion of the one before it`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        let good = try await bench.enqueue("/a")
        let bad = try await bench.enqueue("/b")
        let last = try await bench.enqueue("/c")
        let write = try #require(try await bench.claim())
        try await bench.store.write {
            _ = try $0.execute(
                """
                UPDATE siding_outbox_requests SET url = 'no url'
                WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
                """, bad.id)
        }
        let turn = try await bench.store.recordResult(write, Self.delivered, claiming: Self.request)
        #expect(turn.next?.entry.id == last.id)
        #expect(try await bench.entry(good.id).state == .done)
        #expect(try await bench.entry(bad.id).reason == .invalid)
    }
}
