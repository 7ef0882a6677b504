// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// The writes of each source are sent by themselves.
@Suite(.timeLimit(.minutes(5))) struct WriteSourcesTests {
    private func sender(_ bench: WriteBench, over origin: ScriptedOrigin) -> WriteSender {
        WriteSender(
            store: bench.store, sources: bench.sources, transports: origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: Jitter { 1 }, clock: ManualClock(),
                wallClock: bench.time.clock))
    }

    @Test func `a source that hangs, asks for a wait or has no secret or certificate delays no other one`()
        async throws
    {
        let healthy = (1...6).map { "s\($0)" }
        var bench = try await WriteBench(sources: ["hung", "busy", "bare", "torn"] + healthy)
        bench.sources[2].authorization = .bearer(Secret("env NONE", absence: { "it is not set" }) { "" })
        let others = Gatepost()
        let count = Mutex(0)
        let origin = ScriptedOrigin { target in
            // Four requests go to it, as many as it may get.
            if target == "/hung" { return await others.pass() }
            if healthy.contains(where: { target == "/\($0)" }), count.next() == 60 { others.open() }
        }
        origin.set("/hung", .failure(Failure(.connectionLost, phase: .maybeSent)))
        origin.set("/busy", .status(.tooManyRequests, headerFields: [.retryAfter: "3600"]))
        origin.set("/torn", .failure(Failure(.credentialUnavailable, phase: .notSent)))
        for name in healthy { origin.set("/\(name)", .status(.created)) }
        for source in bench.sources {
            for _ in 0..<10 { try await bench.enqueue("/\(source.name)", to: source.name) }
        }
        let tried = try await sender(bench, over: origin).drain()
        let states = Dictionary(grouping: tried, by: \.source).mapValues { Set($0.map(\.state)) }
        for name in healthy { #expect(states[name] == [.done]) }
        for name in ["hung", "busy", "torn"] { #expect(states[name] == [.queued]) }
        #expect(states["bare"] == nil)
        #expect(try await bench.store.count(QueueSelection(sources: ["bare"], states: [.queued])) == 10)
        #expect(try await bench.store.count(QueueSelection()) == 40)
        #expect(try await bench.store.gates().contains { $0.source == "busy" && $0.reason == .retryAfter })
    }

    @Test func `the limit bounds the number of sources sent to at once, and the others follow`() async throws {
        let names = (0..<SendingOrder.mostSources + 4).map { "s\($0)" }
        let bench = try await WriteBench(sources: names, concurrency: 1)
        let underWay = Mutex(0)
        let most = Mutex(0)
        let isFull = Gatepost()
        let origin = ScriptedOrigin { _ in
            let now = underWay.next()
            most.withLock { $0 = max($0, now) }
            if now == SendingOrder.mostSources { isFull.open() }
            await isFull.pass()
            underWay.withLock { $0 -= 1 }
        }
        for name in names {
            origin.set("/\(name)", .status(.created))
            try await bench.enqueue("/\(name)", to: name)
        }
        #expect(try await sender(bench, over: origin).drain().count == names.count)
        #expect(most.withLock { $0 } == SendingOrder.mostSources)
    }

    @Test func `a write that waits for a write to another source is sent in the same drain`() async throws {
        let bench = try await WriteBench(sources: ["first", "second"])
        for path in ["/a", "/b", "/c", "/d"] { bench.origin.set(path, .status(.created)) }
        let parent = try await bench.enqueue("/a", to: "second")
        try await bench.enqueue("/b", to: "first", after: [parent.id])
        // A lane belongs to the whole queue.
        try await bench.enqueue("/c", to: "second", lane: "l")
        try await bench.enqueue("/d", to: "first", lane: "l")
        #expect(try await bench.sender().drain().count == 4)
        let order = bench.origin.takeTargets()
        #expect(try #require(order.firstIndex(of: "/a")) < #require(order.firstIndex(of: "/b")))
        #expect(try #require(order.firstIndex(of: "/c")) < #require(order.firstIndex(of: "/d")))
    }

    @Test func `a drain of chosen sources leaves those alone that wait for them`() async throws {
        let bench = try await WriteBench(sources: ["first", "second"])
        for path in ["/a", "/b"] { bench.origin.set(path, .status(.created)) }
        let parent = try await bench.enqueue("/a", to: "second")
        let child = try await bench.enqueue("/b", to: "first", after: [parent.id])
        #expect(try await bench.sender().drain(sources: ["second"]).map(\.id) == [parent.id])
        #expect(try await bench.entry(child.id).state == .queued)
    }

    @Test func `a secret is looked up once by a drain, and its writes are sent once it is there`() async throws {
        var bench = try await WriteBench(sources: ["bare", "idle"], concurrency: 1)
        let looks = Mutex<[String]>([])
        let isThere = Mutex(false)
        for index in bench.sources.indices {
            let name = bench.sources[index].name
            bench.sources[index].authorization = .bearer(
                Secret(
                    "env \(name)",
                    absence: {
                        looks.withLock { $0.append(name) }
                        return isThere.withLock { $0 } ? nil : "it is not set"
                    }
                ) { "value" })
        }
        for path in ["/a", "/b", "/c"] {
            bench.origin.set(path, .status(.created))
            try await bench.enqueue(path, to: "bare")
        }
        let sender = bench.sender()
        #expect(try await sender.drain() == [])
        #expect(looks.exchange([]) == ["bare"])
        isThere.withLock { $0 = true }
        #expect(try await sender.drain().count == 3)
        #expect(looks.exchange([]) == ["bare"])
    }

    @Test func `watching ends where a secret is missing, though the write waits for its time`() async throws {
        var bench = try await WriteBench(sources: ["bare", "api"])
        bench.sources[0].authorization = .bearer(Secret("env NONE", absence: { "it is not set" }) { "" })
        try await bench.enqueue("/a", to: "bare")
        let claimed = try await bench.claim()
        try await bench.fail(#require(claimed), wait: .seconds(3_600))
        bench.origin.set("/c", .status(.created))
        try await bench.enqueue("/c")
        let sender = bench.sender()
        let loop = ServiceLoop(sender: sender, pace: RetryRules.watchInterval, changes: nil)
        // No clock is moved.
        try await loop.run { outlook throws(StoreError) in outlook.nextDue == nil }
        #expect(bench.origin.takeTargets() == ["/c"])
        #expect(try await bench.store.count(QueueSelection(sources: ["bare"], states: [.queued])) == 1)
    }

    @Test func `watching looks up each secret once and ends, though more than the limit are missing`() async throws {
        let names = (0..<SendingOrder.mostSources * 2 + 8).map { "s\($0)" }
        var bench = try await WriteBench(sources: names)
        let looks = Mutex<[String]>([])
        for index in bench.sources.indices {
            let name = bench.sources[index].name
            bench.sources[index].authorization = .bearer(
                Secret(
                    "env \(name)",
                    absence: {
                        let count = looks.withLock { looks in
                            looks.append(name)
                            return looks.count
                        }
                        // Watching that looks again and again would not end.
                        return count > names.count * 3 ? nil : "it is not set"
                    }
                ) { "value" })
            bench.origin.set("/\(name)", .status(.created))
            try await bench.enqueue("/\(name)", to: name)
        }
        let sender = bench.sender()
        let loop = ServiceLoop(sender: sender, pace: RetryRules.watchInterval, changes: nil)
        // No clock is moved.
        try await loop.run { outlook throws(StoreError) in outlook.nextDue == nil }
        #expect(looks.exchange([]).sorted() == names.sorted())
        #expect(try await bench.store.count(QueueSelection(states: [.queued])) == names.count)
    }
}
