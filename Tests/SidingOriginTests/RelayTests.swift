// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite struct RelayTests {
    /// 100,000 bytes of JSON, uncompressed.
    private static let page = "[\"" + String(repeating: "x", count: 99_996) + "\"]"

    /// Calls `body` with a relay before an origin that answers every request with ``page``, and with a client of the relay.
    private func through(
        _ settings: TransportSettings = TransportSettings().with(\.compression, .never),
        _ body: (Relay, Origin, Asker) async throws -> Void
    ) async throws {
        let origin = try await Origin.start { _ in .json(Self.page) }
        let relay = try await Relay.start(to: origin.url)
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings))
        try await body(relay, origin, Asker(transport: transport, base: relay.url))
        await transport.shutdown()
        await relay.stop()
        await origin.stop()
    }

    @Test func `a line that is up passes everything, and counts it`() async throws {
        try await through { (relay, origin, ask) async throws in
            for _ in 1...3 {
                let answer = try await ask("/a")
                #expect(answer.text == Self.page)
            }
            #expect(origin.requests.count == 3)
            let traffic = await relay.traffic
            #expect(traffic.toClient > 300_000 && traffic.toClient < 302_000)
            #expect(traffic.toOrigin > 100 && traffic.toOrigin < 2_000)
            #expect(await relay.log.first?.kind == .opened)
        }
    }

    @Test(
        arguments: [LineState.Outage.cut, .reset, .halfClose],
        [LineQuality(), LineQuality(latency: .milliseconds(20), bytesPerSecond: 400_000)])
    func `a stage by bytes passes exactly its number, then the answer breaks off`(
        _ outage: LineState.Outage, _ quality: LineQuality
    ) async throws {
        try await through { (relay, _, ask) async throws in
            await relay.follow([
                LineStage(.up(quality), for: .bytes(40_000)), LineStage(.down(outage), for: .time(.seconds(60))),
            ])
            let failure = await #expect(throws: Failure.self) { try await ask("/a") }
            #expect(failure?.phase == .answered)
            #expect(await relay.traffic.toClient == 40_000)
            let refused = await #expect(throws: Failure.self) { try await ask("/b") }
            #expect(refused?.phase == .notSent)
            await relay.set(.up())
            #expect(try await ask("/c").text == Self.page)
        }
    }

    @Test func `a silenced line continues where it was`() async throws {
        try await through { (relay, _, ask) async throws in
            await relay.follow([
                LineStage(.up(), for: .bytes(40_000)),
                LineStage(.down(.blackhole), for: .time(.milliseconds(100))),
            ])
            #expect(try await ask("/a").text == Self.page)
            let log = await relay.log
            #expect(log.map(\.kind).contains(.state(.down(.blackhole))))
        }
    }

    @Test func `bytes under way when a line falls silent arrive afterwards, in order`() async throws {
        try await through { (relay, _, ask) async throws in
            let quality = LineQuality(latency: .milliseconds(20), bytesPerSecond: 1_000_000)
            let stages = [
                LineStage(.up(quality), for: .time(.milliseconds(30))),
                LineStage(.down(.blackhole), for: .time(.milliseconds(20))),
            ]
            await relay.follow(stages + stages + stages + stages)
            #expect(try await ask("/a").text == Self.page)
        }
    }

    @Test func `a dropped connection stays silent although the line is back`() async throws {
        let settings = TransportSettings().with(\.idleTimeout, .seconds(1)).with(\.compression, .never)
        try await through(settings) { (relay, _, ask) async throws in
            await relay.follow([
                LineStage(.up(), for: .bytes(40_000)), LineStage(.down(.drop), for: .time(.milliseconds(1))),
            ])
            let failure = await #expect(throws: Failure.self) { try await ask("/a") }
            #expect(failure?.reason == .timeout(.response))
            #expect(try await ask("/b").text == Self.page)
        }
    }

    @Test func `a slow line passes no more than its bytes per second, after its latency`() async throws {
        try await through { (relay, _, ask) async throws in
            await relay.set(.up(LineQuality(latency: .milliseconds(20), bytesPerSecond: 200_000)))
            let start = ContinuousClock.now
            #expect(try await ask("/a").text == Self.page)
            #expect(ContinuousClock.now - start >= .milliseconds(500))
        }
    }

    @Test(arguments: [Duration.zero, .milliseconds(50)])
    func `one connection gets all the bytes per second of its line, with any latency`(
        _ latency: Duration
    ) async throws {
        let rate = 125_000
        try await through { (relay, _, ask) async throws in
            _ = try await ask("/connected")
            await relay.set(.up(LineQuality(latency: latency, bytesPerSecond: rate)))
            var ratios: [Double] = []
            // The best of several: a machine that is busy elsewhere makes a line slow, never fast.
            while ratios.last.map({ $0 > 1.05 }) ?? true, ratios.count < 10 {
                let (before, start) = (await relay.traffic, ContinuousClock.now)
                _ = try await ask("/a")
                let (time, after) = (ContinuousClock.now - start, await relay.traffic)
                let bytes = after.toClient - before.toClient + after.toOrigin - before.toOrigin
                ratios.append(time / (latency * 2 + .seconds(Double(bytes) / Double(rate))))
            }
            #expect(ratios.allSatisfy { $0 > 0.95 } && ratios.last ?? 2 <= 1.05, "\(ratios)")
        }
    }

    @Test func `a seed gives the same schedule each time, and up and down take turns`() {
        let schedule = { (seed: UInt64) in
            LineSchedule(seed: seed, up: 1_000...2_000, down: .zero ... .seconds(1))
        }
        let stages = Array(schedule(7).prefix(200))
        #expect(stages == Array(schedule(7).prefix(200)))
        #expect(stages != Array(schedule(8).prefix(200)))
        for (index, stage) in stages.enumerated() {
            switch (stage.state, stage.span) {
            case (.up, .bytes(let count)):
                #expect(index.isMultiple(of: 2))
                #expect((1_000...2_000).contains(count))
            case (.down, .time(let pause)):
                #expect(!index.isMultiple(of: 2))
                #expect(pause <= .seconds(1))
            default: Issue.record("\(stage)")
            }
        }
    }
}
