internal import SidingJSON
internal import SidingSQLite

/// Sets aside the records of a page that broke their contract: the newest bytes found at each place of it.
struct PageQuarantine {
    let resource: Int64
    let run: RunID
    let url: String
    let now: Timestamp
    private var positions: [Int] = []

    init(resource: Int64, run: RunID, url: String, now: Timestamp) {
        (self.resource, self.run, self.url, self.now) = (resource, run, url, now)
    }

    /// What comes again as it was keeps its number, and the moment at which it first came.
    mutating func add(
        _ slice: RecordSlice, _ breach: ContractBreach, _ page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws {
        let position = slice.range.lowerBound
        positions.append(position)
        var key: String?
        if case .key(let found) = slice.outcome { key = found.text(in: page) }
        try transaction.execute(
            """
            INSERT INTO siding_quarantine (resource, run, url, position, reason, body, created_at, key, code, seen_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?7)
            ON CONFLICT (resource, url, position) DO UPDATE SET
                run = excluded.run, reason = excluded.reason, body = excluded.body, key = excluded.key,
                code = excluded.code, seen_at = excluded.seen_at,
                created_at = CASE WHEN body = excluded.body THEN created_at ELSE excluded.created_at END
            """,
            resource, run, url, position, breach.reason, Array(page[slice.range]), now.microseconds, key, breach.code)
    }

    /// What was wrong with this page before and came no more has been mended.
    func forgetTheRest(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine
            WHERE resource = ?1 AND url = ?2 AND position NOT IN (SELECT value FROM json_each(?3))
            """, resource, url, "[\(positions.map(String.init).joined(separator: ","))]")
    }
}
