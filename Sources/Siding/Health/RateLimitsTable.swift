internal import SidingChain
internal import SidingSQLite

/// All SQL of `siding_rate_limits` and `siding_rate_counts`.
enum RateLimitsTable {
    /// The stored limits of `source`, or of all sources.
    static func load(
        of source: String? = nil, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [RateLimitState] {
        var states = try database.query(
            """
            SELECT id, source, match, rate, window_us, unit, reserved_at, remaining, reset_at, accept_after, unknown_outcomes
            FROM siding_rate_limits WHERE ?1 IS NULL OR source = ?1 ORDER BY source, match, unit, window_us
            """, source, map: state)
        for index in states.indices {
            try database.forEach(
                "SELECT under_way, moment, requests FROM siding_rate_counts WHERE rate_limit = ?1", states[index].id
            ) { row in
                let isUnderWay = try row.isTrue("under_way")
                let counts = isUnderWay ? \RateLimitState.underWay : \.ended
                states[index][keyPath: counts][try row.time("moment")] = Int(try row.int("requests"))
            }
        }
        return states
    }

    private static func state(_ row: borrowing Row) throws -> RateLimitState {
        let (id, source, match) = (try row.int("id"), try row.text("source"), try row.text("match"))
        let (count, window) = (try row.optionalInt("rate"), try row.int("window_us"))
        let unit = RequestRate.Unit(rawValue: try row.text("unit")) ?? .requests
        return RateLimitState(
            id: id, source: source, match: match,
            rate: count.flatMap { RequestRate(Int($0), per: .microseconds(window), unit: unit) },
            reservedAt: try row.time("reserved_at"), remaining: try row.optionalInt("remaining").map(Int.init),
            resetAt: try row.optionalTime("reset_at"), acceptAfter: try row.time("accept_after"),
            unknownOutcomes: Int(try row.int("unknown_outcomes")))
    }

    /// Inserts the limit if it is missing, and updates its rate, which the config may have changed.
    static func upsert(_ limit: RateLimit, of source: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_rate_limits (source, match, window_us, rate, unit) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (source, match, unit, window_us) DO UPDATE SET rate = excluded.rate
                WHERE rate IS NOT excluded.rate
            """, source, limit.match.description, limit.window.wholeMicroseconds, limit.rate?.count, limit.unit.rawValue
        )
    }

    /// Writes the differences between `state` and `stored`, the same limit as loaded.
    static func update(
        _ state: RateLimitState, from stored: RateLimitState, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_rate_limits
            SET reserved_at = ?2, remaining = ?3, reset_at = ?4, accept_after = ?5, unknown_outcomes = ?6 WHERE id = ?1
            """, state.id, state.reservedAt.microseconds, state.remaining, state.resetAt?.microseconds,
            state.acceptAfter.microseconds, state.unknownOutcomes)
        try update(state.ended, from: stored.ended, isUnderWay: 0, of: state.id, transaction)
        try update(state.underWay, from: stored.underWay, isUnderWay: 1, of: state.id, transaction)
    }

    private static func update(
        _ counts: [Timestamp: Int], from stored: [Timestamp: Int], isUnderWay: Int, of limit: Int64,
        _ transaction: borrowing Transaction
    ) throws {
        for moment in stored.keys where counts[moment] == nil {
            try transaction.execute(
                "DELETE FROM siding_rate_counts WHERE rate_limit = ?1 AND under_way = ?2 AND moment = ?3", limit,
                isUnderWay, moment.microseconds)
        }
        for (moment, requests) in counts where stored[moment] != requests {
            try transaction.execute(
                """
                INSERT INTO siding_rate_counts (rate_limit, under_way, moment, requests) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (rate_limit, under_way, moment) DO UPDATE SET requests = excluded.requests
                """, limit, isUnderWay, moment.microseconds, requests)
        }
    }
}
