internal import SidingSQLite

/// What origins say is left.
///
/// An origin's count only falls until it begins anew. So the least that was said is the origin's count at the moment when it
/// counted the last request that said so, and all that it may have counted since are those that are under way and those
/// that ended without saying anything: less these, it is never more than what is left.
extension BudgetRows {
    /// What an answer says is left, until when; `start` is when its request went out, nil where that is not known any more.
    struct Word: Sendable {
        var slot: Int64
        var start: Timestamp?
        var remaining: Int
        var until: Timestamp
    }

    /// How long those wait who wait for what is under way, until they look again.
    static let pause = Duration.milliseconds(50)

    /// Ends that are told in whole seconds from now differ by that much from answer to answer.
    private static let sameSpan = Duration.seconds(2)

    /// How many are under way, and how many of them may yet be counted: a range of `siding_budget_slots_free`.
    static let countUnderWay: SQL = """
        SELECT count(*), coalesce(sum(free_at > ?2), 0) FROM siding_budget_slots WHERE budget = ?1 AND answered = 0
        """

    private static func underWay(
        _ budget: Budget, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (all: Int, alive: Int) {
        try database.first(countUnderWay, budget.id, (now + budget.window).microseconds) {
            (Int($0.int(0)), Int($0.int(1)))
        } ?? (0, 0)
    }

    /// What is left for sure, by what the origin said, until when it holds; nil where it said nothing.
    static func rest(
        _ budget: Budget, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (count: Int, until: Timestamp)? {
        if let closure = budget.closure(now) { return (0, closure) }
        guard let said = budget.allowance(now) else { return nil }
        let taken = try underWay(budget, now, database).all + budget.unheard
        return (max(said.remaining - taken, 0), said.until)
    }

    /// Why nothing may go out by what the origin said; nil where something may.
    static func shortOfRest(
        _ budget: Budget, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Spent? {
        if let closure = budget.closure(now) { return Spent(until: closure, shortage: .origin) }
        guard let rest = try rest(budget, now, database), rest.count == 0 else { return nil }
        guard try underWay(budget, now, database).alive == 0 else {
            return Spent(until: now + pause, shortage: .underWay)
        }
        return Spent(until: rest.until, shortage: .unheard)
    }

    /// Takes in what the origin said is left.
    ///
    /// A word replaces what is known, up or down, where its request went out after that was said, or where it is surely of a
    /// later count: its end is later, even if the answer was so long under way that it was meant to be that much sooner. Of all
    /// others the least holds, as answers overtake each other.
    static func learn(_ word: Word, of budget: Budget, _ now: Timestamp, _ transaction: borrowing Transaction) throws {
        // At least one may go out when the time of a closure is over.
        var left = max(word.remaining, 1)
        var until = word.until
        var closure = word.remaining == 0 ? until : nil
        // What is lower by now may have been counted after requests that went out meanwhile.
        var isTold = true
        if let known = budget.allowance(now) {
            let isNewest = word.slot > budget.told || isLater(word, than: known.until, now)
            if isSame(until, known.until) { (until, closure) = (known.until, closure.map { _ in known.until }) }
            if !isNewest {
                isTold = left < known.remaining
                left = min(left, known.remaining)
                until = max(until, known.until)
                closure = [closure, budget.closure(now)].compactMap(\.self).max()
            }
        }
        try transaction.execute(
            "UPDATE siding_budgets SET remaining = ?2, reset_at = ?3, closed_until = ?4 WHERE id = ?1", budget.id, left,
            until.microseconds, closure?.microseconds)
        try transaction.execute(
            """
            UPDATE siding_budgets SET told = iif(?3, \(newestSlot), told), unheard = iif(?2 > unheard_slot, 0, unheard)
            WHERE id = ?1
            """, budget.id, word.slot, isTold ? 1 : 0)
    }

    private static func isSame(_ end: Timestamp, _ other: Timestamp) -> Bool {
        end <= other + sameSpan && other <= end + sameSpan
    }

    /// Whether `word` is of a span that ends after `end`, although its end may have been told from when it went out.
    private static func isLater(_ word: Word, than end: Timestamp, _ now: Timestamp) -> Bool {
        guard let start = word.start else { return false }
        return word.until > end + sameSpan + max(now - start, .zero)
    }

    /// Counts requests that ended without saying what is left.
    static func addUnheard(_ count: Int, to budget: Int64, _ transaction: borrowing Transaction) throws {
        guard count > 0 else { return }
        try transaction.execute(
            "UPDATE siding_budgets SET unheard = unheard + ?2, unheard_slot = \(newestSlot) WHERE id = ?1", budget,
            count)
    }

    /// The greatest slot there ever was (sqlite.org/autoinc.html).
    private static let newestSlot: SQL =
        "(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'siding_budget_slots')"
}
