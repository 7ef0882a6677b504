// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Reads and writes `siding_resources`, which has a row per resource: what is declared of it, and where its records and listings
/// stand.
enum ResourcesTable {
    /// Selects rows, with the members of `retention` and `listed` as columns.
    private static let selection: SQL = """
        SELECT *, retention ->> 'history_pruned' AS history_pruned, retention ->> 'requests_due' AS requests_due,
            listed ->> 'completed_at' AS completed_at, listed ->> 'completed_run' AS completed_run,
            listed ->> 'fresh_until' AS fresh_until, listed ->> 'not_before' AS not_before,
            listed ->> 'cursor_was_set' AS cursor_was_set, listed ->> 'all_listed_at' AS all_listed_at,
            listed ->> 'unlisted' AS unlisted
        FROM siding_resources
        """

    /// The resource called `name`; nil if it was never stored.
    static func load(named name: String?, _ database: borrowing some Queryable & ~Copyable) throws -> ResourceRow? {
        try database.first("\(selection) WHERE name = ?1", name, map: ResourceRow.init)
    }

    static func load(_ resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> ResourceRow? {
        try database.first("\(selection) WHERE id = ?1", resource, map: ResourceRow.init)
    }

    static func id(of name: String?, _ database: borrowing some Queryable & ~Copyable) throws -> Int64? {
        try database.first("SELECT id FROM siding_resources WHERE name = ?1", name) { $0.int(0) }
    }

    /// The id of the newest request of a resource; 0 for none. No id is used twice, so ids tell later requests from earlier ones.
    static func requests(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Int64 {
        try database.first("SELECT requests FROM siding_resources WHERE id = ?1", resource) { $0.int(0) } ?? 0
    }

    /// All resources, by name.
    static func all(_ database: borrowing some Queryable & ~Copyable) throws -> [ResourceRow] {
        try database.query("\(selection) ORDER BY name", map: ResourceRow.init)
    }

    /// The resources that list by the records of `parent`, by name.
    static func children(of parent: String, _ transaction: borrowing Transaction) throws -> [ResourceRow] {
        try transaction.query(
            "\(selection) WHERE parent = ?1 ORDER BY name", parent, map: ResourceRow.init)
    }

    /// The present revisions of all resources, as the JSON in `siding_runs.revisions`.
    static func revisions(_ transaction: borrowing Transaction) throws -> String? {
        try transaction.first("SELECT json_group_object(CAST(id AS TEXT), revision) FROM siding_resources") {
            $0.text(0)
        }
    }

    /// The present revisions of all resources, by name.
    static func revisionsByName(_ database: borrowing some Queryable & ~Copyable) throws -> [String: Int64] {
        let rows = try database.query("SELECT name, revision FROM siding_resources") { row in
            (try row.text("name"), try row.int("revision"))
        }
        return Dictionary(rows) { first, _ in first }
    }

    static func insert(
        _ name: String, source: String, _ definition: ResourceDefinition, _ transaction: borrowing Transaction
    ) throws -> ResourceRow {
        try transaction.execute(
            "INSERT INTO siding_resources (name, source, definition) VALUES (?1, ?2, ?3)", name, source,
            definition.text)
        return ResourceRow(
            id: transaction.lastInsertedRowID, name: name, source: source, storedDefinition: definition.text)
    }

    /// Deletes a resource with all rows of other tables that refer to it, by their foreign keys.
    static func delete(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_resources WHERE id = ?1", resource)
    }

    // MARK: What is declared

    static func set(definition: ResourceDefinition, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET definition = ?2 WHERE id = ?1", resource, definition.text)
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

    /// What views and stored columns are made by: the SQLite that is loaded, and the expressions of this version, a number that
    /// grows when columns show something else.
    private static let maker: SQL = "sqlite_version() || ' 3'"

    /// Stores that views and stored columns are made by this version; with `ifUnknown`, only where nothing is known of that.
    static func setMade(ifUnknown: Bool = false, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET schema_made = \(maker) WHERE id = ?1 AND (NOT ?2 OR schema_made IS NULL)",
            resource, ifUnknown)
    }

    /// The resources whose views and stored columns were made by another version of Siding or of SQLite.
    static func outdated(_ database: borrowing some Queryable & ~Copyable) throws -> [ResourceRow] {
        try database.query(
            "\(selection) WHERE schema IS NOT NULL AND schema_made IS NOT \(maker)", map: ResourceRow.init)
    }

    // MARK: Records

    static func set(keyType: RecordKey.Kind?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET key_type = ?2 WHERE id = ?1", resource, keyType?.rawValue)
    }

    static func set(layout: RecordsLayout?, of resource: Int64, _ transaction: borrowing Transaction) throws {
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

    /// Notes that records have pending edits, or may have.
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
            UPDATE siding_resources SET retention = json_set(retention, '$.history_pruned', 0),
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
            "UPDATE siding_resources SET retention = json_set(retention, '$.history_pruned', ?2) WHERE id = ?1",
            resource, version)
    }

    /// Lowers what pruning has checked to the newest version that there is.
    static func lowerPruned(to version: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_resources SET retention = json_set(retention, '$.history_pruned', ?1)
            WHERE retention ->> 'history_pruned' > ?1
            """, version)
    }

    /// - Parameter requests: the newest request that is kept for provenance.
    static func set(requests: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET requests = ?2 WHERE id = ?1", resource, requests)
    }

    /// - Parameter requestsDue: the request with which unused ones are looked for again.
    static func set(requestsDue: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET retention = json_set(retention, '$.requests_due', ?2) WHERE id = ?1",
            resource, requestsDue)
    }

    // MARK: Text search

    /// What the text index of a resource covers, and whether the loaded SQLite is of the version that built it; nil
    /// if there is none.
    static func textIndex(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (fields: [String], fillFrom: Int64?, isOfThisSQLite: Bool)? {
        try database.first(
            """
            SELECT text_index ->> 'fields' AS fields, text_index ->> 'fill_from' AS fill_from,
                text_index ->> 'sqlite' = sqlite_version() AS is_of_this_sqlite
            FROM siding_resources WHERE id = ?1 AND text_index IS NOT NULL
            """, resource
        ) { row in
            // An index without fields is made anew by the search that needs them.
            let fields = Store.decodeIfReadable([String].self, try row.optionalText("fields")) ?? []
            return (fields, try row.optionalInt("fill_from"), try row.isTrue("is_of_this_sqlite"))
        }
    }

    /// Stores a text index that the loaded version of SQLite builds.
    ///
    /// - Parameter row: the first row that is still to be indexed.
    static func setTextIndex(
        of resource: Int64, over fields: [String], fillFrom row: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_resources
            SET text_index = json_object('fields', json(?2), 'sqlite', sqlite_version(), 'fill_from', ?3) WHERE id = ?1
            """, resource, try Store.json(fields), row)
    }

    /// - Parameter row: the first row that is still to be indexed; nil where all are.
    static func setTextIndex(
        of resource: Int64, fillFrom row: Int64?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_resources SET text_index = json_set(text_index, '$.fill_from', ?2) WHERE id = ?1", resource,
            row)
    }

    static func removeTextIndex(of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET text_index = NULL WHERE id = ?1", resource)
    }

    // MARK: Listings

    /// Notes a complete listing or fan-out pass, and how long the resource stays fresh.
    static func setCompleted(
        _ run: RunID, at now: Timestamp, _ freshness: ListingFreshness?, of resource: Int64,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_resources
            SET listed = json_set(listed, '$.completed_at', ?2, '$.completed_run', ?3, '$.cursor_was_set', 0)
            WHERE id = ?1
            """, resource, now.microseconds, run)
        guard let freshness else { return }
        try transaction.execute(
            """
            UPDATE siding_resources SET listed = json_set(listed, '$.fresh_until', ?2, '$.not_before', ?3)
            WHERE id = ?1
            """, resource, freshness.freshUntil?.microseconds, freshness.notBefore?.microseconds)
    }

    /// Marks the stored records as stale, whatever their age, after an operator set the cursor.
    static func forgetFreshness(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_resources
            SET listed = json_set(listed, '$.fresh_until', NULL, '$.not_before', NULL, '$.cursor_was_set', 1)
            WHERE id = ?1
            """, resource)
    }

    /// Sets when every record was last asked for; nil if that is not known any more.
    static func set(allListedAt now: Timestamp?, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET listed = json_set(listed, '$.all_listed_at', ?2) WHERE id = ?1", resource,
            now?.microseconds)
    }

    /// Stores how many stored records a complete listing lacks, where nothing deletes them.
    static func set(unlisted: Int, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_resources SET listed = json_set(listed, '$.unlisted', ?2)
            WHERE id = ?1 AND COALESCE(listed ->> 'unlisted', 0) <> ?2
            """, resource, unlisted)
    }

    // MARK: Deletions

    /// Notes that pages show other records than when they were last reconciled, if they ever were.
    static func setPagesChanged(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET reconciled_revision = -1 WHERE id = ?1 AND reconciled_revision >= 0", resource)
    }

    /// - Parameter isUpToDate: whether nothing is to be reconciled until pages or records change.
    static func setReconciled(isUpToDate: Bool, of resource: Int64, _ transaction: borrowing Transaction) throws {
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
