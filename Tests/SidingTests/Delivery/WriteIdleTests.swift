// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What a sender costs others while there is nothing to send.
@Suite struct WriteIdleTests {
    @Test func `with nothing due a sender looks, and takes no turn among the writers`() async throws {
        let bench = try await WriteBench(sources: ["api", "other"])
        let head = try await bench.enqueue("/a", lane: "l")
        try await bench.enqueue("/b", lane: "l")
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [head.id]))
        try await bench.enqueue("/c", to: "other", expiry: .seconds(3_600))
        try await bench.fail(#require(try await bench.claim()), .offline(note: "no way"))
        #expect(try await !bench.store.outlook(of: ["api", "other"]).hasWork)

        // Another process writes without end: whoever wants a turn now does not get it.
        let lock = try #require(try HeldLock(bench.store.path + ".writer"))
        for _ in 0..<3 { #expect(try await bench.sender().drain() == []) }
        lock.die()
        #expect(bench.origin.takeTargets() == [])
    }

    @Test func `due entries, and a gate that lets a probe through, are seen`() async throws {
        let bench = try await WriteBench()
        #expect(try await !bench.store.outlook(of: ["api"]).hasWork)
        try await bench.enqueue("/a")
        #expect(try await bench.store.outlook(of: ["api"]).hasWork)
        #expect(try await !bench.store.outlook(of: ["other"]).hasWork)
        try await bench.fail(#require(try await bench.claim()), .offline(note: "no way"))
        #expect(try await !bench.store.outlook(of: ["api"]).hasWork)
        bench.time.advance(by: RetryRules.probeWindow)
        #expect(try await bench.store.outlook(of: ["api"]).hasWork)
    }

    @Test func `one query has the sources with claimed writes, and those that need a sign-in`() async throws {
        let bench = try await WriteBench(sources: ["api", "other"])
        #expect(
            try await bench.store.outlook(of: ["api"])
                == QueueOutlook())
        try await bench.enqueue("/a")
        #expect(
            try await bench.store.outlook(of: ["api"])
                == QueueOutlook(due: ["api": bench.time.now], ready: ["api"]))
        let write = try #require(try await bench.claim())
        #expect(
            try await bench.store.outlook(of: ["other"])
                == QueueOutlook(claimed: ["api"]))
        try await bench.refuse(write)
        #expect(
            try await bench.store.outlook(of: ["other"])
                == QueueOutlook(wantingSignIn: ["api"]))
    }

    @Test func `an expired entry is parked although nothing else is due`() async throws {
        let bench = try await WriteBench()
        let head = try await bench.enqueue("/a", lane: "l")
        let next = try await bench.enqueue("/b", lane: "l", expiry: .seconds(60))
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [head.id]))
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(next.id).state == .queued)
        bench.time.advance(by: .seconds(60))
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(next.id).reason == .expired)
    }

    @Test func `without a way out one request finds that out for all of its source`() async throws {
        let bench = try await WriteBench(sources: ["api", "other"], concurrency: 4)
        bench.connectivity.set(hasUsableRoute: false)
        for source in ["api", "other"] {
            bench.origin.set("/a", .failure(Failure(.noInternetConnection, phase: .notSent)))
            for _ in 0..<6 { try await bench.enqueue("/a", to: source) }
        }
        let tried = try await bench.sender().drain()
        #expect(tried.map(\.source).sorted() == ["api", "other"])
        #expect(tried.allSatisfy { $0.attempts == 0 })
        #expect(try await bench.sender().drain() == [])
        // Later one more looks, and a line that is there again serves as many as it may.
        bench.time.advance(by: RetryRules.probeWindow)
        #expect(try await bench.sender().drain().count == 2)
        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.set("/a", .status(.created))
        try await bench.store.endWaits(of: nil, because: .lineReturned)
        #expect(try await bench.sender().drain().count == 12)
        #expect(bench.origin.takeTargets().count == 16)
    }

    @Test func `a source whose writes are due hides no later moment of another one`() async throws {
        let bench = try await WriteBench(sources: ["api", "other"])
        try await bench.enqueue("/a", to: "other")
        try await bench.fail(#require(try await bench.claim()), wait: .seconds(60))
        try await bench.enqueue("/b")
        let (now, outlook) = (bench.time.now, try await bench.store.outlook(of: ["api", "other"]))
        #expect(outlook.nextDue == now && outlook.ready == ["api"])
        #expect(outlook.nextDue(after: now) == now + .seconds(60))
        #expect(outlook.without(["api"]).nextDue == now + .seconds(60))
        #expect(!outlook.without(["api"]).hasWork)
    }

    @Test func `a write that waits for its turn stays due since its first possible moment`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        let since = bench.time.now
        for path in ["/a", "/b"] { try await bench.enqueue(path) }
        #expect(try await bench.claim() != nil)
        bench.time.advance(by: .seconds(5))
        // Else a loop would look for it again and again.
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == since)
    }
}
