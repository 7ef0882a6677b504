import HTTPTypes
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

@Suite struct BudgetStoreTests {
    /// Two processes on one file, as far as the store can tell, and a clock that a test moves.
    private struct Bench {
        let directory: TemporaryDirectory
        let time = ManualWallClock()
        let stores: [SQLiteStore]
        var limits: [RateLimit]

        init(_ limits: RateLimit...) async throws {
            directory = try TemporaryDirectory()
            let path = directory.path(of: "test.db")
            stores = [
                try await SQLiteStore.open(at: path, clock: time.clock),
                try await SQLiteStore.open(at: path, clock: time.clock),
            ]
            self.limits = limits
        }

        var store: SQLiteStore { stores[0] }

        func take(_ store: SQLiteStore? = nil, hold: Duration = .seconds(120)) async throws -> SlotAnswer {
            try await (store ?? self.store).takeSlots(SlotRequest(source: "api", limits: limits, hold: hold))
        }

        /// The slots; nil where there are none.
        func slots(_ store: SQLiteStore? = nil) async throws -> [Int64]? {
            guard case .taken(let slots) = try await take(store) else { return nil }
            return slots
        }

        /// In how many seconds there may be room.
        func wait() async throws -> Double? {
            guard case .spent(_, let until, _) = try await take() else { return nil }
            return (until - time.now) / .seconds(1)
        }

        func settle(_ slots: [Int64], _ ending: SlotSettlement.Ending = .answered(remaining: nil, until: nil))
            async throws
        {
            try await stores[1].settleSlots(
                zip(slots, limits).map { SlotSettlement(slot: $0, of: "api", $1, ending) })
        }

        func settle(_ slots: [Int64], left: Int, for seconds: Int) async throws {
            try await settle(slots, .answered(remaining: left, until: time.now + .seconds(seconds)))
        }

        func held() async throws -> [Int64] {
            try await store.read { try $0.query("SELECT held FROM siding_budgets ORDER BY id") { $0.int(0) } }
        }

        func rows() async throws -> Int64? {
            try await store.read { try $0.first("SELECT count(*) FROM siding_budget_slots") { $0.int(0) } }
        }
    }

    /// A request that is under way: when the origin counts it, and when its answer is there.
    private struct Flight {
        var slots: [Int64]
        var counted: Timestamp
        var answered: Timestamp?
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `two processes under 30 a minute: the origin never counts more in any minute`(_ seed: UInt64) async throws {
        let bench = try await Bench(try RateLimit("**", "30/m"))
        var random = Random(seed)
        var (flights, counts): ([Flight], [Timestamp]) = ([], [])
        var refusals = 0
        // Half an hour in steps of 0 to 2 s; requests take up to 20 s, and some are never answered.
        for _ in 0..<1_800 {
            bench.time.advance(by: .milliseconds(random.below(2_000)))
            let now = bench.time.now
            for flight in flights where flight.answered.map({ $0 <= now }) ?? false {
                try await bench.settle(flight.slots)
            }
            flights.removeAll { $0.answered.map { $0 <= now } ?? ($0.counted <= now) }
            guard let slots = try await bench.slots(bench.stores[random.below(2)]) else {
                refusals += 1
                continue
            }
            let counted = now + .milliseconds(random.below(10_000))
            let isLost = random.below(20) == 0
            flights.append(
                Flight(
                    slots: slots, counted: isLost ? now + .milliseconds(random.below(120_000)) : counted,
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

    @Test func `a slot is free a window after the answer, not after the request`() async throws {
        let bench = try await Bench(try RateLimit("**", "1/m"))
        let slots = try #require(try await bench.slots())
        bench.time.advance(by: .seconds(50))
        #expect(try await bench.wait() == 60)
        try await bench.settle(slots)
        bench.time.advance(by: .seconds(59))
        #expect(try await bench.wait() == 1)
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.slots() != nil)
        #expect(try await bench.rows() == 1)
    }

    @Test func `the slot of a process that died is free when its request must be over, and a window later`()
        async throws
    {
        let bench = try await Bench(try RateLimit("**", "1/m"))
        _ = try await bench.take(bench.stores[1], hold: .seconds(120))
        bench.time.advance(by: .seconds(179))
        #expect(try await bench.slots() == nil)
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.slots() != nil)
    }

    @Test func `what did not go out does not count`() async throws {
        let bench = try await Bench(try RateLimit("**", "1/m"))
        let slots = try #require(try await bench.slots())
        try await bench.settle(slots, .unsent)
        try await bench.settle(slots, .unsent)
        #expect(try await bench.held() == [0])
        #expect(try await bench.slots() != nil)
    }

    @Test func `an answer that comes when its slot was thought free counts all the same`() async throws {
        let bench = try await Bench(try RateLimit("**", "1/m"))
        let stopped = try #require(try await bench.slots())
        bench.time.advance(by: .seconds(600))
        let slots = try #require(try await bench.slots())
        try await bench.settle(slots, .unsent)
        try await bench.settle(stopped)
        #expect(try await bench.wait() == 60)
        #expect(try await bench.held() == [1])
    }

    @Test func `a request takes a slot of every limit, or of none`() async throws {
        let bench = try await Bench(try RateLimit("/a", "2/m"), try RateLimit("**", "1/h"))
        let slots = try #require(try await bench.slots())
        try await bench.settle(slots)
        #expect(slots.count == 2)
        #expect(try await bench.wait() == 3600)
        #expect(try await bench.held() == [1, 1])
        guard case .spent(let limit, _, let isByOrigin) = try await bench.take() else { return }
        #expect(limit.match.description == "**" && !isByOrigin)
    }

    @Test func `two limits of one pattern count apart, each in its time`() async throws {
        let bench = try await Bench(try RateLimit("**", "1/s"), try RateLimit("**", "2/m"))
        for _ in 0..<2 {
            try await bench.settle(try #require(try await bench.slots()))
            #expect(try await bench.slots() == nil)
            bench.time.advance(by: .seconds(1))
        }
        #expect(try await bench.wait() == 58)
    }

    @Test func `a rate that was lowered holds for what went out before`() async throws {
        var bench = try await Bench(try RateLimit("**", "4/m"))
        for _ in 0..<4 {
            try await bench.settle(try #require(try await bench.slots()))
            bench.time.advance(by: .seconds(1))
        }
        bench.limits = [try RateLimit("**", "2/m")]
        // The third of the four has to be free.
        #expect(try await bench.wait() == 58)
    }

    @Test func `a clock that is set back does not close a budget for as long`() async throws {
        let bench = try await Bench(try RateLimit("**", "1/m"))
        _ = try await bench.slots()
        bench.time.advance(by: .seconds(-86_400))
        #expect(try await bench.slots() == nil)
        bench.time.advance(by: .seconds(180))
        #expect(try await bench.slots() != nil)
    }

    @Test func `five thousand an hour cost no more than thirty a minute: each look is a seek`() async throws {
        let bench = try await Bench(try RateLimit("**", "5000/h"))
        _ = try await bench.slots()
        for sql in [BudgetRows.countFreed, BudgetRows.removeFreed, BudgetRows.nextFree] {
            let plan = try await bench.store.write { transaction in
                let plan = SQL(verbatim: "EXPLAIN QUERY PLAN \(sql.text)")
                guard sql.text.contains("?3") else { return try transaction.query(plan, 1, 2) { $0.text(3) } }
                return try transaction.query(plan, 1, 2, 3) { $0.text(3) }
            }
            #expect(plan.allSatisfy { $0.contains("siding_budget_slots_free") && !$0.contains("SCAN") }, "\(plan)")
        }
    }

    // MARK: What the origin says

    private static func origin(_ rate: String? = nil) throws -> RateLimit {
        try RateLimit(
            PathPattern("**"), rate: rate.flatMap { RequestRate($0) }, remaining: HTTPField.Name("X-Left")!,
            reset: HTTPField.Name("X-Reset")!)
    }

    @Test func `nothing left closes the budget until the origin's count begins anew`() async throws {
        let bench = try await Bench(try Self.origin("100/s"))
        try await bench.settle(try #require(try await bench.slots()), left: 0, for: 500)
        guard case .spent(_, let until, let isByOrigin) = try await bench.take() else {
            Issue.record("something went out")
            return
        }
        #expect(isByOrigin && until == bench.time.now + .seconds(500))
        bench.time.advance(by: .seconds(500))
        #expect(try await bench.slots() != nil)
    }

    @Test func `what is left is shared: what others have under way may not be counted yet`() async throws {
        let bench = try await Bench(try Self.origin())
        let first = try #require(try await bench.slots())
        let second = try #require(try await bench.slots(bench.stores[1]))
        try await bench.settle(first, left: 1, for: 500)
        #expect(try await bench.slots() == nil)
        try await bench.settle(second, left: 0, for: 500)
        #expect(try await bench.slots() == nil)
    }

    @Test func `each request takes of what is left, and what did not go out gives it back`() async throws {
        let bench = try await Bench(try Self.origin())
        try await bench.settle(try #require(try await bench.slots()), left: 2, for: 500)
        let one = try #require(try await bench.slots())
        _ = try #require(try await bench.slots())
        #expect(try await bench.slots() == nil)
        try await bench.settle(one, .unsent)
        #expect(try await bench.slots() != nil)
    }

    @Test func `answers that overtake each other do not raise what is left, and a later span does`() async throws {
        let bench = try await Bench(try Self.origin())
        let late = try #require(try await bench.slots())
        let early = try #require(try await bench.slots())
        try await bench.settle(early, left: 0, for: 500)
        try await bench.settle(late, left: 9, for: 501)
        #expect(try await bench.slots() == nil)
        bench.time.advance(by: .seconds(500))
        let next = try #require(try await bench.slots())
        try await bench.settle(next, left: 9, for: 500)
        #expect(try await bench.slots() != nil)
    }

    @Test func `what the origin does not count is not counted either, where nothing else was under way`() async throws {
        let bench = try await Bench(try Self.origin())
        for _ in 0..<20 {
            let slots = try #require(try await bench.slots())
            bench.time.advance(by: .seconds(1))
            try await bench.settle(slots, left: 3, for: 500)
            bench.time.advance(by: .seconds(1))
        }
    }

    @Test(arguments: [false, true])
    func `the word of an answer that another overtook does not count, even where that one's place is gone`(
        _ isGivenBack: Bool
    ) async throws {
        let bench = try await Bench(try Self.origin())
        try await bench.settle(try #require(try await bench.slots()), left: 9, for: 500)
        bench.time.advance(by: .seconds(1))
        let late = try #require(try await bench.slots())
        bench.time.advance(by: .seconds(1))
        let early = try #require(try await bench.slots(bench.stores[1]))
        bench.time.advance(by: .seconds(1))
        try await bench.settle(early, left: 3, for: 497)
        bench.time.advance(by: .seconds(1))
        // Taking a place takes away what is over; the one that is given back must not take the trace along.
        if isGivenBack { try await bench.settle(try #require(try await bench.slots()), .unsent) }
        try await bench.settle(late, left: 8, for: 496)
        #expect(try await bench.slots() != nil)
        let told = try #require(try await bench.store.budgets().first?.remaining)
        #expect(told < 3)
    }

    /// An origin that counts 10 requests in each 60 s, all but every third, and says what is left.
    private struct CountingOrigin {
        static let most = 10
        static let span = Int64(60_000_000)
        var counts: [Int64: Int] = [:]

        mutating func count(_ isCounted: Bool, at moment: Timestamp) -> (left: Int, until: Timestamp, isOver: Bool) {
            let span = moment.microseconds / Self.span
            if isCounted { counts[span, default: 0] += 1 }
            let used = counts[span, default: 0]
            let until = Timestamp(microseconds: (span + 1) * Self.span)
            return (max(Self.most - used, 0), until, used > Self.most)
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `two processes go by what the origin says is left: it never has to count more than it lets out`(
        _ seed: UInt64
    ) async throws {
        let bench = try await Bench(try Self.origin())
        var (random, origin) = (Random(seed), CountingOrigin())
        // Under way: when it is counted, what the origin says then, and when that is here.
        var flights: [(slots: [Int64], counted: Timestamp, said: SlotSettlement.Ending?, answered: Timestamp)] = []
        var (over, sent) = (0, 0)
        for step in 0..<1_500 {
            bench.time.advance(by: .milliseconds(1 + random.below(900)))
            let now = bench.time.now
            for index in flights.indices where flights[index].said == nil && flights[index].counted <= now {
                // The origin's count of a request that straddles two spans is the later one's.
                let word = origin.count(step % 3 != 0, at: flights[index].counted)
                flights[index].said = .answered(remaining: word.left, until: word.until)
                over += word.isOver ? 1 : 0
            }
            for flight in flights where flight.answered <= now && flight.said != nil {
                try await bench.settle(flight.slots, try #require(flight.said))
            }
            flights.removeAll { $0.answered <= now && $0.said != nil }
            guard flights.count < 4, let slots = try await bench.slots(bench.stores[random.below(2)]) else { continue }
            guard random.below(10) > 0 else {
                try await bench.settle(slots, .unsent)
                continue
            }
            sent += 1
            let counted = now + .milliseconds(random.below(1_500))
            flights.append((slots, counted, nil, counted + .milliseconds(random.below(1_500))))
        }
        #expect(over == 0)
        #expect(sent > 100)
    }

    @Test func `budgets in use are told, and no others`() async throws {
        let bench = try await Bench(try Self.origin("2/m"))
        #expect(try await bench.store.budgets() == [])
        try await bench.settle(try #require(try await bench.slots()), left: 1, for: 30)
        let told = try #require(try await bench.stores[1].budgets().first)
        #expect(told.source == "api" && told.match == "**" && told.rate == RequestRate("2/m"))
        #expect(told.used == 1 && told.remaining == 1 && told.resetAt == bench.time.now + .seconds(30))
        #expect(told.freeAt == nil)
        try await bench.settle(try #require(try await bench.slots()))
        #expect(try await bench.store.budgets().first?.freeAt == bench.time.now + .seconds(60))
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.store.budgets() == [])
    }
}

/// Numbers that are the same each time.
private struct Random {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}
