// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Removes what this file has of parents that other shards fetch, in the transaction that ends a fan-out pass: after a change of
/// the shard, or a sync without one.
///
/// The listings of such a parent are forgotten, as for a parent that is gone, so that its next sync here begins anew. Its records
/// become tombstones, within the mass-deletion guard: a wrong shard would delete most of the file. Those of a parent that
/// is gone stay, as no other station can fetch them.
struct OtherShards {
    /// As the transaction has left it so far.
    let table: RecordsTable
    /// The shard of this station.
    let shard: Shard

    /// Whether another shard fetches the listing of this parent.
    private func has(_ parent: String) -> Bool { !shard.owns(parent: parent, of: table.resourceName) }

    /// Ends the open listings of such parents, and supersedes their retained fetches: nobody would send them again.
    func supersedeFetches(_ queue: QueueTransitions, _ transaction: borrowing Transaction) throws {
        for entry in try OutboxTable.openFetches(of: table.resourceName, transaction) {
            guard let scope = try OutboxTable.scope(of: entry.id, transaction), !scope.isEmpty, has(scope) else {
                continue
            }
            try queue.complete(
                [entry.id], as: .done, event: .superseded, detail: "another shard fetches its parent", transaction)
            try ListingsTable.end(table.resource, scope: scope, transaction)
        }
    }

    /// Deletes the listings, pages and cursors of such parents.
    func forgetListings(_ transaction: borrowing Transaction) throws {
        let resource = table.resource
        let scopes = Set(
            try ListingsTable.scopes(of: resource, transaction) + PagesTable.scopes(of: resource, transaction)
                + CursorsTable.scopes(of: resource, transaction)
        ).filter(has)
        for scope in scopes {
            try QuarantineTable.deleteAnswers(of: resource, scope: scope, transaction)
            try ListingsTable.delete(resource, scope: scope, transaction)
            try PagesTable.delete(resource, scope: scope, transaction)
            try CursorsTable.forget(resource, scope: scope, transaction)
        }
        if !scopes.isEmpty { try ResourcesTable.setPagesChanged(resource, transaction) }
    }

    /// Deletes the records of such parents that no page shows, unless the guard blocks it. Those with pending edits wait.
    ///
    /// - Parameter revision: the resource's revision after this transaction.
    /// - Returns: the numbers of deleted records and blocked deletions.
    func deleteRecords(
        over parents: RecordsTable, _ terms: DeletionTerms, run: RunID, now: Timestamp, revision: Int64,
        _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        var counters = RunCounters()
        let found = try records(over: parents, transaction)
        // A record may be on a page whose records are not all known.
        guard !found.isEmpty, try PagesTable.unknownListings(of: table.resource, transaction) == 0 else {
            return counters
        }
        let left = try RecordScopes.move(found, in: table, transaction)
        guard try !DeletionGuard.blocks(left.count, of: table.resource, terms, transaction) else {
            counters.deletionsBlocked = left.count
            return counters
        }
        try TombstonesTable.insert(
            for: left.sorted(), in: table, cause: .missing, run: run, now: now, revision: revision, transaction)
        counters.deleted = left.count
        return counters
    }

    /// The live records that a parent of another shard showed last.
    private func records(over parents: RecordsTable, _ transaction: borrowing Transaction) throws -> Set<Int64> {
        var found: [String: [Int64]] = [:]
        var own: Set<String> = []
        try transaction.forEach(
            """
            SELECT rowid AS row, CAST(scope AS TEXT) AS scope FROM \(table.rows)
            WHERE deleted_at IS NULL AND pending = 0 AND scope IS NOT NULL
            """
        ) { row in
            let scope = try row.text("scope")
            if own.contains(scope) { return }
            if found[scope] != nil || has(scope) {
                found[scope, default: []].append(try row.int("row"))
            } else {
                own.insert(scope)
            }
        }
        for scope in found.keys where try transaction.exists("SELECT 1 WHERE \(parents.isGone("?1"))", scope) {
            found[scope] = nil
        }
        guard !found.isEmpty else { return [] }
        let exempt = try MissingTable.exemptRecords(of: table, isFanOut: true, transaction)
        return Set(found.values.joined()).subtracting(exempt.ids)
    }
}
