// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Forgets a resource with all that is stored of it: records, views, history, listings, cursors and quarantine. Nothing is
    /// asked of the origin, and the next sync begins as the first one did.
    ///
    /// - Parameter isRehearsal: forgets nothing.
    /// - Returns: how many records it had, tombstones among them.
    /// - Throws: ``StoreError/Kind/notFound`` for a resource of which nothing is stored, ``StoreError/Kind/leaseLost`` where a
    ///   run is at it, ``StoreError/Kind/invalidWrite`` where writes to it are not completed.
    @discardableResult
    package func forget(resource: String, isRehearsal: Bool = false) async throws(StoreError) -> Int {
        let count = try await read { try Self.countForgettable(Self.records(of: resource, $0), $0) }
        if isRehearsal { return count }
        return try await withLease(ofResource: resource, command: "records forget") { lease throws(StoreError) in
            let forgotten = try await forget(resource, under: lease)
            changeSignal.fire()
            return forgotten
        }
    }

    private func forget(_ name: String, under lease: Lease) async throws(StoreError) -> Int {
        let (me, now) = (try ownerID(), clock.now)
        return try await write { transaction in
            try Self.check(lease, owner: me, transaction)
            let table = try Self.records(of: name, transaction)
            let count = try Self.countForgettable(table, transaction)
            let queue = QueueTransitions(owner: me, now: now)
            for entry in try OutboxTable.openFetches(of: name, transaction) {
                try queue.complete(
                    [entry.id], as: .done, event: .superseded, detail: "the resource was forgotten", transaction)
            }
            try table.drop(transaction)
            try RunsTable.mark(forgotten: name, transaction)
            for child in try ResourcesTable.children(of: name, transaction) {
                try ListingsTable.forgetRevisions(child.id, transaction)
            }
            // No other resource is ever given its number: what runs noted of it is nobody's.
            try ResourcesTable.delete(table.resource, transaction)
            return count
        }
    }

    private static func countForgettable(
        _ table: RecordsTable, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Int {
        let (name, records) = (table.resourceName, try table.count(database))
        let count = try OutboxTable.openWrites(to: name, database)
        guard count > 0 else { return records.living + records.deleted }
        throw StoreError(
            .invalidWrite,
            "\(MessageFormat.count(count, "write")) to '\(name)' \(count == 1 ? "is" : "are") not completed: nothing was "
                + "forgotten", hint: "send them with 'siding queue run', or drop them with 'siding queue drop'")
    }
}
