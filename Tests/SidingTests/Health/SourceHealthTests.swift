// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// Politeness that all processes share: gates, probes, slow start, breaker.
@Suite struct SourceHealthTests {
    @Test func `with the line down one probe per half a minute is sent, and no thousand rows are touched`()
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

    @Test func `after an outage a source gets few requests at first`() async throws {
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

    @Test func `the line's return ends the waits for it, and leaves those that an origin asked for`() async throws {
        let bench = try await WriteBench(sources: ["lost", "busy"])
        let lost = try await bench.enqueue("/a", to: "lost")
        try await bench.enqueue("/b", to: "busy")
        let until = bench.time.now + .seconds(600)
        for _ in 0..<2 {
            let write = try #require(try await bench.claim())
            if write.entry.id == lost.id {
                try await bench.fail(write, .failed, wait: .seconds(600), waitsForNetwork: true)
            } else {
                try await bench.fail(write, .retryAfter(until: until, note: "429"), counted: false, wait: .seconds(600))
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
        try await bench.fail(first, .failed, wait: .seconds(600), waitsForNetwork: true)
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
            try await bench.fail(try #require(try await bench.claim()), .failed, wait: .seconds(5))
        }
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.gates().map(\.reason) == [.breaker])
        bench.time.advance(by: .seconds(30))
        let probe = try #require(try await bench.claim())
        #expect(try await bench.claim() == nil)
        try await bench.deliver(probe)
        #expect(try await bench.claim() != nil)
    }

    @Test func `a source that needs a sign-in is tried again only when an operator asks`() async throws {
        let bench = try await WriteBench()
        let parked = try await bench.enqueue("/a")
        let waiting = try await bench.enqueue("/b")
        let write = try #require(try await bench.claim())
        let error = RecordedError(name: "unauthorized", message: "401")
        _ = try await bench.store.recordResult(
            write, WriteResult(.parked(.signIn, error, nil), .signIn(note: "401")))
        bench.time.advance(by: .seconds(86_400))
        try await bench.store.endWaits(of: nil, because: .lineReturned)
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == nil)
        try await bench.store.endWaits(of: nil, because: .retryRequested)
        let probe = try #require(try await bench.claim())
        #expect(try await bench.claim() == nil)
        try await bench.deliver(probe)
        let last = try #require(try await bench.claim())
        #expect(Set([probe.entry.id, last.entry.id]) == [parked.id, waiting.id])
    }

    @Test func `an accepted request, a fetch as well, releases the entries that waited for a sign-in`() async throws {
        let bench = try await WriteBench()
        let parked = try await bench.enqueue("/a")
        let write = try #require(try await bench.claim())
        let error = RecordedError(name: "unauthorized", message: "401")
        _ = try await bench.store.recordResult(write, WriteResult(.parked(.signIn, error, nil), .signIn(note: "401")))
        try await bench.store.record(.answers, of: "api")
        #expect(try await bench.store.gates() == [])
        #expect(try await bench.claim()?.entry.id == parked.id)
        #expect(try await bench.events(parked.id).suffix(3) == ["parked", "let in", "claimed"])
    }

    @Test func `an answer releases the entries that wait for a sign-in, with the gate open or closed`() async throws {
        let bench = try await WriteBench()
        let entries = try await [bench.enqueue("/a"), bench.enqueue("/b")]
        let first = try #require(try await bench.claim())
        let second = try #require(try await bench.claim())
        for write in [first, second] { try await bench.refuse(write) }
        _ = try await bench.store.perform(.retry, on: QueueSelection(ids: [entries[0].id]))
        try await bench.deliver(try #require(try await bench.claim()))
        #expect(try await bench.entry(entries[1].id).state == .queued)
    }

    @Test func `a retry opens the gate, but neither a refused one nor a rehearsal`() async throws {
        let bench = try await WriteBench()
        let done = try await bench.enqueue("/a")
        try await bench.deliver(try #require(try await bench.claim()))
        let entry = try await bench.enqueue("/b")
        try await bench.refuse(try #require(try await bench.claim()))
        _ = try await bench.store.perform(.retry, on: QueueSelection(ids: [done.id]))
        _ = try await bench.store.carryOut(.act(.retry), on: QueueSelection(ids: [entry.id]), isRehearsal: true)
        #expect(try await bench.store.gates().map(\.reason) == [.signIn])
        _ = try await bench.store.perform(.retry, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.store.gates() == [])
    }

    @Test func `an open gate lets at least one request through, and at most five that may fail in a row`() {
        for failures in 0...8 {
            for refusals in 0...6 {
                for limit in [1, 4, 16] {
                    var health = SourceHealth(source: "api")
                    (health.failures, health.refusals) = (failures, refusals)
                    let row = max(failures, refusals)
                    let allowed = health.requestsAllowed(limit: limit, now: Timestamp(microseconds: 0))
                    #expect(allowed == (row == 0 ? limit : max(1, min(limit, 5 - row))))
                }
            }
        }
    }

    @Test func `after failures fewer requests are under way, until one is answered`() async throws {
        let bench = try await WriteBench(concurrency: 8)
        for index in 0..<20 { try await bench.enqueue("/\(index)") }
        var underWay: [ClaimedWrite] = []
        for _ in 0..<5 { underWay.append(try #require(try await bench.claim())) }
        for _ in 0..<2 { try await bench.fail(underWay.removeFirst(), .failed, counted: true) }
        #expect(try await bench.claim() == nil, "three are under way")
        try await bench.deliver(underWay.removeFirst())
        for _ in 0..<6 { underWay.append(try #require(try await bench.claim())) }
        #expect(try await bench.claim() == nil, "eight are under way")
    }

    @Test func `entries that wait for a sign-in are not forgotten behind a wait that another answer asked for`()
        async throws
    {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        try await bench.enqueue("/b")
        let first = try #require(try await bench.claim())
        let second = try #require(try await bench.claim())
        try await bench.refuse(first)
        try await bench.store.openGate(ofSource: "api")
        let until = bench.time.now + .seconds(600)
        try await bench.fail(second, .retryAfter(until: until, note: "429"), counted: false, wait: .seconds(600))
        try await bench.store.record(.answers, of: "api")
        #expect(try await bench.entry(entry.id).state == .parked, "the gate is closed")
        bench.time.advance(by: .seconds(600))
        try await bench.deliver(try #require(try await bench.claim()))
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test func `a write that is refused although others are accepted is tried again once, then when an operator asks`()
        async throws
    {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/a")
        for word in [nil, .release, .retry] as [QueueAction?] {
            if let word { _ = try await bench.store.perform(word, on: QueueSelection(ids: [entry.id])) }
            try await bench.store.openGate(ofSource: "api")
            try await bench.refuse(try #require(try await bench.claim()))
            try await bench.store.record(.answers, of: "api")
            // A sender that stops notes a release as well, which is nobody's word.
            let stopped = try #require(try await bench.claim())
            _ = try await bench.store.recordResult(stopped, WriteResult(.released(isUnsent: true), .nothing))
            try await bench.refuse(try #require(try await bench.claim()))
            for _ in 0..<3 { try await bench.store.record(.answers, of: "api") }
            #expect(try await bench.store.gates() == [])
            #expect(try await bench.entry(entry.id).reason == .signIn)
        }
        try await bench.store.endWaits(of: nil, because: .credentialsChanged)
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test func `a shorter wait, an outage or a breaker does not replace a longer wait`() async throws {
        let bench = try await WriteBench()
        let until = bench.time.now + .seconds(3_600)
        let gate = SourceGate(source: "api", reason: .retryAfter, until: until, note: "429")
        try await bench.store.record(.retryAfter(until: until, note: "429"), of: "api")
        try await bench.store.record(.retryAfter(until: bench.time.now + .seconds(60), note: "503"), of: "api")
        try await bench.store.record(.offline(note: "no route"), of: "api")
        for _ in 0..<6 { try await bench.store.record(.failed, of: "api") }
        #expect(try await bench.store.gates() == [gate])
        let longer = until + .seconds(1)
        try await bench.store.record(.retryAfter(until: longer, note: "429"), of: "api")
        #expect(try await bench.store.gates().map(\.until) == [longer])
        // Once the clock is set back by a year, the patience is one that no origin is believed.
        bench.time.advance(by: .seconds(-31_536_000))
        try await bench.store.record(.offline(note: "no route"), of: "api")
        #expect(try await bench.store.gates().map(\.reason) == [.offline])
    }

    @Test func `answers to requests that were under way together lengthen a wait once, and a limit of one's own never`()
        async throws
    {
        let bench = try await WriteBench()
        func ask(_ seconds: Int, _ backoff: Backoff? = Backoff()) async throws -> Duration? {
            let until = bench.time.now + .seconds(seconds)
            try await bench.store.record(.retryAfter(until: until, note: "429", backoff: backoff), of: "api")
            return try await bench.store.gates().first?.until.map { $0 - bench.time.now }
        }
        for _ in 0..<4 { #expect(try await ask(1) == .seconds(2)) }
        bench.time.advance(by: .seconds(2))
        for _ in 0..<4 { #expect(try await ask(1) == .seconds(16)) }
        bench.time.advance(by: .seconds(16))
        for _ in 0..<4 {
            #expect(try await ask(1, nil) == .seconds(1))
            bench.time.advance(by: .seconds(1))
        }
        #expect(try await ask(1) == .seconds(60))
    }

    @Test func `an immediate retry ends every wait of the named sources, those that an origin asked for as well`()
        async throws
    {
        let bench = try await WriteBench(sources: ["asking", "failing", "other"])
        let until = bench.time.now + .seconds(600)
        for source in ["asking", "other"] {
            try await bench.store.record(.retryAfter(until: until, note: "429"), of: source)
        }
        for _ in 1...RetryRules.breakerLimit { try await bench.store.record(.failed, of: "failing") }
        try await bench.store.endAllWaits(of: ["asking", "failing", "never asked"])
        let gates = try await bench.store.gates()
        let now = bench.time.now
        #expect(["asking", "failing", "other"].map { gates.closed($0, at: now)?.until } == [nil, nil, until])
        // One more failure closes it again.
        try await bench.store.record(.failed, of: "failing")
        #expect(try await bench.store.gates().closed("failing", at: now) != nil)
    }

    @Test func `a needed sign-in is not lost to the line or to a wait`() async throws {
        let bench = try await WriteBench()
        let gate = SourceGate(source: "api", reason: .signIn, until: nil, note: "401")
        try await bench.store.record(.retryAfter(until: bench.time.now + .seconds(60), note: "429"), of: "api")
        try await bench.store.record(.signIn(note: "401"), of: "api")
        try await bench.store.record(.retryAfter(until: bench.time.now + .seconds(3_600), note: "429"), of: "api")
        try await bench.store.record(.offline(note: "no route"), of: "api")
        for _ in 0..<6 { try await bench.store.record(.failed, of: "api") }
        #expect(try await bench.store.gates() == [gate])
        // The probe that a person asked for met no way out: the line is what it waits for now.
        try await bench.store.endWaits(of: nil, because: .retryRequested)
        try await bench.store.record(.offline(note: "no route"), of: "api")
        #expect(try await bench.store.gates().map(\.reason) == [.offline])
    }

    @Test func `credentials that changed end no wait for the line`() async throws {
        let bench = try await WriteBench()
        try await bench.enqueue("/a")
        let write = try #require(try await bench.claim())
        try await bench.fail(
            write, .offline(note: "no route"), counted: false, wait: .seconds(600), waitsForNetwork: true)
        try await bench.store.endWaits(of: nil, because: .credentialsChanged)
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.gates().map(\.reason) == [.offline])
    }

    @Test func `the next moment at which something can be sent is known`() async throws {
        let bench = try await WriteBench()
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == nil)
        try await bench.enqueue("/a")
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == bench.time.now)
        let write = try #require(try await bench.claim())
        try await bench.fail(write, .offline(note: "no route"), counted: false)
        #expect(try await bench.store.outlook(of: ["api"]).nextDue == bench.time.now + .seconds(30))
    }
}
