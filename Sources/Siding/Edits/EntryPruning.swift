internal import SidingChain
internal import SidingSQLite

/// Deletes completed entries after their retention time. The keys of writes are kept for as long as origins remember them.
struct EntryPruning {
    let now: Timestamp

    /// Deletes entries that were completed before `moment`, and expired keys. Entries that cannot be read are left.
    func removeSettled(before moment: Timestamp, _ transaction: borrowing Transaction) throws {
        for entry in try OutboxTable.completed(before: moment, transaction) {
            do { try transaction.part { try forget(entry, transaction) } } catch let error as StoreError {
                guard error.kind == .corrupt else { throw error }
            }
        }
        try OutboxTable.deleteForgotten(now, transaction)
    }

    /// Deletes an entry. If the origin may still remember its key, the key is kept.
    ///
    /// - Throws: ``QueueRefusal`` if it is not completed, or was purged already; ``StoreError/Kind/corrupt`` if it cannot be
    ///   read.
    func forget(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        let lifetime = try keyLifetime(ofForgettable: entry, transaction)
        try removeTombstone(of: entry, transaction)
        // No attempt was later than this, so no origin remembers the key for longer.
        let until = (entry.settledAt ?? now) + lifetime
        if entry.kind == .write, until > now {
            try strip(entry, until, transaction)
        } else {
            try OutboxTable.delete(entry.id, transaction)
        }
    }

    /// How long the key of an entry stays reserved after completion: not at all if no request could be compared with its own;
    /// throws ``QueueRefusal`` as ``forget(_:_:)``.
    func keyLifetime(
        ofForgettable entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Duration {
        guard entry.settledAt != nil else {
            throw QueueRefusal(
                reason: "it is not settled (\(entry.state.rawValue))",
                hint: "'siding queue drop \(entry.shortID)' gives it up; then it can be forgotten")
        }
        if let until = entry.keyKeptUntil {
            throw QueueRefusal(reason: "it is forgotten but for its key, until \(until.rfc3339)")
        }
        guard let key = try IdempotencyKeysTable.load(entry.id, database),
            try OutboxRequestsTable.load(entry.id, database) != nil
        else { return .zero }
        return key.lifetime ?? Idempotency().lifetime
    }

    /// Deletes the tombstone of the entry's temporary id, which only change feeds needed.
    private func removeTombstone(of entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        guard let key = try OutboxEditsTable.load(entry.id, transaction)?.temporaryID, let name = entry.resource,
            let resource = try Store.resourceRow(name, transaction)?.id
        else { return }
        let table = try RecordsTable.load(resource, transaction)
        guard let record = try table.find(key, transaction), record.deletedAt != nil, record.pending == 0 else {
            return
        }
        try ResourcesTable.setForgotten(revision: record.revision, of: resource, transaction)
        try table.remove(record.row, transaction)
    }

    /// Deletes the request and keeps the final state with the key, so that a repeated command gets the same answer.
    private func strip(_ entry: QueueEntry, _ until: Timestamp, _ transaction: borrowing Transaction) throws {
        let digest = try Self.digest(ofEntry: entry.id, transaction)
        try IdempotencyKeysTable.keep(entry.id, until: until, digest: digest, transaction)
        try OutboxRequestsTable.clear(entry.id, transaction)
        try OutboxEditsTable.clear(entry.id, transaction)
        try OutboxEventsTable.deleteOldest(of: entry.id, keeping: 1, transaction)
        try OutboxDependenciesTable.delete(of: entry.id, transaction)
    }
}

/// Digests that compare requests without storing them.
extension EntryPruning {
    static func digest(_ method: String, _ url: String, _ headers: String, _ body: [UInt8]?) -> String {
        // No part holds a NUL, so different requests give different texts.
        let parts = Array("\(method)\0\(url)\0\(headers)\0".utf8)
        return SHA256.hexadecimal(parts + (body == nil ? [0] : [1]) + (body ?? []))
    }

    static func digest(ofEntry entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> String {
        guard let request = try OutboxRequestsTable.load(entry, database) else {
            throw StoreError(.corrupt, "queue entry \(entry) has no request")
        }
        return digest(request.method, request.url, request.headers, request.body)
    }
}
