// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// Lanes, dependencies and turns: which write is next.
@Suite struct WriteOrderTests {
    @Test func `a write is accepted once per key, and a key stands for one request`() async throws {
        let bench = try await WriteBench()
        let first = try await bench.enqueue("/a", key: "k1")
        #expect(try await bench.enqueue("/a", key: "k1").id == first.id)
        #expect(try await bench.store.entries(QueueSelection()).count == 1)
        let kind = try await storeErrorKind { try await bench.enqueue("/b", key: "k1") }
        #expect(kind == .invalidWrite)
        #expect(try await storeErrorKind { try await bench.enqueue("/a", key: "k1", body: "[]") } == .invalidWrite)
    }

    @Test func `a lane is delivered in order, one at a time, and other lanes beside it`() async throws {
        let bench = try await WriteBench()
        let one = try await bench.enqueue("/1", lane: "l")
        let two = try await bench.enqueue("/2", lane: "l")
        let other = try await bench.enqueue("/3")
        let first = try #require(try await bench.claim())
        #expect(first.entry.id == one.id)
        let beside = try #require(try await bench.claim())
        #expect(beside.entry.id == other.id)
        #expect(try await bench.claim() == nil, "the second of the lane waits")
        try await bench.deliver(first)
        #expect(try await bench.claim()?.entry.id == two.id)
    }

    @Test func `a failed head keeps its place: nothing of its lane overtakes it`() async throws {
        let bench = try await WriteBench()
        let one = try await bench.enqueue("/1", lane: "l")
        try await bench.enqueue("/2", lane: "l")
        try await bench.fail(try #require(try await bench.claim()), wait: .seconds(10))
        #expect(try await bench.claim() == nil)
        bench.time.advance(by: .seconds(10))
        #expect(try await bench.claim()?.entry.id == one.id)
    }

    @Test func `an entry waits for its parents, and is parked when one is dropped`() async throws {
        let bench = try await WriteBench()
        let parent = try await bench.enqueue("/parent")
        let child = try await bench.enqueue("/child", after: [parent.shortID])
        let orphan = try await bench.enqueue("/orphan", after: [child.id])
        let first = try #require(try await bench.claim())
        #expect(first.entry.id == parent.id)
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(child.id).waitsOn == 1)
        try await bench.deliver(first)
        #expect(try await bench.entry(child.id).waitsOn == 0)
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [child.id]))
        let parked = try await bench.entry(orphan.id)
        #expect(parked.state == .parked && parked.reason == .dependency)
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [orphan.id]))
        #expect(try await bench.claim()?.entry.id == orphan.id, "a person may say that it goes all the same")
    }

    @Test func `a held entry is parked as well when its parent is dropped`() async throws {
        let bench = try await WriteBench()
        let parent = try await bench.enqueue("/parent")
        let child = try await bench.enqueue("/child", after: [parent.id])
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [child.id]))
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [parent.id]))
        #expect(try await bench.entry(child.id).reason == .dependency)
    }

    @Test func `a parent that is done causes no wait, one that was dropped is refused`() async throws {
        let bench = try await WriteBench()
        let done = try await bench.enqueue("/done")
        try await bench.deliver(try #require(try await bench.claim()))
        #expect(try await bench.enqueue("/next", after: [done.id]).waitsOn == 0)
        let dropped = try await bench.enqueue("/dropped")
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [dropped.id]))
        #expect(try await storeErrorKind { try await bench.enqueue("/x", after: [dropped.id]) } == .invalidWrite)
        #expect(try await storeErrorKind { try await bench.enqueue("/x", after: ["0000"]) } == .notFound)
    }

    @Test func `dropping the head of a lane lets the next one start`() async throws {
        let bench = try await WriteBench()
        let bad = try await bench.enqueue("/bad", lane: "l")
        let good = try await bench.enqueue("/good", lane: "l")
        let error = RecordedError(name: "http422", message: "no")
        let write = try #require(try await bench.claim())
        _ = try await bench.store.recordResult(write, WriteResult(.parked(.rejected, error, nil), .answers))
        #expect(try await bench.claim() == nil, "one bad entry stops its lane")
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [bad.id]))
        #expect(try await bench.claim()?.entry.id == good.id)
    }

    @Test func `sources take turns, regardless of the longest wait`() async throws {
        let bench = try await WriteBench(sources: ["big", "small"])
        for index in 0..<6 { try await bench.enqueue("/\(index)", to: "big") }
        bench.time.advance(by: .seconds(1))
        for index in 0..<2 { try await bench.enqueue("/\(index)", to: "small") }
        var served: [String] = []
        for _ in 0..<4 {
            bench.time.advance(by: .milliseconds(1))
            let write = try #require(try await bench.claim())
            served.append(write.entry.source)
        }
        #expect(served == ["big", "small", "big", "small"])
    }

    @Test func `all processes together send no more at once to a source than its limit`() async throws {
        let bench = try await WriteBench(concurrency: 2)
        let other = try await bench.another()
        for index in 0..<4 { try await bench.enqueue("/\(index)") }
        let first = try #require(try await bench.claim())
        #expect(try await bench.claim(other) != nil)
        #expect(try await bench.claim() == nil)
        #expect(try await bench.claim(other) == nil)
        try await bench.deliver(first)
        #expect(try await bench.claim(other) != nil)
        await other.close()
    }

    @Test func `a claim is one index look-up, with any number of waiting entries`() async throws {
        let bench = try await WriteBench()
        let plan = try await bench.store.read { snapshot in
            try snapshot.query(
                """
                EXPLAIN QUERY PLAN SELECT id FROM siding_outbox
                WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = 'a' AND not_before <= 5
                ORDER BY not_before, seq LIMIT 1
                """
            ) { $0.text(3) }
        }
        #expect(plan.count == 1)
        #expect(plan.first?.contains("INDEX siding_outbox_ready (source=? AND not_before<?)") == true, "\(plan)")
    }
}
