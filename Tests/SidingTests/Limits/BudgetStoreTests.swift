import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

@Suite struct BudgetStoreTests {
    /// A request that is under way: when the origin counts it, and when its answer is there.
    private struct Flight {
        var slots: [Int64]
        var counted: Timestamp
        var answered: Timestamp?
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `two processes under 30 a minute: the origin never counts more in any minute`(_ seed: UInt64) async throws {
        let bench = try await BudgetBench(try RateLimit("**", "30/m"))
        var random = SeededNumbers(seed)
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
        let bench = try await BudgetBench(try RateLimit("**", "1/m"))
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
        let bench = try await BudgetBench(try RateLimit("**", "1/m"))
        _ = try await bench.take(bench.stores[1], hold: .seconds(120))
        bench.time.advance(by: .seconds(179))
        #expect(try await bench.slots() == nil)
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.slots() != nil)
    }

    @Test func `what did not go out does not count`() async throws {
        let bench = try await BudgetBench(try RateLimit("**", "1/m"))
        let slots = try #require(try await bench.slots())
        try await bench.settle(slots, .unsent)
        try await bench.settle(slots, .unsent)
        #expect(try await bench.held() == [0])
        #expect(try await bench.slots() != nil)
    }

    @Test func `an answer that comes when its slot was thought free counts all the same`() async throws {
        let bench = try await BudgetBench(try RateLimit("**", "1/m"))
        let stopped = try #require(try await bench.slots())
        bench.time.advance(by: .seconds(600))
        let slots = try #require(try await bench.slots())
        try await bench.settle(slots, .unsent)
        try await bench.settle(stopped)
        #expect(try await bench.wait() == 60)
        #expect(try await bench.held() == [1])
    }

    @Test func `a request takes a slot of every limit, or of none`() async throws {
        let bench = try await BudgetBench(try RateLimit("/a", "2/m"), try RateLimit("**", "1/h"))
        let slots = try #require(try await bench.slots())
        try await bench.settle(slots)
        #expect(slots.count == 2)
        #expect(try await bench.wait() == 3600)
        #expect(try await bench.held() == [1, 1])
        guard case .spent(let limit, _, let shortage) = try await bench.take() else { return }
        #expect(limit.match.description == "**" && shortage == .rate)
    }

    @Test func `two limits of one pattern count apart, each in its time`() async throws {
        let bench = try await BudgetBench(try RateLimit("**", "1/s"), try RateLimit("**", "2/m"))
        for _ in 0..<2 {
            try await bench.settle(try #require(try await bench.slots()))
            #expect(try await bench.slots() == nil)
            bench.time.advance(by: .seconds(1))
        }
        #expect(try await bench.wait() == 58)
    }

    @Test func `a rate that was lowered holds for what went out before`() async throws {
        var bench = try await BudgetBench(try RateLimit("**", "4/m"))
        for _ in 0..<4 {
            try await bench.settle(try #require(try await bench.slots()))
            bench.time.advance(by: .seconds(1))
        }
        bench.limits = [try RateLimit("**", "2/m")]
        // The third of the four has to be free.
        #expect(try await bench.wait() == 58)
    }

    @Test func `a clock that is set back does not close a budget for as long`() async throws {
        let bench = try await BudgetBench(try RateLimit("**", "1/m"))
        _ = try await bench.slots()
        bench.time.advance(by: .seconds(-86_400))
        #expect(try await bench.slots() == nil)
        bench.time.advance(by: .seconds(180))
        #expect(try await bench.slots() != nil)
    }

    @Test func `five thousand an hour cost no more than thirty a minute: each look is a seek`() async throws {
        let bench = try await BudgetBench(try RateLimit("**", "5000/h"))
        _ = try await bench.slots()
        for sql in [
            BudgetRows.countFreed, BudgetRows.removeFreed, BudgetRows.nextFree, BudgetRows.countUnderWay,
        ] {
            let plan = try await bench.store.write { transaction in
                let plan = SQL(verbatim: "EXPLAIN QUERY PLAN \(sql.text)")
                guard sql.text.contains("?3") else { return try transaction.query(plan, 1, 2) { $0.text(3) } }
                return try transaction.query(plan, 1, 2, 3) { $0.text(3) }
            }
            #expect(plan.allSatisfy { $0.contains("siding_budget_slots_free") && !$0.contains("SCAN") }, "\(plan)")
        }
    }
}
