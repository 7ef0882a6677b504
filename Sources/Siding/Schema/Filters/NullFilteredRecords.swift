// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Live records that a page shows and for which the filter `where` is NULL.
///
/// If the origin leaves out a member, the filter is NULL for every record, page after page. So a page only sets
/// ``ResourceRow/hasNullFiltered``; the last page of the listing, or the end of the pass, decides on all of them together, under the
/// mass-deletion guard. Records for which the filter is false are deleted at once: the origin itself says so.
struct NullFilteredRecords {
    /// As the transaction has left it so far: a page may just have made it, and found such records.
    let table: RecordsTable

    /// How many could be deleted.
    func count(_ database: borrowing some Queryable & ~Copyable) throws -> Int {
        try find(database).leaving.count
    }

    /// Deletes them, unless the guard blocks it. Records with pending edits wait until these are completed.
    ///
    /// - Parameter revision: the resource's revision after this transaction.
    /// - Returns: the numbers of deleted records and blocked deletions.
    func reconcile(
        _ terms: DeletionTerms, run: RunID, now: Timestamp, revision: Int64, _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        var counters = RunCounters()
        guard table.row.hasNullFiltered else { return counters }
        let (leaving, waiting) = try find(transaction)
        let stored = try table.countLiving(transaction)
        let limit = DeletionGuard(listed: stored - leaving.count, most: terms.rule.most)
        let isBlocked = !terms.isAccepted && limit.blocks(leaving.count)
        if isBlocked {
            counters.deletionsBlocked = leaving.count
        } else {
            (counters.deleted, counters.nullFiltered) = (leaving.count, leaving.count)
            try TombstonesTable.insert(
                for: leaving, in: table, cause: .filtered, run: run, now: now, revision: revision, transaction)
        }
        guard !isBlocked, waiting == 0 else { return counters }
        try ResourcesTable.set(hasNullFiltered: false, of: table.resource, transaction)
        return counters
    }

    /// The records that may be deleted, and the number of those with pending edits.
    private func find(_ database: borrowing some Queryable & ~Copyable) throws -> (leaving: [Int64], waiting: Int) {
        let schema = try table.row.schema
        guard let expression = schema.transforms.condition, table.row.hasNullFiltered else { return ([], 0) }
        let condition = try RecordCondition(expression, beside: schema.columns, database)
        var find = try database.prepare(
            "SELECT body, pending FROM \(table.rows) WHERE rowid = ?1 AND deleted_at IS NULL")
        var (leaving, waiting): ([Int64], Int) = ([], 0)
        for id in try PageMembers.all(of: table.resource, database).ids {
            try find.bind(1, id)
            guard try find.step() else { continue }
            let (body, isEdited) = (try find.row.blob("body"), try find.row.int("pending") > 0)
            find.reset()
            guard try condition.result(for: body) == .null else { continue }
            if isEdited { waiting += 1 } else { leaving.append(id) }
        }
        return (leaving, waiting)
    }
}
