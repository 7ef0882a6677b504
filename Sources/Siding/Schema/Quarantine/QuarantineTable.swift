// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Reads and writes `siding_quarantine`, which has a row per record, or whole answer, that broke the contract.
enum QuarantineTable {
    static func find(
        _ selection: QuarantineSelection, after: Int64? = nil, withBodies: Bool = false,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QuarantinedRecord] {
        let body: SQL = withBodies ? "q.body" : "NULL"
        let found = try database.query(
            """
            SELECT q.id, r.name, q.key, q.reason, q.code, q.run, q.url, q.position, q.created_at, q.seen_at,
                length(q.body) AS size, \(body) AS body, q.scope
            FROM siding_quarantine q JOIN siding_resources r ON r.id = q.resource
            WHERE (?1 IS NULL OR q.id IN (SELECT value FROM json_each(?1)))
                AND (?2 IS NULL OR r.name IN (SELECT value FROM json_each(?2)))
                AND (?4 IS NULL OR (q.created_at, q.id) > (SELECT created_at, id FROM siding_quarantine WHERE id = ?4))
            ORDER BY q.created_at, q.id LIMIT ?3
            """, selection.ids.isEmpty ? nil : try Store.json(selection.ids),
            selection.resources.isEmpty ? nil : try Store.json(selection.resources), selection.limit ?? -1, after
        ) { row in
            QuarantinedRecord(
                id: try row.int("id"), resource: try row.text("name"), key: try row.optionalText("key"),
                reason: try row.text("reason"), code: try row.text("code"), run: try row.int("run"),
                url: try row.text("url"), position: Int(try row.int("position")), createdAt: try row.time("created_at"),
                seenAt: try row.time("seen_at"), size: Int(try row.int("size")), body: try row.blob("body"),
                scope: try row.text("scope"))
        }
        let ids = Set(found.map(\.id))
        if selection.limit == nil, let missing = selection.ids.first(where: { !ids.contains($0) }) {
            throw StoreError(
                .notFound, "no quarantined record has the number \(missing)",
                hint:
                    "'siding quarantine list' shows the numbers; a record leaves the quarantine when it is saved or dropped"
            )
        }
        return found
    }

    static func hasAny(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.exists("SELECT 1 FROM siding_quarantine WHERE resource = ?1 LIMIT 1", resource)
    }

    /// Whether a record with `key`, from a page of the parent `scope`, was refused for `code`.
    static func has(
        _ key: String, of resource: Int64, scope: String, _ code: ContractBreach.Code,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM siding_quarantine WHERE resource = ?1 AND scope = ?2 AND key = ?3 AND code = ?4 LIMIT 1",
            resource, scope, key, code.rawValue)
    }

    /// How many records a run refused for `code`, and why the first three.
    static func refused(
        _ code: String, of resource: Int64, in run: RunID, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (count: Int, reasons: [String]) {
        let count = try database.count(
            "SELECT COUNT(*) FROM siding_quarantine WHERE resource = ?1 AND run = ?2 AND code = ?3", resource, run,
            code)
        let reasons = try database.query(
            "SELECT reason FROM siding_quarantine WHERE resource = ?1 AND run = ?2 AND code = ?3 ORDER BY id LIMIT 3",
            resource, run, code
        ) { $0.text(0) }
        return (count, reasons)
    }

    static func count(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        try database.count("SELECT COUNT(*) FROM siding_quarantine WHERE resource = ?1", resource)
    }

    /// - Returns: the numbers of those that were there.
    @discardableResult
    static func remove(_ ids: [Int64], _ transaction: borrowing Transaction) throws -> Set<Int64> {
        Set(
            try transaction.query(
                "DELETE FROM siding_quarantine WHERE id IN (SELECT value FROM json_each(?1)) RETURNING id",
                try Store.json(ids)
            ) { $0.int(0) })
    }

    static func set(_ breach: ContractBreach, of record: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_quarantine SET reason = ?2, code = ?3 WHERE id = ?1", record, breach.reason, breach.code)
    }

    /// Deletes the answers about parents that are gone, and their records under the keys of others. Other records that such a parent
    /// showed may be shown by another.
    static func deleteAnswers(
        of resource: Int64, aboutGone parents: RecordsTable, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND scope <> '' AND code IN (?2, ?3)
                AND \(parents.isGone("siding_quarantine.scope"))
            """, resource, PageQuarantine.answerCode, ContractBreach.Code.sharedKey.rawValue)
    }

    /// The same about one parent.
    static func deleteAnswers(of resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "DELETE FROM siding_quarantine WHERE resource = ?1 AND scope = ?2 AND code IN (?3, ?4)", resource, scope,
            PageQuarantine.answerCode, ContractBreach.Code.sharedKey.rawValue)
    }
}

/// Quarantines the records of a page that break the contract; keeps the newest bytes at each position.
struct PageQuarantine {
    let resource: Int64
    let run: RunID
    let scope: String
    let url: String
    /// The body of the page's request.
    let sent: String
    let now: Timestamp
    /// Whether the page may not contain all records of its URL: then others quarantined there are kept.
    let isPartial: Bool
    /// Whether listings are incremental: then records on no page are kept, as they may not be sent again.
    let isOfChanges: Bool
    private(set) var positions: [Int] = []

    /// Whether quarantined records that the page lacks are kept.
    private var keepsOthers: Bool { isPartial || isOfChanges }

    /// Quarantines a record. If its bytes are unchanged it keeps its number and first time.
    mutating func add(
        _ slice: RecordSlice, _ breach: ContractBreach, _ page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws {
        var key: String?
        if case .key(let found) = slice.outcome { key = found.text(in: page) }
        try add(
            Array(page[slice.range].prefix(Self.keptBytes)), key: key, at: slice.range.lowerBound, breach.code,
            breach.reason, transaction)
    }

    /// Quarantines a whole answer, if a failure rule demands that.
    mutating func add(answer: [UInt8], _ reason: String, _ transaction: borrowing Transaction) throws {
        try add(Array(answer.prefix(Self.keptBytes)), key: nil, at: 0, Self.answerCode, reason, transaction)
    }

    /// The largest record or answer that is kept whole, 8 MiB; of others the start is kept. SQLite copies a row several times
    /// while it writes it.
    static let keptBytes = 8 << 20

    /// The code of answers, which contain no record.
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

    /// Makes room for a record: its new bytes replace older ones from any position. Another record at the position moves below
    /// zero, where no page has one. Without a key, records are the same if their bytes and parent are; where parents share keys, if
    /// their key and parent are.
    private func makeRoom(
        for key: String?, _ body: [UInt8], at position: Int, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND NOT (url = ?2 AND position = ?3 AND scope = ?6 AND sent = ?7)
                AND CASE WHEN ?4 IS NULL THEN key IS NULL AND body = ?5 AND scope = ?6 AND code <> ?8
                    ELSE key = ?4 AND (scope = ?6 OR code <> ?9) END
            """, resource, url, position, key, body, scope, sent, Self.answerCode,
            ContractBreach.Code.sharedKey.rawValue)
        try transaction.execute(
            """
            UPDATE siding_quarantine SET position = \(Self.below)
            WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4 AND position = ?5
                AND NOT CASE WHEN ?6 IS NULL THEN key IS NULL AND body = ?7 ELSE key IS ?6 END
            """, resource, scope, url, sent, position, key, body)
    }

    /// Makes room for an answer: it does not replace answers of other pages, even equal ones. A record at its position is kept.
    private func makeRoomForAnswer(at position: Int, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_quarantine SET position = \(Self.below)
            WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4 AND position = ?5 AND code <> ?6
            """, resource, scope, url, sent, position, Self.answerCode)
    }

    /// The next position below zero for a page's resource, scope, URL and body.
    private static let below: SQL = """
        (SELECT MIN(0, MIN(position)) - 1 FROM siding_quarantine
         WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4)
        """

    /// Removes records that are good now, wherever they were quarantined.
    ///
    /// A key of the wrong type may have the same text as a good one: that is another record. It stays if this page contains it,
    /// too; otherwise ``forgetTheRest(_:)`` removes it when all pages are read. One that another parent shares is another record, too.
    ///
    /// - Parameter refused: the indexes of the records that are not good.
    func forget(
        _ records: [RecordSlice], except refused: Set<Int>, of page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws {
        guard try QuarantineTable.hasAny(of: resource, transaction) else { return }
        let keys = records.enumerated().compactMap { index, record -> String? in
            guard case .key(let key) = record.outcome, !refused.contains(index) else { return nil }
            return key.text(in: page)
        }
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND key IN (SELECT value FROM json_each(?2))
                AND (code <> ?3 OR ?4) AND (code <> ?9 OR scope = ?5)
                AND NOT (scope = ?5 AND url = ?6 AND sent = ?7 AND position IN (SELECT value FROM json_each(?8)))
            """, resource, try Store.json(keys), ContractBreach.Code.keyType.rawValue, keepsOthers ? 1 : 0, scope,
            url, sent, places, ContractBreach.Code.sharedKey.rawValue)
    }

    /// Removes records and answers of this page that are no longer wrong; always the whole answer, as this is a page.
    func forgetTheRest(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine
            WHERE resource = ?1 AND scope = ?4 AND url = ?2 AND sent = ?5
                AND position NOT IN (SELECT value FROM json_each(?3))
                AND (code = ?6 OR NOT ?7 AND (key IS NULL OR NOT ?8))
            """, resource, url, places, scope, sent, Self.answerCode, isPartial ? 1 : 0, isOfChanges ? 1 : 0)
    }

    /// Removes what was quarantined on pages that a complete listing no longer has; always answers, as the listing reached its end.
    static func forgetOtherPages(
        _ resource: Int64, scope: String, isOfChanges: Bool, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND scope = ?2
                AND (url, sent) NOT IN (SELECT url, sent FROM siding_pages WHERE resource = ?1 AND scope = ?2)
                AND (SELECT CASE WHEN cursor ->> 'from' IS NULL THEN code = ?3 OR key IS NULL OR NOT ?4
                    ELSE code = ?3 AND cursor ->> 'moves' END FROM siding_listings WHERE resource = ?1 AND scope = ?2)
            """, resource, scope, answerCode, isOfChanges ? 1 : 0)
    }

    /// The positions quarantined by this run on the page, as a JSON array.
    private var places: String { "[\(positions.map(String.init).joined(separator: ","))]" }
}
