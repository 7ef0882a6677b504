// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

// Finds the rows that are not kept any longer.

extension RecordsTable {
    /// Tombstones of records that were deleted before `moment`, oldest first, as far as nothing needs them:
    ///
    /// - an own write may need one with pending edits,
    /// - a view of the past reads the history and the tombstones together, so one with earlier versions stays,
    /// - SQLite gives the number of the newest row to the next record if the newest row is removed (sqlite.org/autoinc.html), and
    ///   the pages that show the one would then show the other.
    ///
    /// - Parameter isPast: whether the row `r` has earlier versions.
    func tombstones(
        deletedBefore moment: Timestamp, unless isPast: SQL, limit: Int,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> [(row: Int64, revision: Int64)] {
        guard layout != nil else { return [] }
        return try database.query(
            """
            SELECT r.rowid AS row, r.revision FROM \(rows) AS r
            WHERE r.deleted_at < ?1 AND r.pending = 0 AND NOT \(isPast) AND r.rowid < (SELECT MAX(rowid) FROM \(rows))
            ORDER BY r.deleted_at LIMIT ?2
            """, moment.microseconds, limit
        ) { (row: try $0.int("row"), revision: try $0.int("revision")) }
    }

    /// Live records without pending edits that `retention` does not keep, those that changed longest ago first.
    func surplus(
        over retention: RecordRetention, now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [Int64] {
        switch retention {
        case .age(let age):
            try database.query(
                """
                SELECT rowid FROM \(rows) WHERE deleted_at IS NULL AND pending = 0 AND changed_at < ?1 ORDER BY changed_at
                """, (now + (.zero - age)).microseconds
            ) { $0.int(0) }
        case .count(let count):
            try database.query(
                """
                SELECT row FROM (
                    SELECT rowid AS row, pending, changed_at FROM \(rows) WHERE deleted_at IS NULL
                    ORDER BY changed_at DESC, rowid DESC LIMIT -1 OFFSET ?1)
                WHERE pending = 0 ORDER BY changed_at, row
                """, count
            ) { $0.int(0) }
        }
    }

    /// Those of `ids` that live and have no pending edits.
    func withoutOpenWrites(_ ids: some Collection<Int64>, _ database: borrowing some Queryable & ~Copyable) throws
        -> [Int64]
    {
        try database.query(
            """
            SELECT rowid FROM \(rows) WHERE rowid IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL AND pending = 0
            """, try Store.json(Array(ids))
        ) { $0.int(0) }
    }
}
