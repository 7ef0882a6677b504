// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import TestSupport
import Testing

@testable import Siding

@Suite struct RateLimitStoreTests {
    /// A request that is under way: when the origin counts it, and when its answer is there.
    private struct Flight {
        var reserved: Reserved
        var counted: Timestamp
        var answered: Timestamp?
    }

    @Test(arguments: Proof.sample(0..<8 as Range<UInt64>, every: 3))
    func `two processes under 30 a minute: the origin never counts more in any minute`(_ seed: UInt64) async throws {
        let bench = try await RateLimitBench(try RateLimit("**", "30/m"))
        var random = SeededNumbers(seed)
        var (flights, counts): ([Flight], [Timestamp]) = ([], [])
        var refusals = 0
        // Half an hour in steps of 0 to 2 s; requests take up to 20 s, and some are never answered.
        for _ in 0..<1_800 {
            bench.time.advance(by: .milliseconds(random.below(2_000)))
            let now = bench.time.now
            for flight in flights where flight.answered.map({ $0 <= now }) ?? false {
                try await bench.end(flight.reserved)
            }
            flights.removeAll { $0.answered.map { $0 <= now } ?? ($0.counted <= now) }
            guard let reserved = try await bench.reserve(bench.stores[random.below(2)]) else {
                refusals += 1
                continue
            }
            let counted = now + .milliseconds(random.below(10_000))
            let isLost = random.below(20) == 0
            flights.append(
                Flight(
                    reserved: reserved, counted: isLost ? now + .milliseconds(random.below(120_000)) : counted,
                    answered: isLost ? nil : counted + .milliseconds(random.below(10_000))))
            counts.append(flights[flights.count - 1].counted)
        }
        counts.sort()
        let most = counts.indices.map { start in
            counts[start...].prefix { $0 < counts[start] + .seconds(60) }.count
        }.max()
        #expect(try #require(most) <= 30)
        // It limits, and it does not do so by letting nothing out.
        #expect(refusals > 100)
        #expect(counts.count > 400)
    }

    @Test func `a request counts for a window after its answer, not after its reservation`() async throws {
        let bench = try await RateLimitBench(try RateLimit("**", "1/m"))
        let reserved = try #require(try await bench.reserve())
        bench.time.advance(by: .seconds(50))
        #expect(try await bench.wait() == 61)
        try await bench.end(reserved)
        bench.time.advance(by: .seconds(59))
        #expect(try await bench.wait() == 2)
        bench.time.advance(by: .seconds(2))
        #expect(try await bench.reserve() != nil)
        #expect(try await bench.counts() == 1)
    }

    @Test func `the request of a process that died counts until it must be over, and a window more`()
        async throws
    {
        let bench = try await RateLimitBench(try RateLimit("**", "1/m"))
        _ = try await bench.ask(bench.stores[1], timeout: .seconds(120))
        bench.time.advance(by: .seconds(180))
        #expect(try await bench.reserve() == nil)
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.reserve() != nil)
    }

    @Test func `a request that was not sent does not count`() async throws {
        let bench = try await RateLimitBench(try RateLimit("**", "1/m"))
        let reserved = try #require(try await bench.reserve())
        try await bench.end(reserved, .unsent)
        #expect(try await bench.used() == [0])
        #expect(try await bench.reserve() != nil)
    }

    @Test func `an answer that comes when its reservation has left the window counts all the same`() async throws {
        let bench = try await RateLimitBench(try RateLimit("**", "1/m"))
        let stopped = try #require(try await bench.reserve())
        bench.time.advance(by: .seconds(600))
        let reserved = try #require(try await bench.reserve())
        try await bench.end(reserved, .unsent)
        try await bench.end(stopped)
        #expect(try await bench.wait() == 61)
        #expect(try await bench.used() == [1])
    }

    @Test func `a request counts under every limit, or under none`() async throws {
        let bench = try await RateLimitBench(try RateLimit("/a", "2/m"), try RateLimit("**", "1/h"))
        let reserved = try #require(try await bench.reserve())
        try await bench.end(reserved)
        #expect(reserved.moments.count == 2)
        #expect(try await bench.wait() == 3640)
        #expect(try await bench.used() == [1, 1])
        guard case .exhausted(let limit, _, let reason) = try await bench.ask() else { return }
        #expect(limit.match.description == "**" && reason == .rate)
    }

    @Test func `two limits of one pattern count apart, each in its time`() async throws {
        let bench = try await RateLimitBench(try RateLimit("**", "1/s"), try RateLimit("**", "2/m"))
        for _ in 0..<2 {
            try await bench.end(try #require(try await bench.reserve()))
            #expect(try await bench.reserve() == nil)
            bench.time.advance(by: .milliseconds(1_500))
        }
        #expect(try await bench.wait() == 58)
    }

    @Test func `a rate that was lowered counts earlier requests`() async throws {
        var bench = try await RateLimitBench(try RateLimit("**", "4/m"))
        for _ in 0..<4 {
            try await bench.end(try #require(try await bench.reserve()))
            bench.time.advance(by: .seconds(1))
        }
        bench.limits = [try RateLimit("**", "2/m")]
        // The third of the four has to leave the window.
        #expect(try await bench.wait() == 59)
    }

    @Test func `a clock that is set back does not exhaust a limit for the same time`() async throws {
        let bench = try await RateLimitBench(try RateLimit("**", "1/m"))
        _ = try await bench.reserve()
        bench.time.advance(by: .seconds(-86_400))
        #expect(try await bench.reserve() == nil)
        bench.time.advance(by: .seconds(181))
        #expect(try await bench.reserve() != nil)
    }

    @Test func `thousands of requests are stored as 61 counts of those that ended and 61 of those under way`()
        async throws
    {
        let bench = try await RateLimitBench(try RateLimit("**", "5000/h"))
        for _ in 0..<500 {
            bench.time.advance(by: .milliseconds(9_700))
            try await bench.end(try #require(try await bench.reserve()))
        }
        #expect(try await bench.counts() == 61)
        for _ in 0..<300 {
            bench.time.advance(by: .milliseconds(390))
            _ = try #require(try await bench.reserve())
        }
        #expect(try await bench.counts() <= 122)
        // Those of the last hour, and those under way.
        #expect(try await bench.used() == [360 + 300])
    }
}
