internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Writes `siding_resources`, which has a row per resource: what is declared of it, and where its records and listings stand.
enum ResourcesTable {
    /// - Returns: the resource's row id.
    static func insert(
        _ name: String, source: String, _ definition: ResourceDefinition, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws -> Int64 {
        try transaction.execute(
            "INSERT INTO siding_resources (name, source, definition, created_at) VALUES (?1, ?2, ?3, ?4)", name, source,
            definition.text, now.microseconds)
        return transaction.lastInsertedRowID
    }

    static func delete(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_resources WHERE id = ?1", resource)
    }

    // MARK: What is declared

    static func set(
        definition: ResourceDefinition, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_resources SET definition = ?2 WHERE id = ?1", resource, definition.text)
    }

    static func set(source: String, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET source = ?2 WHERE id = ?1", resource, source)
    }

    static func set(parent: String?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET parent = ?2 WHERE id = ?1", resource, parent)
    }

    static func set(schema: String?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET schema = ?2 WHERE id = ?1", resource, schema)
    }

    /// - Parameter maker: an expression for what makes views and stored columns.
    static func setMade(by maker: SQL, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET schema_made = \(maker) WHERE id = ?1", resource)
    }

    // MARK: Records

    static func set(keyType: RecordKey.Kind?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET key_type = ?2 WHERE id = ?1", resource, keyType?.rawValue)
    }

    static func set(
        layout: RecordsTable.Layout?, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute("UPDATE siding_resources SET layout = ?2 WHERE id = ?1", resource, layout?.rawValue)
    }

    /// Raises the revision, by which watchers detect changes; it never decreases, whichever part of a transaction writes last.
    static func raise(revision: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET revision = MAX(revision, ?2) WHERE id = ?1", resource, revision)
    }

    /// Notes that a tombstone is removed: changes since before its revision are then no longer complete.
    static func setForgotten(revision: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET forgotten = MAX(forgotten, ?2) WHERE id = ?1", resource, revision)
    }

    /// - Parameter row: the first row of the records' table that is not yet as the config declares records; nil if there is none.
    static func set(rewriteFrom row: Int64?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET rewrite_from = ?2 WHERE id = ?1", resource, row)
    }

    /// Notes that records have pending edits.
    ///
    /// - Returns: whether that is new.
    static func setEdited(_ name: String, _ transaction: borrowing Transaction) throws -> Bool {
        try transaction.execute("UPDATE siding_resources SET edited = 1 WHERE name = ?1 AND edited = 0", name) > 0
    }

    /// Notes whether a page showed live records for which the filter is NULL.
    static func set(hasNullFiltered: Bool, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET null_filtered = ?2 WHERE id = ?1 AND null_filtered <> ?2", resource,
            hasNullFiltered)
    }

    // MARK: History and provenance

    /// Begins the history at `now` unless it has begun, or ends it with nil. All versions are to be checked again.
    static func setHistory(since now: Timestamp?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_resources SET history_pruned = 0,
                history_since = CASE WHEN ?2 IS NOT NULL THEN COALESCE(history_since, ?2) END
            WHERE id = ?1
            """, resource, now?.microseconds)
    }

    /// Moves the beginning of the history to the end of the newest version that was removed.
    static func raiseHistory(to moment: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET history_since = MAX(history_since, ?2) WHERE id = ?1", resource, moment)
    }

    /// - Parameter version: the newest version that pruning has checked.
    static func setPruned(to version: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET history_pruned = ?2 WHERE id = ?1", resource, version)
    }

    /// Lowers marks above the newest version: if it was removed, SQLite reuses its number (sqlite.org/autoinc.html).
    static func lowerPruned(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_resources SET history_pruned = (SELECT COALESCE(MAX(id), 0) FROM siding_history)
            WHERE history_pruned > (SELECT COALESCE(MAX(id), 0) FROM siding_history)
            """)
    }

    /// Counts the requests that are kept for provenance.
    static func countRequests(of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_resources SET requests_kept = (SELECT COUNT(*) FROM siding_provenance WHERE resource = ?1)
            WHERE id = ?1
            """, resource)
    }

    // MARK: Listings

    /// Notes a complete listing or fan-out pass, and how long the resource stays fresh.
    static func setCompleted(
        _ run: RunID, at now: Timestamp, _ freshness: ListingFreshness?, of resource: Int64,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_resources SET completed_at = ?2, completed_run = ?3, asks_anew = 0 WHERE id = ?1", resource,
            now.microseconds, run)
        guard let freshness else { return }
        try transaction.execute(
            "UPDATE siding_resources SET fresh_until = ?2, not_before = ?3 WHERE id = ?1", resource,
            freshness.freshUntil?.microseconds, freshness.notBefore?.microseconds)
    }

    /// Marks the stored records as stale, whatever their age, after an operator set the cursor.
    static func askAnew(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET fresh_until = NULL, not_before = NULL, asks_anew = 1 WHERE id = ?1", resource)
    }

    /// Sets when every record was last asked for; nil if that is not known any more.
    static func set(allListedAt now: Timestamp?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET all_listed_at = ?2 WHERE id = ?1", resource, now?.microseconds)
    }

    // MARK: Deletions

    /// Notes that pages show other records than when they were last reconciled, if they ever were.
    static func setPagesChanged(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET reconciled_revision = -1 WHERE id = ?1 AND reconciled_revision >= 0", resource)
    }

    /// - Parameter isUpToDate: whether nothing is to be reconciled until pages or records change.
    static func setReconciled(
        isUpToDate: Bool, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_resources SET reconciled_revision = CASE WHEN ?2 THEN revision ELSE -1 END WHERE id = ?1",
            resource, isUpToDate)
    }

    /// - Returns: whether the pages were ever reconciled.
    static func setUnreconciled(_ resource: Int64, _ transaction: borrowing Transaction) throws -> Bool {
        try transaction.execute(
            "UPDATE siding_resources SET reconciled_revision = NULL WHERE id = ?1 AND reconciled_revision IS NOT NULL",
            resource) > 0
    }
}

/// The columns of a resource that are needed to save its records.
struct ResourceRow {
    let id: Int64
    /// Set by the first record; nil before.
    let keyType: RecordKey.Kind?
    let revision: Int64
    let schema: RecordSchema
    /// Whether any listing was ever complete.
    let wasCompleted: Bool

    /// Reads the row of a resource; nil if it is unknown.
    static func load(
        named name: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ResourceRow? {
        try database.first(
            """
            SELECT id, key_type, revision, schema, completed_at IS NOT NULL
            FROM siding_resources WHERE name = ?1
            """, name
        ) { row in
            ResourceRow(
                id: row.int(0), keyType: row.optionalText(1).flatMap(RecordKey.Kind.init(rawValue:)),
                revision: row.int(2), schema: RecordSchema(stored: row.optionalText(3)), wasCompleted: row.int(4) == 1)
        }
    }
}

extension RecordKey.Kind {
    var words: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .composite: "composite"
        }
    }

    /// Why a key of this type cannot stand beside those of `type`.
    func reason(unlike type: RecordKey.Kind?) -> String {
        "its key is \(words), the resource's keys are \(type?.words ?? "")"
    }
}

extension ListingFreshness {
    /// Reads `fresh_until, not_before`, starting at `column`.
    init(_ row: borrowing Row, at column: Int) {
        self.init(
            freshUntil: row.optionalInt(column).map(Timestamp.init),
            notBefore: row.optionalInt(column + 1).map(Timestamp.init))
    }
}
