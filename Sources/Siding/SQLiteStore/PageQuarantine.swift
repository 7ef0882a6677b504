internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Sets aside the records of a page that broke their contract: the newest bytes found at each place of it.
struct PageQuarantine {
    let resource: Int64
    let run: RunID
    let scope: String
    let url: String
    /// The body that the page was asked for with.
    let sent: String
    let now: Timestamp
    /// Whether the page shows only a part of what was once at its URL: what is not on it may be there still, and is kept.
    let isPartial: Bool
    private var positions: [Int] = []

    init(resource: Int64, run: RunID, page: PageRequest, now: Timestamp, isPartial: Bool) {
        (self.resource, self.run, self.now) = (resource, run, now)
        (scope, url, sent) = (page.scope, page.url.description, page.body ?? "")
        self.isPartial = isPartial
    }

    /// What comes again as it was keeps its number, and the moment at which it first came.
    mutating func add(
        _ slice: RecordSlice, _ breach: ContractBreach, _ page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws {
        var key: String?
        if case .key(let found) = slice.outcome { key = found.text(in: page) }
        try add(
            Array(page[slice.range]), key: key, at: slice.range.lowerBound, breach.code, breach.reason, transaction)
    }

    /// The whole answer, where a rule wants it kept rather than the run to fail.
    mutating func add(
        answer: [UInt8], _ reason: String, _ transaction: borrowing Transaction
    ) throws {
        try add(answer, key: nil, at: 0, Self.answerCode, reason, transaction)
    }

    /// The code of answers, which hold no record of their own.
    static let answerCode = "answer"

    private mutating func add(
        _ body: [UInt8], key: String?, at position: Int, _ code: String, _ reason: String,
        _ transaction: borrowing Transaction
    ) throws {
        positions.append(position)
        if isPartial { try makeRoom(for: key, body, at: position, transaction) }
        try transaction.execute(
            """
            INSERT INTO siding_quarantine (resource, run, url, position, reason, body, created_at, key, code, seen_at,
                scope, sent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?7, ?10, ?11)
            ON CONFLICT (resource, scope, url, sent, position) DO UPDATE SET
                run = excluded.run, reason = excluded.reason, body = excluded.body, key = excluded.key,
                code = excluded.code, seen_at = excluded.seen_at,
                created_at = CASE WHEN body = excluded.body THEN created_at ELSE excluded.created_at END
            """,
            resource, run, url, position, reason, body, now.microseconds, key, code, scope, sent)
    }

    /// The newest bytes of a record take the place of older ones, wherever these were found; another record that stood at
    /// this position goes below zero, where no page has a place.
    private func makeRoom(
        for key: String?, _ body: [UInt8], at position: Int, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND NOT (url = ?2 AND position = ?3 AND scope = ?6 AND sent = ?7)
                AND CASE WHEN ?4 IS NULL THEN key IS NULL AND body = ?5 ELSE key = ?4 END
            """, resource, url, position, key, body, scope, sent)
        try transaction.execute(
            """
            UPDATE siding_quarantine SET position =
                (SELECT MIN(0, MIN(position)) - 1 FROM siding_quarantine
                 WHERE resource = ?1 AND scope = ?6 AND url = ?2 AND sent = ?7)
            WHERE resource = ?1 AND scope = ?6 AND url = ?2 AND sent = ?7 AND position = ?3
                AND NOT CASE WHEN ?4 IS NULL THEN key IS NULL AND body = ?5 ELSE key IS ?4 END
            """, resource, url, position, key, body, scope, sent)
    }

    /// What comes again and is good has been mended, wherever it was found.
    ///
    /// A key of the wrong type may have the text of a good one: that is another record, so it stays where this page shows it
    /// besides, and goes by ``forgetTheRest(_:)`` where all pages are looked at.
    func forget(
        _ records: [RecordSlice], of page: UnsafeRawBufferPointer, _ transaction: borrowing Transaction
    ) throws {
        let hasAny = try transaction.first("SELECT 1 FROM siding_quarantine WHERE resource = ?1 LIMIT 1", resource) {
            _ in
            true
        }
        guard hasAny == true else { return }
        let keys = records.compactMap { record -> String? in
            if case .key(let key) = record.outcome { key.text(in: page) } else { nil }
        }
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND key IN (SELECT value FROM json_each(?2))
                AND (code <> ?3 OR ?4)
                AND NOT (scope = ?5 AND url = ?6 AND sent = ?7 AND position IN (SELECT value FROM json_each(?8)))
            """, resource, try SQLiteStore.json(keys), ContractBreach.Code.keyType.rawValue, isPartial ? 1 : 0, scope,
            url, sent, places)
    }

    /// What was wrong with this page before and came no more has been mended.
    func forgetTheRest(_ transaction: borrowing Transaction) throws {
        guard !isPartial else { return }
        try transaction.execute(
            """
            DELETE FROM siding_quarantine
            WHERE resource = ?1 AND scope = ?4 AND url = ?2 AND sent = ?5
                AND position NOT IN (SELECT value FROM json_each(?3))
            """, resource, url, places, scope, sent)
    }

    /// Where on the page this run set something aside, as a JSON array.
    private var places: String { "[\(positions.map(String.init).joined(separator: ","))]" }
}
