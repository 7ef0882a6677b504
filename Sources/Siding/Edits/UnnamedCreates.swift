// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Records that the origin has created under an id that its answer did not name.
///
/// Such a record stays in the view under its temporary id until a listing ends that began after the delivery, as that one shows
/// it under its real id. The row itself has all that decides it, so that pruning the entry changes nothing.
struct UnnamedCreates {
    let table: RecordsTable

    /// Takes those out of the view that were delivered before a listing began.
    ///
    /// - Parameter startedAt: when the listing or fan-out pass began.
    /// - Returns: whether there were any.
    func hide(deliveredBefore startedAt: Timestamp, now: Timestamp, _ transaction: borrowing Transaction) throws -> Bool
    {
        guard table.row.isEdited else { return false }
        let keys = try keys(deliveredBefore: startedAt, now, transaction)
        guard !keys.isEmpty else { return false }
        var projection = try EditProjection(table, now: now)
        for key in keys {
            try projection.moveBase(of: key, to: ServerCopy(state: .nothing, cause: .never), transaction)
            try projection.rebuild(key, transaction)
        }
        return true
    }

    /// Whether a row is such a record, or one that is yet to be created: no request may name it. A page may have a record under
    /// such a key.
    ///
    /// - Parameter record: the row, by its name in the statement.
    static func hasTemporaryKey(_ record: SQL) -> SQL {
        "(\(record).cause IN ('write', 'edit') AND \(record).key GLOB \(literal: TemporaryID.pattern))"
    }

    /// Without pending edits the row is as an own write left it; with some, its server copy has the record. No page has shown it
    /// since (``MissingTable``). A time beyond the longest wait is that of a clock that was ahead.
    private func keys(
        deliveredBefore startedAt: Timestamp, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> [String] {
        try transaction.query(
            """
            SELECT r.key FROM siding_missing m JOIN \(table.rows) r ON r.rowid = m.record
            WHERE m.resource = ?1 AND m.passes IS NULL AND r.deleted_at IS NULL
                AND (r.changed_at <= ?2 OR r.changed_at > ?3)
                AND \(Self.hasTemporaryKey("r")) AND (r.pending = 0 OR EXISTS (
                    SELECT 1 FROM siding_server_copies c
                    WHERE c.resource = ?1 AND c.key = r.key AND c.body IS NOT NULL))
            """, table.resource, startedAt.microseconds, (now + RetryRules.longestWait).microseconds
        ) { $0.text(0) }
    }
}
