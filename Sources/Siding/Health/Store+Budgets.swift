internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Takes a slot of every limit of `request`, or of none.
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
        return last.map { .spent(limit: $0.limit, until: $0.spent.until, because: $0.spent.shortage) }
    }

    /// Says what became of requests that had slots. A slot that is never settled frees itself when ``SlotRequest/hold`` and
    /// the limit's window are over.
    public func settleSlots(_ settlements: [SlotSettlement]) async throws(StoreError) {
        let clock = clock
        try await write { transaction in
            let now = clock.now
            for settlement in settlements {
                guard let budget = try BudgetRows.find(settlement.source, settlement.limit, now, transaction) else {
                    continue
                }
                switch settlement.ending {
                case .unsent: try BudgetRows.giveBack(settlement.slot, to: budget, transaction)
                case .answered(let remaining, let until):
                    let start = try BudgetRows.start(of: settlement.slot, transaction)
                    try BudgetRows.answer(settlement.slot, of: budget, now, transaction)
                    if let remaining, let until {
                        let word = BudgetRows.Word(
                            slot: settlement.slot, start: start, remaining: remaining, until: until)
                        try BudgetRows.learn(word, of: budget, now, transaction)
                    } else if start != nil, settlement.limit.remaining != nil {
                        try BudgetRows.addUnheard(1, to: budget.id, transaction)
                    }
                }
            }
        }
    }

    /// The budgets of which something is taken, or that the origin has closed.
    public func budgets() async throws(StoreError) -> [BudgetReport] {
        let now = clock.now
        return try await read { snapshot in
            let rows = try snapshot.query(
                """
                SELECT \(BudgetRows.Budget.columns), b.source, b.match, b.held - (
                    SELECT count(*) FROM siding_budget_slots AS s
                    WHERE s.budget = b.id AND s.answered IN (0, 1) AND s.free_at <= ?1)
                FROM siding_budgets AS b ORDER BY b.source, b.match, b.window_us
                """, now.microseconds
            ) { row in (BudgetRows.Budget(row, used: Int(row.int(11))), row.text(9), row.text(10)) }
            return try rows.compactMap { budget, source, match in
                let rate = budget.rate.flatMap { RequestRate($0, per: budget.window) }
                let rest = try BudgetRows.rest(budget, now, snapshot)
                let spent = try BudgetRows.spent(budget, rate, now, snapshot)
                guard budget.used > 0 || spent != nil else { return nil }
                return BudgetReport(
                    source: source, match: match, rate: rate, used: budget.used, remaining: rest?.count,
                    resetAt: rest?.until, freeAt: spent.flatMap { $0.shortage == .underWay ? nil : $0.until },
                    shortage: spent?.shortage)
            }
        }
    }
}
