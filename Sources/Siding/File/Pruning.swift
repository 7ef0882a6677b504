// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Deletes what is older than ``KeepRules`` allow, one portion per transaction, so that no writer waits long for it.
struct Pruning {
    let rules: KeepRules
    let now: Timestamp

    /// - Parameter ofResources: whether to look at the records of each resource, of which there may be many.
    /// - Returns: whether more may be left.
    func removePortion(ofResources: Bool, _ transaction: borrowing Transaction) throws -> Bool {
        let entries = try EntryPruning(now: now)
            .removeCompleted(before: moment(rules.done), limit: KeepRules.portion, transaction)
        try HistoryTable.prune(now: now, transaction)
        for run in try RunsTable.delete(endedBefore: moment(rules.runs), transaction) {
            // The records that a deleted run deleted can no longer be restored by its number.
            try TombstonesTable.delete(of: run, transaction)
        }
        var isMore = entries == KeepRules.portion
        for table in ofResources ? try RecordsTable.all(transaction) : [] {
            try ProvenanceTable.removeUnused(of: table, transaction)
            let removed = try TombstonesTable.removeRecords(
                of: table, deletedBefore: moment(rules.deleted), limit: KeepRules.portion, transaction)
            isMore = isMore || removed == KeepRules.portion
        }
        return isMore
    }

    /// Whether something in the queue is due for deletion.
    func isDue(_ snapshot: borrowing Snapshot) throws -> Bool {
        try OutboxTable.hasForgettable(completedBefore: moment(rules.done), now: now, snapshot)
    }

    private func moment(_ age: Duration) -> Timestamp { now + (.zero - max(age, KeepRules.least)) }
}

extension Store {
    /// Deletes what is older than ``keep`` allows, and gives back free pages where they are many.
    ///
    /// - Parameter body: runs before the first portion, in its transaction; returns whether to look at each resource.
    func prune(
        after body: @Sendable (borrowing Transaction) throws -> Bool = { _ in true }
    ) async throws(StoreError) {
        let pruning = Pruning(rules: keep, now: clock.now)
        var (ofResources, isMore) = try await write { transaction in
            let ofResources = try body(transaction)
            return (ofResources, try pruning.removePortion(ofResources: ofResources, transaction))
        }
        while isMore, !Task.isCancelled {
            isMore = try await write { [ofResources] in try pruning.removePortion(ofResources: ofResources, $0) }
        }
        owner.sweep()
        // The file is sound with or without it.
        _ = try? await giveBackManyFreePages()
    }

    /// Prunes if a completed entry is older than ``keep`` allows: for processes that only send writes, whose files no run
    /// prunes. Costs one read otherwise.
    func pruneIfDue() async throws(StoreError) {
        let pruning = Pruning(rules: keep, now: clock.now)
        guard try await read({ try pruning.isDue($0) }) else { return }
        try await prune()
    }
}
