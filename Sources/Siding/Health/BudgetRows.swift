internal import SidingChain
internal import SidingSQLite

/// All SQL of `siding_budgets` and `siding_budget_slots`, but for what origins say.
enum BudgetRows {
    /// A budget as it stands.
    struct Budget: Sendable {
        static let columns: SQL = """
            b.id, b.rate, b.window_us, b.remaining, b.reset_at, b.told, b.unheard, b.unheard_slot, b.closed_until
            """

        var id: Int64
        /// Slots that are not free.
        var used: Int
        var rate: Int?
        var window: Duration
        /// The newest slot there was when what the origin said was taken in.
        var told: Int64
        /// How many requests ended without an answer that told what is left, since a later one's told it.
        var unheard: Int
        /// The newest slot there was when the last of them ended.
        var unheardSlot: Int64
        private var remaining: Int?
        private var resetAt: Timestamp?
        private var closedUntil: Timestamp?

        init(_ row: borrowing Row, used: Int) {
            id = row.int(0)
            self.used = used
            rate = row.optionalInt(1).map(Int.init)
            window = .microseconds(row.int(2))
            remaining = row.optionalInt(3).map(Int.init)
            resetAt = row.optionalInt(4).map(Timestamp.init)
            (told, unheard, unheardSlot) = (row.int(5), Int(row.int(6)), row.int(7))
            closedUntil = row.optionalInt(8).map(Timestamp.init)
        }

        /// What the origin said is left, until when; nil where it said nothing that holds.
        func allowance(_ now: Timestamp) -> (remaining: Int, until: Timestamp)? {
            guard let remaining, let resetAt, Self.holds(resetAt, now) else { return nil }
            return (remaining, resetAt)
        }

        /// Until when the origin said that nothing is left; nil where that is over.
        func closure(_ now: Timestamp) -> Timestamp? { closedUntil.flatMap { Self.holds($0, now) ? $0 : nil } }

        /// What is further ahead than any origin is believed was said before the clock was set back.
        private static func holds(_ moment: Timestamp, _ now: Timestamp) -> Bool {
            moment > now && moment <= now + RetryAfter.longest
        }
    }

    /// Why nothing may go out.
    struct Spent: Sendable {
        var until: Timestamp
        var shortage: BudgetShortage
    }

    static func find(
        _ source: String, _ limit: RateLimit, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Budget? {
        let found = try database.first(
            """
            SELECT \(Budget.columns), b.held FROM siding_budgets AS b
            WHERE b.source = ?1 AND b.match = ?2 AND b.window_us = ?3
            """, source, limit.match.description, limit.window.wholeMicroseconds
        ) { row in (budget: Budget(row, used: 0), held: Int(row.int(9))) }
        guard var (budget, held) = found else { return nil }
        held -= try freed(budget.id, now, database)
        budget.used = held
        return budget
    }

    /// How many slots are free and not gone yet: few, as each taking removes them.
    private static func freed(
        _ budget: Int64, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Int {
        try database.first(countFreed, budget, now.microseconds) { Int($0.int(0)) } ?? 0
    }

    /// Two ranges of `siding_budget_slots_free`.
    static let countFreed: SQL =
        "SELECT count(*) FROM siding_budget_slots WHERE budget = ?1 AND answered IN (0, 1) AND free_at <= ?2"
    static let removeFreed: SQL =
        "DELETE FROM siding_budget_slots WHERE budget = ?1 AND answered IN (0, 1) AND free_at <= ?2"
    /// The slot that is the first, second, third to be free of those that were answered.
    static let nextFree: SQL = """
        SELECT free_at FROM siding_budget_slots WHERE budget = ?1 AND answered = 1 AND free_at > ?2
        ORDER BY free_at LIMIT 1 OFFSET ?3
        """

    /// Why nothing may go out under `limit`; nil where something may.
    static func spent(
        _ budget: Budget, _ rate: RequestRate?, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Spent? {
        let short = try shortOfRest(budget, now, database)
        guard let rate, budget.used >= rate.count else { return short }
        // What is under way may be answered at any moment, and frees its slot a window later.
        let earliest = now + rate.window
        let next = try database.first(nextFree, budget.id, now.microseconds, budget.used - rate.count) {
            Timestamp(microseconds: $0.int(0))
        }
        let until = min(next ?? earliest, earliest)
        if let short, short.until > until { return short }
        return Spent(until: until, shortage: .rate)
    }

    // MARK: Taking

    /// The budget of `limit`, without slots that are free; made where it is missing.
    static func open(
        _ source: String, _ limit: RateLimit, hold: Duration, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Budget? {
        try transaction.execute(
            """
            INSERT INTO siding_budgets (source, match, window_us, rate) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (source, match, window_us) DO UPDATE SET rate = excluded.rate WHERE rate IS NOT excluded.rate
            """, source, limit.match.description, limit.window.wholeMicroseconds, limit.rate?.count)
        guard let budget = try find(source, limit, now, transaction) else { return nil }
        try moveBack(budget, hold, now, transaction)
        try lapse(budget, now, transaction)
        let gone = try transaction.execute(removeFreed, budget.id, now.microseconds)
        try add(-gone, to: budget.id, transaction)
        return try find(source, limit, now, transaction)
    }

    /// Whether a slot is held for longer than any can be, because the clock was set back since.
    static func isOfFuture(
        _ budget: Budget, _ hold: Duration, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.first(
            "SELECT 1 FROM siding_budget_slots WHERE budget = ?1 AND answered IN (0, 1) AND free_at > ?2 LIMIT 1",
            budget.id, (now + hold + budget.window).microseconds
        ) { _ in true } ?? false
    }

    /// Where the clock was set back, slots of the future would be held for as long: they count from now on.
    private static func moveBack(
        _ budget: Budget, _ hold: Duration, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        guard try isOfFuture(budget, hold, now, transaction) else { return }
        try transaction.execute(
            """
            UPDATE siding_budget_slots SET free_at = free_at - taken_at + ?2, taken_at = ?2
            WHERE budget = ?1 AND taken_at > ?2
            """, budget.id, now.microseconds)
    }

    /// Requests that must be over, and of which nobody said how they ended: the origin has counted them by now, or never will.
    private static func lapse(_ budget: Budget, _ now: Timestamp, _ transaction: borrowing Transaction) throws {
        let lapsed = try transaction.execute(
            "UPDATE siding_budget_slots SET answered = 1 WHERE budget = ?1 AND answered = 0 AND free_at <= ?2",
            budget.id, (now + budget.window).microseconds)
        try addUnheard(lapsed, to: budget.id, transaction)
    }

    /// - Returns: the new slot.
    static func take(
        _ budget: Budget, hold: Duration, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Int64 {
        try transaction.execute(
            "INSERT INTO siding_budget_slots (budget, taken_at, free_at) VALUES (?1, ?2, ?3)",
            budget.id, now.microseconds, (now + hold + budget.window).microseconds)
        let slot = transaction.lastInsertedRowID
        try add(1, to: budget.id, transaction)
        return slot
    }

    // MARK: Settling

    static func giveBack(_ slot: Int64, to budget: Budget, _ transaction: borrowing Transaction) throws {
        let gone = try transaction.execute("DELETE FROM siding_budget_slots WHERE id = ?1 AND answered = 0", slot)
        try add(-gone, to: budget.id, transaction)
    }

    /// Since when the request of `slot` is under way; nil where it is thought to be over.
    static func start(of slot: Int64, _ transaction: borrowing Transaction) throws -> Timestamp? {
        try transaction.first("SELECT taken_at FROM siding_budget_slots WHERE id = ?1 AND answered = 0", slot) {
            Timestamp(microseconds: $0.int(0))
        }
    }

    /// The origin has counted the request by now, so that it counts for a window from now on: also where its slot was taken
    /// for free meanwhile, as the process stood still.
    static func answer(
        _ slot: Int64, of budget: Budget, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        let free = (now + budget.window).microseconds
        let settled = try transaction.execute(
            "UPDATE siding_budget_slots SET answered = 1, free_at = ?2 WHERE id = ?1", slot, free)
        guard settled == 0, budget.window > .zero else { return }
        try transaction.execute(
            "INSERT INTO siding_budget_slots (id, budget, taken_at, answered, free_at) VALUES (?1, ?2, ?3, 1, ?4)",
            slot, budget.id, now.microseconds, free)
        try add(1, to: budget.id, transaction)
    }

    private static func add(_ slots: Int, to budget: Int64, _ transaction: borrowing Transaction) throws {
        guard slots != 0 else { return }
        try transaction.execute("UPDATE siding_budgets SET held = held + ?2 WHERE id = ?1", budget, slots)
    }
}
