internal import SidingChain
internal import SidingSQLite

/// Removes versions beyond the retention, at the end of each run.
///
/// Removing versions moves the beginning of the complete history forward, so that no past view has a gap.
struct HistoryPruning {
    /// The maximum number of versions that one run removes by age, to keep the end of a run short.
    static let mostByAge = 20_000

    let now: Timestamp

    func prune(_ transaction: borrowing Transaction) throws {
        for resource in try ResourcesTable.all(transaction) where resource.historySince != nil {
            let retention = resource.schema.history
            if let keep = retention?.keep { try removeOld(resource.id, before: now + (.zero - keep), transaction) }
            if let versions = retention?.versions { try removeSurplus(resource, over: versions, transaction) }
        }
        try ResourcesTable.lowerPruned(transaction)
    }

    /// Removes the oldest versions first, so that those left for the next run are newer than all removed ones.
    private func removeOld(_ resource: Int64, before moment: Timestamp, _ transaction: borrowing Transaction) throws {
        let ends = try transaction.query(
            """
            DELETE FROM siding_history WHERE id IN (
                SELECT id FROM siding_history WHERE resource = ?1 AND valid_to <= ?2 ORDER BY valid_to LIMIT ?3)
            RETURNING valid_to
            """, resource, moment.microseconds, Self.mostByAge
        ) { $0.int(0) }
        if let end = ends.max() { try ResourcesTable.raiseHistory(to: end, of: resource, transaction) }
    }

    /// Removes versions beyond the maximum number. Only keys with versions since the last pruning can have too many.
    private func removeSurplus(
        _ resource: ResourceRow, over versions: Int, _ transaction: borrowing Transaction
    ) throws {
        let newest = try transaction.first("SELECT MAX(id) FROM siding_history") { $0.optionalInt(0) }
        guard let newest = newest ?? nil, newest > resource.historyPruned else { return }
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
