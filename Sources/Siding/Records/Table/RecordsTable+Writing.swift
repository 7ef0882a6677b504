// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

// Each function writes. The callers count the resource's revision on, and keep its text index in step.

extension RecordsTable {
    /// The declared columns that are stored, and the body behind them.
    var bodyColumns: SQL {
        (columns.map { column -> SQL in "\(identifier: column.name)" } + ["body"]).joined
    }

    /// What ``bodyColumns`` hold where the parameter `body` is the body.
    ///
    /// - Parameter declared: what the stored columns hold; nil computes it from the body.
    func values(of body: SQL, _ declared: [SQL]? = nil) -> SQL {
        ((declared ?? columns.map { $0.value(of: body) }) + [body]).joined
    }

    /// What sets ``bodyColumns`` to that.
    func assignments(of body: SQL, _ declared: [SQL]? = nil) -> SQL {
        let values = declared ?? columns.map { $0.value(of: body) }
        let declared = zip(columns, values).map { column, value -> SQL in "\(identifier: column.name) = \(value)" }
        return (declared + ["body = \(body)"]).joined
    }

    /// A record as own edits make it.
    struct Projection {
        var body: [UInt8]
        var deletedAt: Int64?
        var pending: Int
        /// The run that brought it; nil leaves the row's own.
        var run: RunID?
        var cause: RecordCause
        var request: Int64?
        var now: Timestamp
        /// The resource's revision once the transaction has committed.
        var revision: Int64
    }

    /// Inserts a record that was not stored before.
    ///
    /// - Returns: its row.
    func insert(_ record: Projection, under key: String, _ transaction: borrowing Transaction) throws -> Int64 {
        var key = key
        let table = try key.withUTF8 { text in
            try made(for: UnsafeRawBufferPointer(text), kind: nil, transaction)
        }
        try transaction.execute(
            """
            INSERT INTO \(identifier: table.name) (key, first_seen_at, changed_at, run, deleted_at, revision, pending,
                lives_since, cause, request, \(table.bodyColumns))
            VALUES (?1, ?3, ?3, ?4, ?5, ?6, ?7, ?6, ?8, ?9, \(table.values(of: "?2")))
            """, table.key(key), String(decoding: record.body, as: UTF8.self), record.now.microseconds, record.run ?? 0,
            record.deletedAt, record.revision, record.pending, record.cause.rawValue, record.request)
        return transaction.lastInsertedRowID
    }

    /// Writes a stored record as own edits make it.
    func update(_ row: Int64, to record: Projection, _ transaction: borrowing Transaction) throws {
        try makeHistoryTrigger(transaction)
        try transaction.execute(
            """
            UPDATE \(identifier: name) SET changed_at = ?3, deleted_at = ?4, pending = ?5, run = COALESCE(?6, run),
                revision = CASE WHEN deleted_at IS NULL OR ?4 IS NULL THEN ?7 ELSE revision END,
                etag = NULL, cause = ?8, request = ?9,
                lives_since = CASE WHEN deleted_at IS NOT NULL AND ?4 IS NULL THEN ?7 ELSE lives_since END,
                \(assignments(of: "?2"))
            WHERE rowid = ?1
            """, row, String(decoding: record.body, as: UTF8.self), record.now.microseconds, record.deletedAt,
            record.pending, record.run, record.revision, record.cause.rawValue, record.request)
    }

    /// Writes another body. A tombstone keeps its revision, so a change feed that reported the deletion does not repeat it.
    func setBody(
        of row: Int64, to body: [UInt8], now: Timestamp, revision: Int64, _ transaction: borrowing Transaction
    ) throws {
        try makeHistoryTrigger(transaction)
        try transaction.execute(
            """
            UPDATE \(identifier: name) SET revision = CASE WHEN deleted_at IS NULL THEN ?3 ELSE revision END,
                changed_at = ?4, \(assignments(of: "?2"))
            WHERE rowid = ?1
            """, row, String(decoding: body, as: UTF8.self), revision, now.microseconds)
    }

    /// Sets the validator that belongs to exactly the body that is stored.
    func setETag(_ etag: String?, of key: String, _ transaction: borrowing Transaction) throws {
        guard layout != nil else { return }
        try transaction.execute(
            "UPDATE \(identifier: name) SET etag = ?2 WHERE key = ?1 AND etag IS NOT ?2", self.key(key), etag)
    }

    /// Makes records tombstones, which keep their bodies.
    func markDeleted(
        _ rows: [Int64], cause: RecordCause, run: RunID, now: Timestamp, revision: Int64,
        _ transaction: borrowing Transaction
    ) throws {
        guard layout != nil else { return }
        try makeHistoryTrigger(transaction)
        for row in rows {
            try transaction.execute(
                "UPDATE \(identifier: name) SET deleted_at = ?2, cause = ?3, run = ?4, revision = ?5 WHERE rowid = ?1",
                row,
                now.microseconds, cause.rawValue, run, revision)
        }
    }

    /// Lets tombstones live again.
    func restore(_ rows: [Int64], now: Timestamp, revision: Int64, _ transaction: borrowing Transaction) throws {
        guard layout != nil else { return }
        try makeHistoryTrigger(transaction)
        for row in rows {
            try transaction.execute(
                """
                UPDATE \(identifier: name) SET deleted_at = NULL, changed_at = ?3, cause = ?5, run = ?2, revision = ?4,
                    lives_since = ?4
                WHERE rowid = ?1
                """, row, Run.none, now.microseconds, revision, RecordCause.restored.rawValue)
        }
    }

    /// Removes a row for good.
    func remove(_ row: Int64, _ transaction: borrowing Transaction) throws {
        guard layout != nil else { return }
        try transaction.execute("DELETE FROM \(identifier: name) WHERE rowid = ?1", row)
    }

    // MARK: Scopes

    /// A parent's key as the parents' table has it, so that joins of the two find it.
    private func scope(_ text: String, _ transaction: borrowing Transaction) throws -> SQLiteValue {
        guard let name = row.parent, let parent = try ResourcesTable.load(named: name, transaction) else {
            return .text(text)
        }
        let key = RecordsTable(row: parent).key(text)
        return key == .null ? .text(text) : key
    }

    /// Sets the parent in whose listing records were seen last.
    ///
    /// - Returns: whether it was another one for any of them.
    func setScope(
        _ scope: String, of keys: [RecordKey], in page: UnsafeRawBufferPointer, revision: Int64,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        guard layout != nil else { return false }
        var update = try transaction.prepare(
            """
            UPDATE \(identifier: name) SET scope = ?1, revision = CASE WHEN deleted_at IS NULL THEN ?3 ELSE revision END
            WHERE key = ?2 AND scope IS NOT ?1 RETURNING 1
            """)
        try update.bind(1, self.scope(scope, transaction))
        try update.bind(3, revision)
        var hasChanged = false
        for key in keys {
            try key.withBytes(in: page) { text in
                try bind(key: text, at: 2, of: &update)
                if try update.step() { hasChanged = true }
                update.reset()
            }
        }
        return hasChanged
    }

    func setScope(_ scope: String, of row: Int64, revision: Int64, _ transaction: borrowing Transaction) throws {
        guard layout != nil else { return }
        try transaction.execute(
            "UPDATE \(identifier: name) SET scope = ?2, revision = ?3 WHERE rowid = ?1", row,
            self.scope(scope, transaction), revision)
    }

    /// Forgets all of them: keys of other parents say nothing any more.
    func forgetScopes(_ transaction: borrowing Transaction) throws {
        guard layout != nil else { return }
        try transaction.execute("UPDATE \(identifier: name) SET scope = NULL WHERE scope IS NOT NULL")
    }
}
