// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_tombstones`, by which deleted records are restored. A tombstone keeps its body.
enum TombstonesTable {
    /// Turns live records into tombstones.
    ///
    /// - Parameter revision: the resource's revision after this transaction.
    static func insert(
        for ids: [Int64], in table: RecordsTable, cause: RecordCause, run: RunID, now: Timestamp, revision: Int64,
        _ transaction: borrowing Transaction
    ) throws {
        guard !ids.isEmpty else { return }
        let resource = table.resource
        try insert(ids, of: resource, run: run, now: now, transaction)
        var text = try TextIndex.load(of: resource, transaction).map { try TextStatements($0, transaction) }
        for id in ids {
            try text?.remove(id)
            try MissingTable.remove(id, of: resource, transaction)
        }
        try table.markDeleted(ids, cause: cause, run: run, now: now, revision: revision, transaction)
        try ResourcesTable.raise(revision: revision, of: resource, transaction)
    }

    /// Stores which records a run deleted.
    static func insert(
        _ ids: [Int64], of resource: Int64, run: RunID, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        for id in ids {
            try transaction.execute(
                "INSERT OR REPLACE INTO siding_tombstones (run, resource, record, at) VALUES (?1, ?2, ?3, ?4)", run,
                resource, id, now.microseconds)
        }
    }

    /// Deletes a run's list of deleted records; the records stay.
    static func delete(of run: RunID, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_tombstones WHERE run = ?1", run)
    }

    /// Removes tombstones for good, oldest first. Changes since before their deletion are then no longer complete.
    ///
    /// - Returns: the number of removed records.
    static func removeRecords(
        of table: RecordsTable, deletedBefore moment: Timestamp, limit: Int, _ transaction: borrowing Transaction
    ) throws -> Int {
        let (resource, row) = (table.resource, table.row)
        // Without an end of the history, every tombstone has a version that the past shows.
        guard row.historySince == nil || row.schemaIfReadable.history?.keep != nil else { return 0 }
        let isPast: SQL = row.historySince == nil ? "0" : HistoryTable.hasVersions(of: "r.key", in: resource)
        let old = try table.tombstones(deletedBefore: moment, unless: isPast, limit: limit, transaction)
        for tombstone in old { try table.remove(tombstone.row, transaction) }
        if let revision = old.map(\.revision).max() {
            try ResourcesTable.setForgotten(revision: revision, of: resource, transaction)
        }
        return old.count
    }

    /// How many of the records that a run deleted were removed for good, so that they cannot be restored.
    static func countRemoved(of run: RunID, _ snapshot: borrowing Snapshot) throws -> Int {
        try RecordsTable.all(snapshot).reduce(0) { count, table in
            try count
                + snapshot.count(
                    """
                    SELECT COUNT(*) FROM siding_tombstones AS t WHERE t.run = ?1 AND t.resource = ?2
                        AND NOT EXISTS (SELECT 1 FROM \(table.rows) AS r WHERE r.rowid = t.record)
                    """, run, table.resource)
        }
    }

    /// The records of one resource that a run deleted.
    struct Deleted {
        let resource: Int64
        let name: String
        let records: [Int64]
    }

    /// What a run deleted, by resource.
    static func deleted(by run: RunID, _ snapshot: borrowing Snapshot) throws -> [Deleted] {
        var records: [Int64: [Int64]] = [:]
        try snapshot.forEach("SELECT resource, record FROM siding_tombstones WHERE run = ?1", run) {
            records[$0.int(0), default: []].append($0.int(1))
        }
        return try ResourcesTable.all(snapshot).compactMap { row in
            records[row.id].map { Deleted(resource: row.id, name: row.name, records: $0) }
        }
    }

    /// Restores those of `records` that the run deleted, but not those written since, nor those with pending edits.
    ///
    /// - Returns: the restored ones.
    static func restore(
        _ records: [Int64], of run: RunID, in table: RecordsTable, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> [Int64] {
        let (resource, revision) = (table.resource, table.row.revision + 1)
        let ids = try transaction.query(
            """
            SELECT r.rowid FROM json_each(?3) AS meant
                JOIN siding_tombstones t ON t.run = ?1 AND t.resource = ?2 AND t.record = meant.value
                JOIN \(table.rows) r ON r.rowid = t.record
            WHERE r.deleted_at = t.at AND r.run = t.run AND r.pending = 0
            """, run, resource, try Store.json(records)
        ) { $0.int(0) }
        guard !ids.isEmpty else { return [] }
        var text = try TextIndex.load(of: resource, transaction).map { try TextStatements($0, transaction) }
        try table.restore(ids, now: now, revision: revision, transaction)
        for id in ids {
            try text?.add(id)
            try MissingTable.exempt(id, of: resource, transaction)
            try transaction.execute(
                "DELETE FROM siding_tombstones WHERE run = ?1 AND resource = ?2 AND record = ?3", run, resource, id)
        }
        try ResourcesTable.raise(revision: revision, of: resource, transaction)
        return ids
    }
}
