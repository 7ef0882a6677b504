// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// A version of a record as it is stored: an earlier one, or the present one.
struct StoredVersion {
    var body: [UInt8]
    var isDeleted: Bool
    var pending: Int
    var from: Int64
    var to: Int64?
    /// The run that saved the origin's bytes; pending edits and their answers do not change it.
    var run: RunID
    var isWrite: Bool
}

/// The table `siding_history`: the earlier versions of records, which a trigger inserts (``RecordsTable``).
enum HistoryTable {
    /// The versions of a record, newest first, beginning with the present one.
    ///
    /// - Parameter limit: the maximum number of versions; negative for all.
    static func versions(
        of key: String, in table: RecordsTable, limit: Int, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [StoredVersion] {
        try database.query(
            """
            SELECT * FROM (
                SELECT body, deleted_at IS NOT NULL AS is_deleted, pending, MAX(changed_at, COALESCE(deleted_at, 0)) AS start,
                    NULL AS finish, run, cause = 'write' AS is_write, NULL AS id
                FROM \(table.rows) WHERE key = ?2
                UNION ALL
                SELECT body, deleted_at IS NOT NULL, pending, valid_from, valid_to, run, cause = 'write', id FROM siding_history
                WHERE resource = ?1 AND key = ?2)
            ORDER BY finish IS NOT NULL, finish DESC, id DESC LIMIT ?3
            """, table.resource, table.key(key), limit
        ) { row in
            StoredVersion(
                body: try row.blob("body"), isDeleted: try row.isTrue("is_deleted"),
                pending: Int(try row.int("pending")), from: try row.int("start"), to: try row.optionalInt("finish"),
                run: try row.int("run"), isWrite: try row.isTrue("is_write"))
        }
    }

    /// Whether there is an earlier version of the record whose key SQL has as `key`.
    static func hasVersions(of key: SQL, in resource: Int64) -> SQL {
        "EXISTS (SELECT 1 FROM siding_history WHERE resource = \(integer: resource) AND key = \(key))"
    }

    // MARK: Pruning

    /// The maximum number of versions that one run removes by age, to keep the end of a run short.
    static let mostByAge = 20_000

    /// Removes versions beyond the retention, at the end of each run.
    ///
    /// Removing versions moves the beginning of the complete history forward, so that no past view has a gap.
    static func prune(now: Timestamp, _ transaction: borrowing Transaction) throws {
        for resource in try ResourcesTable.all(transaction) where resource.historySince != nil {
            // Without a readable one, nothing is removed.
            let retention = resource.schemaIfReadable.history
            if let keep = retention?.keep { try removeOld(resource.id, before: now + (.zero - keep), transaction) }
            if let versions = retention?.versions { try removeSurplus(resource, over: versions, transaction) }
        }
        // SQLite reuses the number of the newest version if that was removed (sqlite.org/autoinc.html).
        try ResourcesTable.lowerPruned(to: newest(transaction), transaction)
    }

    private static func newest(_ transaction: borrowing Transaction) throws -> Int64 {
        try transaction.first("SELECT COALESCE(MAX(id), 0) FROM siding_history") { $0.int(0) } ?? 0
    }

    /// Removes the oldest versions first, so that those left for the next run are newer than all removed ones.
    private static func removeOld(
        _ resource: Int64, before moment: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        let ends = try transaction.query(
            """
            DELETE FROM siding_history WHERE id IN (
                SELECT id FROM siding_history WHERE resource = ?1 AND valid_to <= ?2 ORDER BY valid_to LIMIT ?3)
            RETURNING valid_to
            """, resource, moment.microseconds, mostByAge
        ) { $0.int(0) }
        if let end = ends.max() { try ResourcesTable.raiseHistory(to: end, of: resource, transaction) }
    }

    /// Removes versions beyond the maximum number. Only keys with versions since the last pruning can have too many.
    private static func removeSurplus(
        _ resource: ResourceRow, over versions: Int, _ transaction: borrowing Transaction
    ) throws {
        let newest = try newest(transaction)
        guard newest > resource.historyPruned else { return }
        let ends = try transaction.query(
            """
            DELETE FROM siding_history WHERE id IN (
                SELECT id FROM (
                    SELECT id, ROW_NUMBER() OVER (PARTITION BY key ORDER BY valid_to DESC, id DESC) AS place
                    FROM siding_history WHERE resource = ?1
                        AND key IN (SELECT key FROM siding_history WHERE id > ?2 AND resource = ?1))
                WHERE place > ?3)
            RETURNING valid_to
            """, resource.id, resource.historyPruned, versions
        ) { $0.int(0) }
        if let end = ends.max() { try ResourcesTable.raiseHistory(to: end, of: resource.id, transaction) }
        try ResourcesTable.setPruned(to: newest, of: resource.id, transaction)
    }
}
