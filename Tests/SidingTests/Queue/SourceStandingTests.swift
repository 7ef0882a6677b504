import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// Politeness that all processes share: gates, probes, slow start, breaker, budget.
@Suite struct SourceStandingTests {
    @Test func `with the line down one probe per half a minute goes out, and no thousand rows are touched`()
        async throws
    {
        let bench = try await WriteBench()
        for index in 0..<10 { try await bench.enqueue("/\(index)") }
        let first = try #require(try await bench.claim())
        try await bench.fail(first, .offline(note: "no route"), counted: false)
        #expect(try await bench.entry(first.entry.id).attempts == 0)
        #expect(try await bench.claim() == nil)
        bench.time.advance(by: .seconds(30))
        let probe = try #require(try await bench.claim())
        #expect(try await bench.claim() == nil, "one at a time")
        try await bench.fail(probe, .offline(note: "no route"), counted: false)
        bench.time.advance(by: .seconds(29))
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.gates().map(\.reason) == [.offline])
    }

    @Test func `after an outage a source is asked for a little at first`() async throws {
        let bench = try await WriteBench(concurrency: 8)
        for index in 0..<20 { try await bench.enqueue("/\(index)") }
        try await bench.fail(try #require(try await bench.claim()), .offline(note: "no route"), counted: false)
        try await bench.store.endWaits(of: nil, because: .lineReturned)
        let probe = try #require(try await bench.claim())
        #expect(try await bench.claim() == nil)
        try await bench.deliver(probe)
        #expect(try await bench.store.gates() == [])
        var under: [ClaimedWrite] = []
        while let write = try await bench.claim() { under.append(write) }
        #expect(under.count == 2)
        for write in under { try await bench.deliver(write) }
        under = []
        while let write = try await bench.claim() { under.append(write) }
        #expect(under.count == 8)
    }

    @Test func `the line's return ends waits for it, and leaves the patience that an origin asked for`() async throws {
        let bench = try await WriteBench(sources: ["lost", "busy"])
        let lost = try await bench.enqueue("/a", to: "lost")
        try await bench.enqueue("/b", to: "busy")
        let until = bench.time.now + .seconds(600)
        for _ in 0..<2 {
            let write = try #require(try await bench.claim())
            if write.entry.id == lost.id {
                try await bench.fail(write, .failed(isTimeout: true), wait: .seconds(600), waitsForLine: true)
            } else {
                try await bench.fail(write, .patience(until: until, note: "429"), counted: false, wait: .seconds(600))
            }
        }
        #expect(try await bench.claim() == nil)
        try await bench.store.endWaits(of: nil, because: .lineReturned)
        #expect(try await bench.claim()?.entry.id == lost.id)
        #expect(try await bench.claim() == nil)
    }

    @Test func `a success ends the waits that an outage caused`() async throws {
        let bench = try await WriteBench()
        let slow = try await bench.enqueue("/a")
        let quick = try await bench.enqueue("/b")
        let first = try #require(try await bench.claim())
        try await bench.fail(first, .failed(isTimeout: true), wait: .seconds(600), waitsForLine: true)
        let second = try #require(try await bench.claim())
        #expect(second.entry.id == quick.id)
        try await bench.deliver(second)
        #expect(try await bench.claim()?.entry.id == slow.id)
    }

    @Test func `after five failures in a row a source is left alone, and a probe finds out when it is well`()
        async throws
    {
        let bench = try await WriteBench()
        for index in 0..<8 { try await bench.enqueue("/\(index)") }
        for _ in 0..<5 {
            try await bench.fail(try #require(try await bench.claim()), .failed(isTimeout: false), wait: .seconds(5))
        }
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.gates().map(\.reason) == [.breaker])
        bench.time.advance(by: .seconds(30))
        let probe = try #require(try await bench.claim())
        #expect(try await bench.claim() == nil)
        try await bench.deliver(probe)
        #expect(try await bench.claim() != nil)
    }

    @Test func `an origin that fails half of the time runs out of budget`() async throws {
        let bench = try await WriteBench()
        for index in 0..<200 { try await bench.enqueue("/\(index)") }
        var tries = 0
        while try await bench.store.gates().isEmpty, tries < 400, let write = try await bench.claim() {
            tries += 1
            if tries.isMultiple(of: 2) {
                try await bench.deliver(write)
            } else {
                try await bench.fail(write, .failed(isTimeout: true), wait: .seconds(3600))
            }
        }
        #expect(try await bench.store.gates().map(\.reason) == [.breaker])
        #expect((100...120).contains(tries), "500 spent at 9 per pair of tries: \(tries)")
    }

    @Test func `a source that wants a sign-in is tried again only when a person asks`() async throws {
        let bench = try await WriteBench()
        let parked = try await bench.enqueue("/a")
        let waiting = try await bench.enqueue("/b")
        let write = try #require(try await bench.claim())
        let error = RecordedError(name: "unauthorized", message: "401")
        _ = try await bench.store.settle(
            write, WriteSettlement(.parked(.signIn, error, nil), .signIn(note: "401")))
        bench.time.advance(by: .seconds(86_400))
        try await bench.store.endWaits(of: nil, because: .lineReturned)
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.nextDue(of: ["api"]) == nil)
        try await bench.store.endWaits(of: nil, because: .personAsks)
        let probe = try #require(try await bench.claim())
        #expect(try await bench.claim() == nil)
        try await bench.deliver(probe)
        let last = try #require(try await bench.claim())
        #expect(Set([probe.entry.id, last.entry.id]) == [parked.id, waiting.id])
    }

    @Test func `whoever is let in again, a fetch as well, releases what waited for a sign-in`() async throws {
        let bench = try await WriteBench()
        let parked = try await bench.enqueue("/a")
        let write = try #require(try await bench.claim())
        let error = RecordedError(name: "unauthorized", message: "401")
        _ = try await bench.store.settle(write, WriteSettlement(.parked(.signIn, error, nil), .signIn(note: "401")))
        try await bench.store.learn(.answers, of: "api")
        #expect(try await bench.store.gates() == [])
        #expect(try await bench.claim()?.entry.id == parked.id)
        #expect(try await bench.events(parked.id).suffix(3) == ["parked", "released", "claimed"])
    }

    @Test func `credentials that changed end no wait for the line`() async throws {
        let bench = try await WriteBench()
        try await bench.enqueue("/a")
        let write = try #require(try await bench.claim())
        try await bench.fail(write, .offline(note: "no route"), counted: false, wait: .seconds(600), waitsForLine: true)
        try await bench.store.endWaits(of: nil, because: .credentialsChanged)
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.gates().map(\.reason) == [.offline])
    }

    @Test func `the next moment at which something can be sent is known`() async throws {
        let bench = try await WriteBench()
        #expect(try await bench.store.nextDue(of: ["api"]) == nil)
        try await bench.enqueue("/a")
        #expect(try await bench.store.nextDue(of: ["api"]) == bench.time.now)
        let write = try #require(try await bench.claim())
        try await bench.fail(write, .offline(note: "no route"), counted: false)
        #expect(try await bench.store.nextDue(of: ["api"]) == bench.time.now + .seconds(30))
    }
}
