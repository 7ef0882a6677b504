// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

/// A page whose answer breaks off, after outages in which it could not be asked for.
@Suite(.serialized)
struct BrokenPageTests {
    /// An origin without ranges behind a relay, and a sandbox whose config leads through that.
    private struct Line {
        let service: Service
        let relay: Relay
        let sandbox: Sandbox

        init(items: Int = 200, pageSize: Int = 100) async throws {
            service = try await Service.start(items: items, pageSize: pageSize)
            relay = try await Relay.start(to: service.origin.url)
            sandbox = try Sandbox()
            let config = service.config(
                source: "http: { compression: never }, retry: { inline: 0, base: 1ms, cap: 1ms }")
            try sandbox.config(config.replacing(service.url, with: relay.url.origin))
            await relay.set(.down(.cut))
        }

        /// The line will be up until a page is half there, then down for `pause`.
        func breakOff(for pause: Duration) async {
            await relay.follow([
                LineStage(.up(), for: .bytes(2_000)), LineStage(.down(.cut), for: .time(pause)),
            ])
        }

        /// The bytes that passed so far, in both directions.
        var carried: Int { get async { await relay.traffic.toClient + relay.traffic.toOrigin } }

        func end() async {
            await relay.stop()
            await service.origin.stop()
        }
    }

    @Test(arguments: [2, 9])
    func `a page that breaks off waits in the queue, however often the line was down before`(
        outages: Int
    ) async throws {
        let line = try await Line()
        for _ in 0..<outages { #expect(try await line.sandbox.siding("sync").status == 75) }
        await line.breakOff(for: .seconds(600))
        let broken = try await line.sandbox.siding("sync")
        #expect(broken.status == 75, "\(broken.everything)")
        let entry = try await line.sandbox.siding("queue", "list", "--json").object()
        #expect(entry["state"]?.string == "queued", "\(entry)")
        await line.relay.set(.up())
        #expect(try await line.sandbox.siding("sync").status == 0)
        #expect(try await line.sandbox.differences(from: line.service.items) == [])
        await line.end()
    }

    @Test func `a service continues after a page that broke off, however often the line was down before`()
        async throws
    {
        let line = try await Line()
        for _ in 0..<2 { #expect(try await line.sandbox.siding("sync").status == 75) }
        await line.breakOff(for: .milliseconds(200))
        let watched = try await line.sandbox.siding("queue", "run", "--watch")
        #expect(watched.status == 0, "\(watched.everything)")
        #expect(try await line.sandbox.differences(from: line.service.items) == [])
        await line.end()
    }

    @Test(arguments: 1...UInt64(Proof.choose(short: 2, middle: 5, long: 200)))
    func `--max-bytes is exceeded by one page at most, on any line`(seed: UInt64) async throws {
        let line = try await Line(items: 400, pageSize: 50)
        // With its head and its request.
        let page = 3_000
        let outages = [LineState.Outage.cut, .reset, .halfClose]
        var lines = LineSchedule(seed: seed, up: page / 2...page * 4, down: .zero ... .zero, outages: outages)
        var statuses: [Int32] = []
        while statuses.last != 0, statuses.count < 60 {
            let stages = [lines.next(), lines.next()].compactMap(\.self)
            await line.relay.follow(
                stages.map { LineStage($0.state, for: $0.isUp ? $0.span : .time(.seconds(600))) })
            let before = await line.carried
            let ended = try await line.sandbox.siding("sync", "--max-bytes", "4KiB")
            statuses.append(ended.status)
            #expect([0, 75].contains(ended.status), "seed \(seed): \(ended.everything)")
            #expect(await line.carried - before <= 4_096 + page, "seed \(seed), run \(statuses.count)")
        }
        await line.relay.set(.up())
        #expect(statuses.last == 0, "seed \(seed): \(statuses)")
        #expect(try await line.sandbox.differences(from: line.service.items) == [], "seed \(seed)")
        await line.end()
    }
}
