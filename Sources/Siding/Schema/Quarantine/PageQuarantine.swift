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
    /// Whether the resource is asked for changes: what no page shows may have been shown for the last time, and is kept.
    let isOfChanges: Bool
    private var positions: [Int] = []

    init(resource: Int64, run: RunID, page: PageRequest, now: Timestamp, isPartial: Bool, isOfChanges: Bool) {
        (self.resource, self.run, self.now) = (resource, run, now)
        (scope, url, sent) = (page.scope, page.url.description, page.body ?? "")
        (self.isPartial, self.isOfChanges) = (isPartial, isOfChanges)
    }

    /// Whether a record that the page does not show is kept.
    private var keepsOthers: Bool { isPartial || isOfChanges }

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
        if code == Self.answerCode {
            try makeRoomForAnswer(at: position, transaction)
        } else if keepsOthers {
            try makeRoom(for: key, body, at: position, transaction)
        }
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
    /// this position goes below zero, where no page has a place. Without a key it is the same record where the bytes are,
    /// but of one parent.
    private func makeRoom(
        for key: String?, _ body: [UInt8], at position: Int, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND NOT (url = ?2 AND position = ?3 AND scope = ?6 AND sent = ?7)
                AND CASE WHEN ?4 IS NULL THEN key IS NULL AND body = ?5 AND scope = ?6 AND code <> ?8 ELSE key = ?4 END
            """, resource, url, position, key, body, scope, sent, Self.answerCode)
        try transaction.execute(
            """
            UPDATE siding_quarantine SET position = \(Self.below)
            WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4 AND position = ?5
                AND NOT CASE WHEN ?6 IS NULL THEN key IS NULL AND body = ?7 ELSE key IS ?6 END
            """, resource, scope, url, sent, position, key, body)
    }

    /// An answer says nothing of another page, be it the same to the byte. A record that was found where it begins is kept.
    private func makeRoomForAnswer(at position: Int, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_quarantine SET position = \(Self.below)
            WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4 AND position = ?5 AND code <> ?6
            """, resource, scope, url, sent, position, Self.answerCode)
    }

    /// The next position below zero of a page: its resource, scope, URL and body.
    private static let below: SQL = """
        (SELECT MIN(0, MIN(position)) - 1 FROM siding_quarantine
         WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4)
        """

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
            """, resource, try Store.json(keys), ContractBreach.Code.keyType.rawValue, keepsOthers ? 1 : 0, scope,
            url, sent, places)
    }

    /// What was wrong with this page before and came no more has been mended: the whole answer in any case, as this is a page.
    func forgetTheRest(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine
            WHERE resource = ?1 AND scope = ?4 AND url = ?2 AND sent = ?5
                AND position NOT IN (SELECT value FROM json_each(?3))
                AND (code = ?6 OR NOT ?7 AND (key IS NULL OR NOT ?8))
            """, resource, url, places, scope, sent, Self.answerCode, isPartial ? 1 : 0, isOfChanges ? 1 : 0)
    }

    /// What was found on pages that a whole listing does not have any more has been mended: answers in any case, as the
    /// listing came to its end.
    static func forgetOtherPages(
        _ resource: Int64, scope: String, isOfChanges: Bool, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND scope = ?2
                AND (url, sent) NOT IN (SELECT url, sent FROM siding_pages WHERE resource = ?1 AND scope = ?2)
                AND (SELECT CASE WHEN cursor_from IS NULL THEN code = ?3 OR key IS NULL OR NOT ?4
                    ELSE code = ?3 AND cursor_moves END FROM siding_listings WHERE resource = ?1 AND scope = ?2)
            """, resource, scope, answerCode, isOfChanges ? 1 : 0)
    }

    /// Where on the page this run set something aside, as a JSON array.
    private var places: String { "[\(positions.map(String.init).joined(separator: ","))]" }
}
