// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_missing`: live records that no page shows.
///
/// `passes` counts the complete listings or fan-out passes in a row without the record. Without a count the record is
/// exempt: a local write, a program or an operator put it here, and no page has shown it since, so its absence is no evidence,
/// until the origin has answered for it.
enum MissingTable {
    /// The maximum of `passes`: no rule asks for more.
    static let mostPasses = 3

    /// Exempts a record until a page shows it.
    static func exempt(_ record: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_missing (resource, record) VALUES (?1, ?2)
            ON CONFLICT (resource, record) DO UPDATE SET passes = NULL, needed = NULL, checked_at = NULL
            """, resource, record)
    }

    /// Deletes the rows of records that a page shows, as they are not missing any more.
    ///
    /// - Returns: how many rows were deleted, and the records of those that were exempt.
    static func remove(
        shown: RowIDs, of resource: Int64, _ transaction: borrowing Transaction
    ) throws -> (count: Int, exempt: [Int64]) {
        // The table usually has fewer rows than the page has records. So its rows are read, but at most one more than that: if
        // these are all, only those that the page shows are deleted; else a deletion is tried for each record of the page.
        let rows = RowIDs(
            try transaction.query(
                "SELECT record FROM siding_missing WHERE resource = ?1 LIMIT ?2", resource, shown.ids.count + 1
            ) { $0.int(0) })
        let candidates = rows.ids.count > shown.ids.count ? shown : rows.subtracting(rows.subtracting(shown))
        var (count, exempt): (Int, [Int64]) = (0, [])
        for id in candidates.ids {
            let wasExempt = try transaction.first(
                "DELETE FROM siding_missing WHERE resource = ?1 AND record = ?2 RETURNING passes IS NULL", resource, id
            ) { $0.int(0) == 1 }
            guard let wasExempt else { continue }
            count += 1
            if wasExempt { exempt.append(id) }
        }
        return (count, exempt)
    }

    /// Counts one more pass for each record that is absent, and removes the others, but for the exempt ones.
    ///
    /// - Parameter needed: how many passes this listing asks for.
    /// - Returns: the records that were absent often enough.
    static func count(
        _ absent: RowIDs, needed: Int, of resource: Int64, _ transaction: borrowing Transaction
    ) throws -> [Int64] {
        var before: [Int64: (passes: Int, needed: Int)] = [:]
        try transaction.forEach(
            "SELECT record, passes, needed FROM siding_missing WHERE resource = ?1 AND passes IS NOT NULL", resource
        ) { before[try $0.int("record")] = (Int(try $0.int("passes")), Int(try $0.int("needed"))) }
        for id in RowIDs(Array(before.keys)).subtracting(absent).ids {
            try remove(id, of: resource, transaction)
        }
        var proven: [Int64] = []
        for id in absent.ids {
            let old = before[id] ?? (0, 0)
            let new = (passes: min(old.passes + 1, mostPasses), needed: max(old.needed, needed))
            guard new != old else {
                if new.passes >= new.needed { proven.append(id) }
                continue
            }
            // One that came with the answer to a write needs two passes: its listing may be a little behind.
            let isProven = try transaction.first(
                """
                INSERT INTO siding_missing (resource, record, passes, needed) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (resource, record) DO UPDATE SET passes = excluded.passes,
                    needed = MAX(excluded.needed, COALESCE(needed, 2))
                RETURNING passes >= needed
                """, resource, id, new.passes, new.needed
            ) { $0.int(0) == 1 }
            if isProven == true { proven.append(id) }
        }
        return proven
    }

    static func remove(_ record: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_missing WHERE resource = ?1 AND record = ?2", resource, record)
    }

    /// Resets the counters: missing records need all passes again.
    static func resetCounts(of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_missing WHERE resource = ?1 AND passes IS NOT NULL", resource)
    }

    /// Records whose absence is no evidence. The origin has answered for one that came with the answer to a write, or with a
    /// page, also by way of the quarantine, before an own delete of it was dropped.
    ///
    /// - Parameter isFanOut: whether each parent has a listing. The parent of an own create is unknown until a listing shows
    ///   it, and may be one that is not listed.
    static func exemptRecords(
        of table: RecordsTable, isFanOut: Bool, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RowIDs {
        RowIDs(
            try database.query(
                """
                SELECT m.record FROM siding_missing m JOIN \(table.rows) r ON r.rowid = m.record
                WHERE m.resource = ?1 AND m.passes IS NULL
                    AND (r.cause NOT IN ('write', 'page', 'quarantine') OR (r.cause = 'write' AND r.scope IS NULL AND ?2))
                """, table.resource, isFanOut
            ) { $0.int(0) })
    }

    /// Whether the record was absent from a listing that counts.
    static func isCounted(
        _ record: Int64, of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM siding_missing WHERE resource = ?1 AND record = ?2 AND passes IS NOT NULL", resource, record)
    }

    /// Whether any missing record has fewer than this many passes.
    static func hasCounts(
        below passes: Int, of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM siding_missing WHERE resource = ?1 AND passes < ?2 LIMIT 1", resource, passes)
    }

    // MARK: Verification by GET

    /// Missing records without pending edits that the origin was not asked about since `moment`: those never asked about first, then
    /// the others, oldest question first. A moment in the future is one of a clock that was set back.
    ///
    /// - Parameter withParent: only those that were seen in the listing of a parent.
    static func unconfirmed(
        _ table: RecordsTable, passes: Int, withParent: Bool, askedBefore moment: Timestamp, now: Timestamp,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> UnconfirmedDeletions {
        var found = UnconfirmedDeletions()
        try database.forEach(
            """
            SELECT r.key, r.scope, m.checked_at
            FROM siding_missing m JOIN \(table.rows) r ON r.rowid = m.record
            WHERE m.resource = ?1 AND m.passes >= ?2 AND r.deleted_at IS NULL AND r.pending = 0
                AND (m.checked_at IS NULL OR m.checked_at < ?3 OR m.checked_at > ?4) AND (NOT ?5 OR r.scope IS NOT NULL)
            ORDER BY m.checked_at, r.key
            """, table.resource, passes, moment.microseconds, now.microseconds, withParent
        ) { row in
            let key = try row.text("key")
            found.keys.append(key)
            found.parents[key] = try row.optionalText("scope")
            if try row.optionalInt("checked_at") == nil { found.unchecked += 1 }
        }
        return found
    }

    /// Stores when the record was verified, and not confirmed as deleted; nil forgets it.
    static func setChecked(
        _ record: Int64?, of resource: Int64, at moment: Timestamp?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_missing SET checked_at = ?3 WHERE resource = ?1 AND record = ?2", resource, record,
            moment?.microseconds)
    }

    // MARK: For people

    /// How many complete listings in a row lack the record, and how many delete it; nil if none is counted.
    static func passes(
        of record: Int64, in resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (passes: Int, needed: Int)? {
        try database.first(
            """
            SELECT passes, needed FROM siding_missing WHERE resource = ?1 AND record = ?2 AND passes IS NOT NULL
            """, resource, record
        ) { row in (Int(try row.int("passes")), Int(try row.int("needed"))) }
    }

    /// The number of live records that complete listings lack, and how many of them need another one to be deleted.
    static func counts(
        of table: RecordsTable, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (missing: Int, waiting: Int) {
        try database.first(
            """
            SELECT COUNT(*) AS missing, COALESCE(SUM(m.passes < m.needed), 0) AS waiting
            FROM siding_missing m JOIN \(table.rows) r ON r.rowid = m.record
            WHERE m.resource = ?1 AND m.passes IS NOT NULL AND r.deleted_at IS NULL
            """, table.resource
        ) { row in (Int(try row.int("missing")), Int(try row.int("waiting"))) } ?? (0, 0)
    }

    /// The number of missing records that the origin was not asked about.
    static func count(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        try database.count(
            "SELECT COUNT(*) FROM siding_missing WHERE resource = ?1 AND passes IS NOT NULL AND checked_at IS NULL",
            resource)
    }

    /// Keys of missing records, in key order.
    static func keys(
        of table: RecordsTable, limit: Int, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [String] {
        try database.query(
            """
            SELECT r.key FROM siding_missing m JOIN \(table.rows) r ON r.rowid = m.record
            WHERE m.resource = ?1 AND m.passes IS NOT NULL AND r.deleted_at IS NULL ORDER BY r.key LIMIT ?2
            """, table.resource, limit
        ) { $0.text(0) }
    }
}
