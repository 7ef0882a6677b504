internal import SidingChain
internal import SidingSQLite

/// All SQL of `siding_budgets` and `siding_budget_slots`.
enum BudgetRows {
    /// A budget as it stands.
    struct Budget: Sendable {
        var id: Int64
        /// Slots that are not free.
        var used: Int
        var rate: Int?
        var window: Duration
        private var remaining: Int?
        private var resetAt: Timestamp?

        init(_ row: borrowing Row, used: Int) {
            id = row.int(0)
            self.used = used
            rate = row.optionalInt(1).map(Int.init)
            window = .microseconds(row.int(2))
            remaining = row.optionalInt(3).map(Int.init)
            resetAt = row.optionalInt(4).map(Timestamp.init)
        }

        /// What the origin has left, until when; nil where it said nothing that holds. What is further ahead than any origin
        /// is believed was said before the clock was set back.
        func allowance(_ now: Timestamp) -> (remaining: Int, until: Timestamp)? {
            guard let remaining, let resetAt, resetAt > now, resetAt <= now + RetryAfter.longest else { return nil }
            return (remaining, resetAt)
        }
    }

    /// Why nothing may go out.
    struct Spent: Sendable {
        var until: Timestamp
        var isByOrigin: Bool
    }

    static func find(
        _ source: String, _ limit: RateLimit, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Budget? {
        let found = try database.first(
            """
            SELECT id, rate, window_us, remaining, reset_at, held FROM siding_budgets
            WHERE source = ?1 AND match = ?2 AND window_us = ?3
            """, source, limit.match.description, limit.window.wholeMicroseconds
        ) { row in (budget: Budget(row, used: 0), held: Int(row.int(5))) }
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
        let allowance = budget.allowance(now)
        let closed = allowance.flatMap { $0.remaining <= 0 ? Spent(until: $0.until, isByOrigin: true) : nil }
        guard let rate, budget.used >= rate.count else { return closed }
        // What is under way may be answered at any moment, and frees its slot a window later.
        let earliest = now + rate.window
        let next = try database.first(nextFree, budget.id, now.microseconds, budget.used - rate.count) {
            Timestamp(microseconds: $0.int(0))
        }
        let until = min(next ?? earliest, earliest)
        if let closed, closed.until > until { return closed }
        return Spent(until: until, isByOrigin: false)
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

    /// - Returns: the new slot.
    static func take(
        _ budget: Budget, hold: Duration, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Int64 {
        try transaction.execute(
            "INSERT INTO siding_budget_slots (budget, taken_at, free_at) VALUES (?1, ?2, ?3)",
            budget.id, now.microseconds, (now + hold + budget.window).microseconds)
        let slot = transaction.lastInsertedRowID
        try transaction.execute(
            "UPDATE siding_budgets SET held = held + 1, remaining = remaining - 1 WHERE id = ?1", budget.id)
        return slot
    }

    // MARK: Settling

    static func giveBack(
        _ slot: Int64, to budget: Budget, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        // While another is under way the row stays, free at once, to say that this one was out beside it.
        let isNeeded = try transaction.first(
            "SELECT 1 FROM siding_budget_slots WHERE budget = ?1 AND answered = 0 AND id <> ?2 LIMIT 1", budget.id, slot
        ) { _ in true }
        if isNeeded == true {
            let freed = try transaction.execute(
                "UPDATE siding_budget_slots SET answered = 1, free_at = ?2 WHERE id = ?1 AND answered = 0", slot,
                now.microseconds)
            return try giveBack(freed, to: budget, transaction)
        }
        let gone = try transaction.execute("DELETE FROM siding_budget_slots WHERE id = ?1 AND answered = 0", slot)
        try add(-gone, to: budget.id, transaction)
        try giveBack(gone, to: budget, transaction)
    }

    private static func giveBack(_ count: Int, to budget: Budget, _ transaction: borrowing Transaction) throws {
        guard count > 0 else { return }
        try transaction.execute("UPDATE siding_budgets SET remaining = remaining + 1 WHERE id = ?1", budget.id)
    }

    /// Whether no other request was out while the one of `slot` was, so that what its answer says is the newest word: none
    /// is under way, none was answered since it went out, none went out after it. Of those that are gone by now the last one
    /// to take a place is still there, as each taking removes the ones before it alone.
    static func wasAlone(
        _ slot: Int64, in budget: Budget, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Bool {
        let taken = try transaction.first(
            "SELECT taken_at FROM siding_budget_slots WHERE id = ?1 AND answered = 0", slot
        ) { Timestamp(microseconds: $0.int(0)) }
        guard let taken, taken <= now else { return false }
        let other = try transaction.first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM siding_budget_slots WHERE id > ?2 AND budget = ?1)
                OR EXISTS (SELECT 1 FROM siding_budget_slots WHERE budget = ?1 AND answered = 0 AND id <> ?2)
                OR EXISTS (SELECT 1 FROM siding_budget_slots WHERE budget = ?1 AND answered = 1 AND free_at >= ?3)
            """, budget.id, slot, (taken + budget.window).microseconds
        ) { _ in true }
        return other == nil
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

    /// Takes in what the origin said is left. What is under way may not be counted in it yet.
    ///
    /// - Parameter isNewest: whether no other answer can know better; see ``wasAlone(_:in:_:_:)``. What the origin does not
    ///   count, such as a 304, is then not counted here either.
    static func learn(
        remaining: Int, until: Timestamp, isNewest: Bool, of budget: Budget, _ now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        let underWay = try transaction.first(
            "SELECT count(*) FROM siding_budget_slots WHERE budget = ?1 AND answered = 0", budget.id
        ) { Int($0.int(0)) }
        var left = remaining - (underWay ?? 0)
        var reset = until
        // Answers of one span overtake each other: the least of them is true. A later span begins anew.
        if let known = budget.allowance(now), until <= known.until + sameSpan {
            if !isNewest { left = min(left, known.remaining) }
            reset = known.until
        }
        try transaction.execute(
            "UPDATE siding_budgets SET remaining = ?2, reset_at = ?3 WHERE id = ?1", budget.id, left,
            reset.microseconds)
    }

    /// Ends that are told in whole seconds from now differ by that much from answer to answer.
    private static let sameSpan = Duration.seconds(2)

    private static func add(_ slots: Int, to budget: Int64, _ transaction: borrowing Transaction) throws {
        guard slots != 0 else { return }
        try transaction.execute("UPDATE siding_budgets SET held = held + ?2 WHERE id = ?1", budget, slots)
    }
}
