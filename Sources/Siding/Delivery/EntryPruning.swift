// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Deletes completed entries after their retention time. The keys of writes are kept for as long as origins remember them.
struct EntryPruning {
    let now: Timestamp

    /// Deletes entries that were completed before `moment`, oldest first, and expired keys. Entries that cannot be read are left.
    ///
    /// - Returns: the number of deleted entries.
    func removeCompleted(before moment: Timestamp, limit: Int, _ transaction: borrowing Transaction) throws -> Int {
        var count = 0
        for entry in try OutboxTable.completed(before: moment, limit: limit, transaction) {
            do {
                try transaction.part { try forget([entry], transaction) }
                count += 1
            } catch let error as StoreError {
                guard error.kind == .corrupt else { throw error }
            }
        }
        try OutboxTable.deleteForgotten(now, transaction)
        return count
    }

    /// - Throws: ``QueueRefusal`` if the entry is not completed, or was purged already.
    func checkIsForgettable(_ entry: QueueEntry) throws {
        guard entry.completedAt != nil else {
            throw QueueRefusal(
                reason: "it is not completed (\(entry.state.rawValue))",
                hint: "'siding queue drop \(entry.shortID)' drops it; then it can be purged")
        }
        if let until = entry.keyKeptUntil {
            throw QueueRefusal(reason: "only its idempotency key is left, and is kept until \(until.rfc3339)")
        }
    }

    /// Deletes completed entries. The keys that their origins may still remember are kept.
    ///
    /// - Throws: ``StoreError/Kind/corrupt`` if one cannot be read.
    func forget(_ entries: [QueueEntry], _ transaction: borrowing Transaction) throws {
        var (stripped, deleted): ([String], [String]) = ([], [])
        for entry in entries {
            if entry.recordKey != nil { try removeTombstone(of: entry, transaction) }
            guard let until = try keyExpiry(of: entry, transaction), until > now,
                let request = try OutboxRequestsTable.load(entry.id, transaction)
            else {
                deleted.append(entry.id)
                continue
            }
            try IdempotencyKeysTable.reserve(entry.id, until: until, digest: RequestDigest.of(request), transaction)
            stripped.append(entry.id)
        }
        try strip(stripped, transaction)
        try OutboxTable.delete(deleted, transaction)
    }

    /// When the origin forgets the key of a completed write: no attempt was later than its completion. Nil if it has none.
    private func keyExpiry(of entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Timestamp? {
        guard entry.kind == .write, let key = try IdempotencyKeysTable.load(entry.id, transaction) else { return nil }
        return (entry.completedAt ?? now) + (key.lifetime ?? Idempotency().lifetime)
    }

    /// Deletes the tombstone of the entry's temporary id, which only change feeds needed.
    private func removeTombstone(of entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        guard let key = try OutboxEditsTable.load(entry.id, transaction)?.temporaryID,
            let table = try RecordsTable.load(named: entry.resource, transaction),
            let record = try table.find(key, transaction), record.deletedAt != nil, record.pending == 0
        else { return }
        try ResourcesTable.setForgotten(revision: record.revision, of: table.resource, transaction)
        try table.remove(record.row, transaction)
    }

    /// Deletes the requests and keeps the final states with the keys, so that a repeated command gets the same answer.
    private func strip(_ entries: [String], _ transaction: borrowing Transaction) throws {
        try OutboxRequestsTable.clear(entries, transaction)
        try OutboxEditsTable.clear(entries, transaction)
        try OutboxEventsTable.deleteOldest(of: entries, keeping: 1, transaction)
        try OutboxDependenciesTable.delete(of: entries, transaction)
    }
}
