internal import SidingSQLite

/// The records that live, that a page showed, and of which `where` is neither true nor false: the rows of `siding_unfit`.
///
/// Where the origin leaves out a member, the condition fits no record any more, and one page after the other would show that.
/// So a page only puts them down; the last one of the listing, or the end of the round, decides over all of them together. What
/// the condition is false of left by the origin's own word, and goes at once.
struct NullFilteredRecords {
    let resource: ResourceRow

    /// Puts records down that a page has just shown.
    static func note(_ ids: [Int64], of resource: Int64, _ transaction: borrowing Transaction) throws {
        for id in ids {
            try transaction.execute(
                "INSERT OR IGNORE INTO siding_unfit (resource, record) VALUES (?1, ?2)", resource, id)
        }
    }

    /// How many could go.
    func count(_ database: borrowing some Queryable & ~Copyable) throws -> Int {
        let records = try RecordsTable.load(resource.id, database).rows
        return try database.first(
            """
            SELECT COUNT(*) FROM siding_unfit u JOIN \(records) r ON r.rowid = u.record
            WHERE u.resource = ?1 AND r.deleted_at IS NULL AND r.pending = 0
            """, resource.id
        ) { Int($0.int(0)) } ?? 0
    }

    /// Lets them go where no more go than may go at once.
    ///
    /// What fits again, or is gone, is put down no more; what the user's own edits lie on waits until they are settled.
    ///
    /// - Returns: what was deleted and withheld, in a transaction that leads to the revision after the resource's.
    func settle(
        _ terms: DeletionTerms, run: RunID, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        var counters = RunCounters()
        let all = try transaction.query(
            "SELECT record FROM siding_unfit WHERE resource = ?1 ORDER BY record", resource.id
        ) { $0.int(0) }
        guard !all.isEmpty else { return counters }
        let (leaving, waiting) = try sort(all, transaction)
        let stored = try ResourceRow.living(of: resource.id, transaction)
        let limit = DeletionGuard(listed: stored - leaving.count, most: terms.rule.most)
        let isWithheld = !terms.isAccepted && limit.withholds(leaving.count)
        if isWithheld {
            counters.withheld = leaving.count
        } else {
            (counters.deleted, counters.unfit) = (leaving.count, leaving.count)
            try Tombstones.bury(
                leaving, of: resource.id, run: run, now: now, revision: resource.revision + 1, transaction)
        }
        let kept = Set(waiting + (isWithheld ? leaving : []))
        for id in all where !kept.contains(id) {
            try transaction.execute(
                "DELETE FROM siding_unfit WHERE resource = ?1 AND record = ?2", resource.id, id)
        }
        return counters
    }

    /// Those that do not fit, and those of them that wait.
    private func sort(
        _ ids: [Int64], _ transaction: borrowing Transaction
    ) throws -> (leaving: [Int64], waiting: [Int64]) {
        guard let expression = resource.shape.transforms.condition else { return ([], []) }
        let condition = try RecordCondition(expression, beside: resource.shape.columns, transaction)
        var find = try transaction.prepare(
            """
            SELECT body, pending FROM \(RecordsTable.load(resource.id, transaction).rows)
            WHERE rowid = ?1 AND deleted_at IS NULL
            """)
        var (leaving, waiting): ([Int64], [Int64]) = ([], [])
        for id in ids {
            try find.bind(1, id)
            guard try find.step() else { continue }
            let (body, isEdited) = (find.blob(0), find.int(1) > 0)
            find.reset()
            if isEdited {
                waiting.append(id)
            } else if try condition.isFalse(for: body) {
                leaving.append(id)
            }
        }
        return (leaving, waiting)
    }
}
