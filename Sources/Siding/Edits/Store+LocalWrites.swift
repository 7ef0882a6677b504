// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Writes all rows in one transaction, as run 0.
    ///
    /// - Returns: an outcome per row, in order; nil if an expectation did not hold and nothing was written.
    package func apply(_ changes: RecordChanges) async throws(StoreError) -> [RecordChangeOutcome]? {
        let now = clock.now
        let known = memberSets.known(of: changes.resource)
        let saved: LocalSaver.SavedChanges
        do throws(StoreError) {
            saved = try await write { transaction in
                try LocalSaver(changes: changes, now: now).save(transaction, knownMemberSets: known)
            }
        } catch {
            guard error.kind == .outdated else { throw error }
            return nil
        }
        memberSets.add(saved.newMemberSets, to: changes.resource)
        if saved.isWritten { changeSignal.fire() }
        return saved.outcomes
    }

    /// Deletes the selected records, which become tombstones.
    ///
    /// - Returns: the number of deleted records.
    package func delete(_ selection: RecordSelection) async throws(StoreError) -> Int {
        try await delete(from: selection.resource) { table, transaction in
            let statement = try SelectionCompiler(selection, of: table).statement(selecting: "rowid")
            return try transaction.query(statement) { $0.int(0) }
        }
    }

    /// Deletes the records with these keys, which become tombstones; ignores keys without a live record.
    ///
    /// - Returns: the number of deleted records.
    package func delete(_ lookup: RecordLookup) async throws(StoreError) -> Int {
        try await delete(from: lookup.resource) { table, transaction in
            var ids: [Int64] = []
            for key in Set(lookup.keys.map { Array($0.utf8) }) {
                let row = try table.row(of: String(decoding: key, as: UTF8.self), isLive: true, transaction)
                if let row { ids.append(row) }
            }
            return ids
        }
    }

    /// Deletes the records that `find` returns and removes them from the text index.
    private func delete(
        from resource: String, _ find: @Sendable (RecordsTable, borrowing Transaction) throws -> [Int64]
    ) async throws(StoreError) -> Int {
        let now = clock.now
        let count = try await write(resource) { table, transaction -> Int? in
            let (id, revision) = (table.resource, table.row.revision + 1)
            let rows = try find(table, transaction)
            guard !rows.isEmpty else { return nil }
            var text = try TextIndex.load(of: id, transaction).map { try TextStatements($0, transaction) }
            var projection =
                try ServerCopiesTable.hasAny(of: id, transaction) ? try EditProjection(table, now: now) : nil
            for row in rows {
                if try projection?.deleteBase(of: row, transaction) == true { continue }
                try text?.remove(row)
                try table.markDeleted([row], cause: .local, run: Run.none, now: now, revision: revision, transaction)
                try MissingTable.remove(row, of: id, transaction)
            }
            try ResourcesTable.raise(revision: revision, of: id, transaction)
            return rows.count
        }
        if count != nil { changeSignal.fire() }
        return count ?? 0
    }

}

extension EditProjection {
    /// Deletes the server copy of a record with pending edits; the edits still apply on top.
    ///
    /// - Returns: whether the record in `row` has pending edits.
    fileprivate mutating func deleteBase(of row: Int64, _ transaction: borrowing Transaction) throws -> Bool {
        let key = try table.keyOfEdited(row, transaction)
        guard let key, let base = try ServerCopiesTable.load(resource, key, transaction) else { return false }
        let gone = RecordState(
            body: base.state.body, deletedAt: base.state.body.map { _ in base.state.deletedAt ?? now })
        try setBase(
            of: key, to: ServerCopy(state: gone, cause: gone.body == nil ? base.cause : .local, request: base.request),
            transaction)
        try rebuild(key, run: Run.none, transaction)
        return true
    }
}
