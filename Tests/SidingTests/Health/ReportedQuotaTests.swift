// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import TestSupport
import Testing

@testable import Siding

/// Limits by the remaining quota that the origin reports.
@Suite struct ReportedQuotaTests {
    private static func origin(_ rate: String? = nil) throws -> RateLimit {
        try RateLimit(
            PathPattern("**"), rate: rate.flatMap { RequestRate($0) }, remaining: HTTPField.Name("X-Left")!,
            reset: HTTPField.Name("X-Reset")!)
    }

    @Test func `a remaining quota of zero exhausts the limit until the origin's window restarts`() async throws {
        let bench = try await RateLimitBench(try Self.origin("100/s"))
        try await bench.end(try #require(try await bench.reserve()), left: 0, for: 500)
        guard case .exhausted(_, let until, let reason) = try await bench.ask() else {
            Issue.record("something went out")
            return
        }
        #expect(reason == .reported && until == bench.time.now + .seconds(500))
        bench.time.advance(by: .seconds(500))
        #expect(try await bench.reserve() != nil)
    }

    @Test func `the remaining quota is shared: requests under way may not be counted yet`() async throws {
        let bench = try await RateLimitBench(try Self.origin())
        let first = try #require(try await bench.reserve())
        let second = try #require(try await bench.reserve(bench.stores[1]))
        try await bench.end(first, left: 1, for: 500)
        #expect(try await bench.reserve() == nil)
        try await bench.end(second, left: 0, for: 500)
        #expect(try await bench.reserve() == nil)
    }

    @Test func `each request takes from the remaining quota, and an unsent one gives it back`() async throws {
        let bench = try await RateLimitBench(try Self.origin())
        try await bench.end(try #require(try await bench.reserve()), left: 2, for: 500)
        let one = try #require(try await bench.reserve())
        _ = try #require(try await bench.reserve())
        #expect(try await bench.reserve() == nil)
        try await bench.end(one, .unsent)
        #expect(try await bench.reserve() != nil)
    }

    @Test func `answers that overtake each other do not raise what is left, and a later span does`() async throws {
        let bench = try await RateLimitBench(try Self.origin())
        let late = try #require(try await bench.reserve())
        let early = try #require(try await bench.reserve())
        try await bench.end(early, left: 0, for: 500)
        try await bench.end(late, left: 9, for: 501)
        #expect(try await bench.reserve() == nil)
        bench.time.advance(by: .seconds(500))
        let next = try #require(try await bench.reserve())
        try await bench.end(next, left: 9, for: 500)
        #expect(try await bench.reserve() != nil)
    }

    @Test(arguments: [1, 4])
    func `requests that the origin does not count are not counted, in any number`(_ atOnce: Int) async throws {
        let bench = try await RateLimitBench(try Self.origin())
        var flights: [Reserved] = []
        for _ in 0..<40 {
            flights.append(try #require(try await bench.reserve(bench.stores[flights.count % 2])))
            bench.time.advance(by: .seconds(1))
            guard flights.count == atOnce else { continue }
            try await bench.end(flights.removeFirst(), left: 4, for: 500)
        }
    }

    @Test func `requests under way may take the rest: others wait a moment, and not for the origin's new window`()
        async throws
    {
        let bench = try await RateLimitBench(try Self.origin())
        try await bench.end(try #require(try await bench.reserve()), left: 1, for: 500)
        let last = try #require(try await bench.reserve())
        #expect(try await bench.exhaustion() == .underWay)
        #expect(try #require(try await bench.wait()) < 1)
        let told = try #require(try await bench.stores[1].rateLimits().first)
        #expect(told.remaining == 0 && told.freeAt == nil && told.exhaustion == .underWay)
        try await bench.end(last, left: 1, for: 500)
        let other = try #require(try await bench.reserve())
        try await bench.end(other, left: 0, for: 500)
        #expect(try await bench.exhaustion() == .reported)
        #expect(try await bench.wait() == 500)
    }

    @Test func `an answer without a report is an unknown outcome until a later request reports`() async throws {
        let bench = try await RateLimitBench(try Self.origin())
        try await bench.end(try #require(try await bench.reserve()), left: 2, for: 500)
        let (one, beside) = (try #require(try await bench.reserve()), try #require(try await bench.reserve()))
        try await bench.end(one)
        // This may have been counted before the one that told nothing.
        try await bench.end(beside, left: 2, for: 500)
        let later = try #require(try await bench.reserve())
        #expect(try await bench.exhaustion() == .underWay)
        try await bench.end(later, left: 2, for: 500)
        for _ in 0..<2 { try await bench.end(try #require(try await bench.reserve())) }
        #expect(try await bench.exhaustion() == .unknownOutcomes)
        #expect(try await bench.wait() == 500)
    }

    @Test func `a request without an answer counts as spent once it must be over, until an answer reports`()
        async throws
    {
        let bench = try await RateLimitBench(try Self.origin())
        try await bench.end(try #require(try await bench.reserve()), left: 2, for: 500)
        _ = try await bench.reserve(bench.stores[1], timeout: .seconds(30))
        let last = try #require(try await bench.reserve(timeout: .seconds(30)))
        #expect(try await bench.exhaustion() == .underWay)
        bench.time.advance(by: .seconds(29))
        try await bench.end(last, left: 2, for: 471)
        bench.time.advance(by: .seconds(2))
        let next = try #require(try await bench.reserve())
        #expect(try await bench.exhaustion() == .underWay)
        try await bench.end(next, left: 1, for: 469)
        #expect(try await bench.reserve() != nil)
    }

    @Test func `under a rate too, a lost request is an unknown outcome when it must be over`()
        async throws
    {
        let bench = try await RateLimitBench(try Self.origin("100/h"))
        try await bench.end(try #require(try await bench.reserve()), left: 2, for: 5_000)
        _ = try await bench.reserve(timeout: .seconds(30))
        bench.time.advance(by: .seconds(31))
        try await bench.end(try #require(try await bench.reserve()), left: 1, for: 4_969)
        #expect(try await bench.used() == [3])
        #expect(try await bench.reserve() != nil)
    }

    @Test func `an answer that was long under way is of no later count than the answers it came after`() async throws {
        let bench = try await RateLimitBench(try Self.origin())
        let slow = try #require(try await bench.reserve())
        try await bench.end(try #require(try await bench.reserve()), left: 1, for: 60)
        bench.time.advance(by: .seconds(20))
        // It said "60 s from now" when it was sent 20 s ago.
        try await bench.end(slow, left: 9, for: 60)
        _ = try #require(try await bench.reserve())
        #expect(try await bench.exhaustion() == .underWay)
    }

    @Test func `a quota lowered by an older answer is not raised by a request that was under way beside it`()
        async throws
    {
        let bench = try await RateLimitBench(try Self.origin())
        let older = try #require(try await bench.reserve())
        try await bench.end(try #require(try await bench.reserve()), left: 9, for: 60)
        let beside = try #require(try await bench.reserve())
        try await bench.end(older, left: 3, for: 60)
        try await bench.end(beside, left: 8, for: 60)
        for _ in 0..<3 { _ = try #require(try await bench.reserve()) }
        #expect(try await bench.exhaustion() == .underWay)
    }

    @Test func `that nothing was left in an earlier count closes no later one`() async throws {
        let bench = try await RateLimitBench(try Self.origin())
        let slow = try #require(try await bench.reserve())
        try await bench.end(try #require(try await bench.reserve()), left: 9, for: 60)
        try await bench.end(slow, left: 0, for: 1)
        #expect(try await bench.wait() == 1)
        bench.time.advance(by: .seconds(1))
        let next = try #require(try await bench.reserve())
        try await bench.end(next, left: 8, for: 59)
        // What is left is reported although nothing is used up, and no rate of our own counts.
        let told = try #require(try await bench.store.rateLimits().first)
        #expect(told.remaining == 8 && told.resetAt == bench.time.now + .seconds(59) && told.freeAt == nil)
        for _ in 0..<8 { _ = try #require(try await bench.reserve()) }
        #expect(try await bench.reserve() == nil)
    }

    @Test(arguments: [false, true])
    func `the report of an overtaken answer does not count, even where the later window has ended`(
        _ isGivenBack: Bool
    ) async throws {
        let bench = try await RateLimitBench(try Self.origin())
        try await bench.end(try #require(try await bench.reserve()), left: 9, for: 500)
        bench.time.advance(by: .seconds(1))
        let late = try #require(try await bench.reserve())
        bench.time.advance(by: .seconds(1))
        let early = try #require(try await bench.reserve(bench.stores[1]))
        bench.time.advance(by: .seconds(1))
        try await bench.end(early, left: 3, for: 497)
        bench.time.advance(by: .seconds(1))
        // A count that is given back must not take the order of the reservations along.
        if isGivenBack { try await bench.end(try #require(try await bench.reserve()), .unsent) }
        try await bench.end(late, left: 8, for: 496)
        #expect(try await bench.reserve() != nil)
        let told = try #require(try await bench.store.rateLimits().first?.remaining)
        #expect(told < 3)
    }

    /// An origin that counts 10 requests in each 60 s, all or some of those that come, and says what is left.
    private struct CountingOrigin {
        static let most = 10
        static let span = Int64(60_000_000)
        private var counts: [Int64: Int] = [:]

        func left(at moment: Timestamp) -> Int {
            max(Self.most - counts[moment.microseconds / Self.span, default: 0], 0)
        }

        /// - Returns: what it says, and whether it had to count more than it lets out.
        mutating func count(_ isCounted: Bool, at moment: Timestamp) -> (word: RequestUsage.QuotaReport, isOver: Bool) {
            let span = moment.microseconds / Self.span
            if isCounted { counts[span, default: 0] += 1 }
            let until = Timestamp(microseconds: (span + 1) * Self.span)
            let isOver = counts[span, default: 0] > Self.most
            return (.answered(ReportedQuota(remaining: left(at: moment), resetAt: until)), isOver)
        }
    }

    /// What an origin and the line to it do.
    enum Manner: CaseIterable {
        case countsMost, countsFew
        /// Some requests are never answered, and some answers do not tell.
        case losesSome
    }

    /// A request that is under way: when the origin counts it, and what it says then.
    private struct Flight {
        var reserved: Reserved
        var counted: Timestamp
        /// Nil for one that is lost.
        var answered: Timestamp?
        var tells: Bool
        var said: RequestUsage.QuotaReport?

        func isOver(_ now: Timestamp) -> Bool { said != nil && answered ?? counted <= now }
    }

    @Test(arguments: Proof.sample(0..<8 as Range<UInt64>, every: 3), Manner.allCases)
    func
        `two processes go by what the origin says: it never counts more than it lets out, nor waits with something left`(
            _ seed: UInt64, _ manner: Manner
        ) async throws
    {
        let bench = try await RateLimitBench(try Self.origin())
        var (random, origin) = (SeededNumbers(seed), CountingOrigin())
        var flights: [Flight] = []
        var (over, idle, sent) = (0, 0, 0)
        for _ in 0..<1_500 {
            bench.time.advance(by: .milliseconds(1 + random.below(900)))
            let now = bench.time.now
            for index in flights.indices where flights[index].said == nil && flights[index].counted <= now {
                let isCounted = (random.below(3) == 0) == (manner == .countsFew)
                let (word, isOver) = origin.count(isCounted, at: flights[index].counted)
                flights[index].said = flights[index].tells ? word : .answered(nil)
                over += isOver ? 1 : 0
            }
            for flight in flights where flight.isOver(now) && flight.answered != nil {
                try await bench.end(flight.reserved, try #require(flight.said))
            }
            flights.removeAll { $0.isOver(now) }
            guard flights.count < 4 else { continue }
            guard let reserved = try await bench.reserve(bench.stores[random.below(2)], timeout: .seconds(5)) else {
                if flights.isEmpty, manner != .losesSome, origin.left(at: now) > 0 { idle += 1 }
                continue
            }
            guard random.below(10) > 0 else {
                try await bench.end(reserved, .unsent)
                continue
            }
            sent += 1
            let counted = now + .milliseconds(random.below(1_500))
            let losing = manner == .losesSome ? random.below(10) : 9
            flights.append(
                Flight(
                    reserved: reserved, counted: losing == 0 ? now + .milliseconds(random.below(5_000)) : counted,
                    answered: losing == 0 ? nil : counted + .milliseconds(random.below(1_500)), tells: losing != 1))
        }
        #expect(over == 0)
        #expect(idle == 0)
        #expect(sent > (manner == .countsFew ? 250 : 100), "\(sent)")
    }

    @Test func `limits in use are reported, and no others`() async throws {
        let bench = try await RateLimitBench(try Self.origin("2/m"))
        #expect(try await bench.store.rateLimits() == [])
        try await bench.end(try #require(try await bench.reserve()), left: 1, for: 30)
        let told = try #require(try await bench.stores[1].rateLimits().first)
        #expect(told.source == "api" && told.match == "**" && told.rate == RequestRate("2/m"))
        #expect(told.used == 1 && told.remaining == 1 && told.resetAt == bench.time.now + .seconds(30))
        #expect(told.freeAt == nil)
        try await bench.end(try #require(try await bench.reserve()))
        #expect(try await bench.store.rateLimits().first?.freeAt == bench.time.now + .seconds(61))
        bench.time.advance(by: .seconds(61))
        #expect(try await bench.store.rateLimits() == [])
    }
}
