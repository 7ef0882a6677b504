// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// All SQL of `siding_rate_limits`.
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
            try database.forEach(counts, states[index].id) { row in
                let counts = try row.isTrue("is_under_way") ? \RateLimitState.underWay : \.ended
                states[index][keyPath: counts][try row.time("moment")] = Int(try row.int("requests"))
            }
        }
        return states
    }

    private static let counts: SQL = """
        SELECT 0 AS is_under_way, key AS moment, value AS requests
        FROM siding_rate_limits l, json_each(ended) WHERE l.id = ?1
        UNION ALL
        SELECT 1, key, value FROM siding_rate_limits l, json_each(under_way) WHERE l.id = ?1
        """

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

    /// Stores what a limit counts and what the origin reported.
    static func update(_ state: RateLimitState, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_rate_limits
            SET reserved_at = ?2, remaining = ?3, reset_at = ?4, accept_after = ?5, unknown_outcomes = ?6, ended = ?7,
                under_way = ?8
            WHERE id = ?1
            """, state.id, state.reservedAt.microseconds, state.remaining, state.resetAt?.microseconds,
            state.acceptAfter.microseconds, state.unknownOutcomes, json(state.ended), json(state.underWay))
    }

    private static func json(_ counts: [Timestamp: Int]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (moment, requests) in counts.sorted(by: { $0.key < $1.key }) {
            writer.name(String(moment.microseconds))
            writer.integer(requests)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
