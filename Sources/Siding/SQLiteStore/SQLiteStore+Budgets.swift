internal import SidingChain
internal import SidingSQLite

extension SQLiteStore: BudgetStore {
    public func takeSlots(_ request: SlotRequest) async throws(StoreError) -> SlotAnswer {
        let clock = clock
        // Who waits looks again and again, and needs no turn among the writers for that.
        let seen = try await read { snapshot in try Self.lasting(request, clock.now, snapshot) }
        if let seen { return seen }
        return try await write { transaction in
            // The time of the turn, not of the wait for it: the request goes out after it.
            let now = clock.now
            let budgets = try request.limits.map { limit in
                guard
                    let budget = try BudgetRows.open(request.source, limit, hold: request.hold, now, transaction)
                else { throw StoreError(.corrupt, "the budget of '\(limit.match)' could not be made") }
                return budget
            }
            if let spent = try Self.spent(request, now, transaction) { return spent }
            return .taken(try budgets.map { try BudgetRows.take($0, hold: request.hold, now, transaction) })
        }
    }

    /// What a taking could not change either: nil also where it would set right what a clock has left behind.
    private static func lasting(
        _ request: SlotRequest, _ now: Timestamp, _ snapshot: borrowing Snapshot
    ) throws -> SlotAnswer? {
        for limit in request.limits {
            guard let budget = try BudgetRows.find(request.source, limit, now, snapshot) else { continue }
            if try BudgetRows.isOfFuture(budget, request.hold, now, snapshot) { return nil }
        }
        return try spent(request, now, snapshot)
    }

    /// The limit that has a slot last; nil where all have one.
    private static func spent(
        _ request: SlotRequest, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> SlotAnswer? {
        var last: (limit: RateLimit, spent: BudgetRows.Spent)?
        for limit in request.limits {
            guard let budget = try BudgetRows.find(request.source, limit, now, database),
                let spent = try BudgetRows.spent(budget, limit.rate, now, database)
            else { continue }
            if last.map({ $0.spent.until < spent.until }) ?? true { last = (limit, spent) }
        }
        return last.map { .spent(limit: $0.limit, until: $0.spent.until, isByOrigin: $0.spent.isByOrigin) }
    }

    public func settleSlots(_ settlements: [SlotSettlement]) async throws(StoreError) {
        let clock = clock
        try await write { transaction in
            let now = clock.now
            for settlement in settlements {
                guard let budget = try BudgetRows.find(settlement.source, settlement.limit, now, transaction) else {
                    continue
                }
                switch settlement.ending {
                case .unsent: try BudgetRows.giveBack(settlement.slot, to: budget, now, transaction)
                case .answered(let remaining, let until):
                    let isNewest = try BudgetRows.wasAlone(settlement.slot, in: budget, now, transaction)
                    try BudgetRows.answer(settlement.slot, of: budget, now, transaction)
                    guard let remaining, let until else { continue }
                    try BudgetRows.learn(
                        remaining: remaining, until: until, isNewest: isNewest, of: budget, now, transaction)
                }
            }
        }
    }

    public func budgets() async throws(StoreError) -> [BudgetReport] {
        let now = clock.now
        return try await read { snapshot in
            let rows = try snapshot.query(
                """
                SELECT b.id, b.rate, b.window_us, b.remaining, b.reset_at, b.source, b.match, b.held - (
                    SELECT count(*) FROM siding_budget_slots AS s
                    WHERE s.budget = b.id AND s.answered IN (0, 1) AND s.free_at <= ?1)
                FROM siding_budgets AS b ORDER BY b.source, b.match, b.window_us
                """, now.microseconds
            ) { row in (BudgetRows.Budget(row, used: Int(row.int(7))), row.text(5), row.text(6)) }
            return try rows.compactMap { budget, source, match in
                let rate = budget.rate.flatMap { RequestRate($0, per: budget.window) }
                let allowance = budget.allowance(now)
                let spent = try BudgetRows.spent(budget, rate, now, snapshot)
                guard budget.used > 0 || spent != nil else { return nil }
                return BudgetReport(
                    source: source, match: match, rate: rate, used: budget.used,
                    remaining: allowance.map { max($0.remaining, 0) }, resetAt: allowance?.until, freeAt: spent?.until)
            }
        }
    }
}
