// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The statements that write a record's row with its stored columns, prepared once per page.
///
/// There are two ways to the columns' values: read with the page and bound, or computed by the columns' expressions in the
/// statement. The second is prepared with the first record that needs it. SQLite parses a text once for all JSON functions of a
/// statement.
struct RowStatements: ~Copyable {
    /// What is the same for all rows of a page.
    struct Context {
        let run: RunID
        let now: Timestamp
        /// The resource's revision once the transaction has committed.
        let revision: Int64
        let request: Int64?
    }

    /// What is written into one row.
    struct Contents {
        let body: UnsafeRawBufferPointer
        /// See `RecordSlice.columns`; empty if unknown.
        let values: [EnvelopeValue?]
        let cause: RecordCause
        /// When the record was deleted, in microseconds; nil for a live one.
        let deletedAt: Int64?
    }

    /// An INSERT and an UPDATE with the same parameters: 1 is the key or the row, 2 the body, 6 the time of the deletion, 8 the
    /// cause.
    private struct Pair: ~Copyable {
        private let table: RecordsTable
        private var insert: Statement
        private var update: Statement
        /// Binds the values of the stored columns; nil if the statements compute them.
        private let columns: ScannedColumns?

        init(
            _ transaction: borrowing Transaction, _ table: RecordsTable, _ context: Context, _ columns: ScannedColumns?
        ) throws {
            let declared = columns?.parameters
            var insert = try transaction.prepare(
                """
                INSERT INTO \(identifier: table.name) (key, first_seen_at, changed_at, run, revision, lives_since, pending,
                    deleted_at, request, cause, \(table.bodyColumns))
                VALUES (?1, ?3, ?3, ?4, ?5, ?5, 0, ?6, ?7, ?8, \(table.values(of: "?2", declared)))
                """)
            var update = try transaction.prepare(
                """
                UPDATE \(identifier: table.name) SET changed_at = ?3, run = ?4, deleted_at = ?6, etag = NULL,
                    revision = CASE WHEN deleted_at IS NULL OR ?6 IS NULL THEN ?5 ELSE revision END,
                    lives_since = CASE WHEN deleted_at IS NOT NULL AND ?6 IS NULL THEN ?5 ELSE lives_since END, request = ?7,
                    cause = ?8, \(table.assignments(of: "?2", declared))
                WHERE rowid = ?1
                """)
            try Self.bind(context, to: &insert)
            try Self.bind(context, to: &update)
            self.table = table
            self.insert = insert
            self.update = update
            self.columns = columns
        }

        /// - Returns: false if nothing was written, as the columns' expressions have to compute a value.
        mutating func insert(_ key: UnsafeRawBufferPointer, _ contents: Contents) throws -> Bool {
            if try columns?.bind(contents.values, of: contents.body, to: &insert, from: firstColumn) == false {
                return false
            }
            try table.bind(key: key, at: 1, of: &insert)
            try Self.bind(contents, to: &insert)
            return true
        }

        /// The same for a row that is stored.
        mutating func update(_ row: Int64, _ contents: Contents) throws -> Bool {
            if try columns?.bind(contents.values, of: contents.body, to: &update, from: firstColumn) == false {
                return false
            }
            try update.bind(1, row)
            try Self.bind(contents, to: &update)
            return true
        }

        private static func bind(_ contents: Contents, to statement: inout Statement) throws {
            try statement.bindTextBytes(2, contents.body)
            try statement.bind(6, contents.deletedAt)
            try statement.bind(8, contents.cause.rawValue)
            try statement.step()
        }

        private static func bind(_ context: Context, to statement: inout Statement) throws {
            try statement.bind(3, context.now.microseconds)
            try statement.bind(4, context.run)
            try statement.bind(5, context.revision)
            try statement.bind(7, context.request)
        }
    }

    /// The first parameter of the stored columns, behind those above: SQLite numbers each `?` after the largest before it.
    private static let firstColumn = 9

    private let table: RecordsTable
    private let context: Context
    /// Writes usual records; all of them if no column is read from the record.
    private var usual: Pair
    /// Writes the others, and computes their columns.
    private var computing: Pair?

    /// - Parameter paths: the paths of the values that come with records.
    init(
        _ transaction: borrowing Transaction, _ table: RecordsTable, _ context: Context, readAt paths: [JSONPath]
    ) throws {
        let usual = try Pair(transaction, table, context, ScannedColumns(table.columns, readAt: paths))
        self.table = table
        self.context = context
        self.usual = usual
    }

    /// Inserts a record.
    mutating func insert(
        _ key: UnsafeRawBufferPointer, _ contents: Contents, _ transaction: borrowing Transaction
    ) throws {
        if try usual.insert(key, contents) { return }
        try prepareComputing(transaction)
        _ = try computing?.insert(key, contents)
    }

    /// Writes other contents into a record's row.
    mutating func update(_ row: Int64, _ contents: Contents, _ transaction: borrowing Transaction) throws {
        if try usual.update(row, contents) { return }
        try prepareComputing(transaction)
        _ = try computing?.update(row, contents)
    }

    private mutating func prepareComputing(_ transaction: borrowing Transaction) throws {
        if computing == nil { computing = try Pair(transaction, table, context, nil) }
    }
}
