// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// A row of a records table.
struct RecordRow {
    var row: Int64
    var body: [UInt8]
    var firstSeenAt: Timestamp
    var changedAt: Timestamp
    var deletedAt: Timestamp?
    var run: RunID
    var revision: Int64
    var pending: Int
    var cause: RecordCause
    /// The row of the request that brought the body; nil where none did.
    var request: Int64?
}

/// What wrote a record's row, or its server copy, last; see `cause` in Migrations/V001_schema.sql.
enum RecordCause: String, CaseIterable {
    case page, quarantine, write, local, edit, missing, filtered, never, restored

    /// The named check in the records tables. The usual causes come first: SQLite builds the list of the others anew for each row.
    static let check: SQL = """
        CONSTRAINT records_cause CHECK (cause = 'page' OR cause IN ('quarantine', 'write', 'local', 'edit', 'missing', \
        'filtered', 'never', 'restored'))
        """

    init(stored: String) throws {
        guard let cause = RecordCause(rawValue: stored) else {
            throw StoreError(.corrupt, "a record has the unknown cause '\(PlainText.oneLine(stored, limit: 80))'")
        }
        self = cause
    }
}

extension RecordsTable {
    /// What ``Record`` reads.
    static let recordColumns: SQL = "key, body, first_seen_at, changed_at, deleted_at, run, revision, pending"
    static let recordColumnCount = 8

    /// The record under a key, living or not; nil where there is none.
    func find(_ key: String, _ database: borrowing some Queryable & ~Copyable) throws -> RecordRow? {
        try database.first(
            """
            SELECT rowid AS row, body, first_seen_at, changed_at, deleted_at, run, revision, pending, cause, request
            FROM \(rows) WHERE key = ?1
            """, self.key(key)
        ) { row in
            RecordRow(
                row: try row.int("row"), body: try row.blob("body"), firstSeenAt: try row.time("first_seen_at"),
                changedAt: try row.time("changed_at"), deletedAt: try row.optionalTime("deleted_at"),
                run: try row.int("run"), revision: try row.int("revision"), pending: Int(try row.int("pending")),
                cause: try RecordCause(stored: row.text("cause")), request: try row.optionalInt("request"))
        }
    }

    /// The row under a key; nil where there is none.
    func row(of key: String, isLive: Bool = false, _ database: borrowing some Queryable & ~Copyable) throws -> Int64? {
        try database.first(
            "SELECT rowid FROM \(rows) WHERE key = ?1 AND (?2 = 0 OR deleted_at IS NULL)", self.key(key), isLive
        ) { $0.int(0) }
    }

    /// The key in a row, where edits of the user's own lie on the record.
    func keyOfEdited(_ row: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> String? {
        try database.first("SELECT key FROM \(rows) WHERE rowid = ?1 AND pending > 0", row) { $0.text(0) }
    }

    /// Records in the order of their keys, from behind `key`.
    func records(
        after key: String?, limit: Int, isDeleted: Bool, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [Record] {
        let condition: SQL = isDeleted ? "deleted_at IS NOT NULL" : "deleted_at IS NULL"
        return try database.query(
            """
            SELECT \(Self.recordColumns) FROM \(rowsByKey) WHERE \(key == nil ? "?1 IS NULL" : "key > ?1") AND \(condition)
            ORDER BY key LIMIT ?2
            """, key.map(self.key), limit
        ) { row in try Record(row, of: resourceName) }
    }

    func record(under key: String, _ database: borrowing some Queryable & ~Copyable) throws -> Record? {
        try database.first("SELECT \(Self.recordColumns) FROM \(rows) WHERE key = ?1", self.key(key)) { row in
            try Record(row, of: resourceName)
        }
    }

    /// How many records live, and how many are tombstones.
    func count(_ database: borrowing some Queryable & ~Copyable) throws -> (living: Int, deleted: Int) {
        try database.first("SELECT COUNT(*) - COUNT(deleted_at) AS living, COUNT(deleted_at) AS deleted FROM \(rows)") {
            (living: Int(try $0.int("living")), deleted: Int(try $0.int("deleted")))
        } ?? (0, 0)
    }

    /// How many records live.
    func countLiving(_ database: borrowing some Queryable & ~Copyable) throws -> Int {
        try database.first("SELECT COUNT(*) FROM \(rows) WHERE deleted_at IS NULL") { Int($0.int(0)) } ?? 0
    }

    /// The keys of records that were written after `revision`, living or not, in their order. `+` lets SQLite find and sort them
    /// by ``changesIndex`` where there is one, and not read the whole table in the order of the keys.
    func keys(since revision: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query("SELECT key FROM \(rows) WHERE revision > ?1 ORDER BY +key", revision) { $0.text(0) }
    }

    /// The keys of all living records, in their order.
    func livingKeys(_ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query("SELECT key FROM \(rowsByKey) WHERE deleted_at IS NULL ORDER BY key") { $0.text(0) }
    }

    /// The bodies of living records, in the order of their rows.
    func forEachBody(
        _ database: borrowing some Queryable & ~Copyable, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try database.forEach("SELECT body FROM \(rows) WHERE deleted_at IS NULL ORDER BY rowid") { row in
            try row.withBytes(0) { bytes in try body(bytes) }
        }
    }
}
