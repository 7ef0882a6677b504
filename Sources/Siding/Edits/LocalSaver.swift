// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Saves the program's own records inside a transaction.
struct LocalSaver {
    let changes: RecordChanges
    let now: Timestamp

    struct SavedChanges {
        var outcomes: [RecordChangeOutcome]
        var newMemberSets: Set<UInt64>
        var isWritten: Bool
    }

    func save(_ transaction: borrowing Transaction, knownMemberSets: Set<UInt64>) throws -> SavedChanges {
        let table = try table(transaction)
        let outcomes = try save(in: table, transaction)
        let isWritten = outcomes.contains { $0 == .inserted || $0 == .updated }
        if isWritten { try ResourcesTable.raise(revision: table.row.revision + 1, of: table.resource, transaction) }
        let slices = changes.rows.map(\.slice)
        let inference = ColumnInference(
            resource: table.resource, name: changes.resource, schema: try table.row.schema)
        let newMemberSets = try inference.addColumns(
            of: slices, in: changes.bytes, knownMemberSets: knownMemberSets, transaction)
        return SavedChanges(outcomes: outcomes, newMemberSets: newMemberSets, isWritten: isWritten)
    }

    private func table(_ transaction: borrowing Transaction) throws -> RecordsTable {
        if let table = try RecordsTable.load(named: changes.resource, transaction) { return table }
        return RecordsTable(
            row: try ResourceRegistration.insert(
                changes.resource, source: changes.source, changes.definition, transaction))
    }

    private func save(
        in stored: RecordsTable, _ transaction: borrowing Transaction
    ) throws -> [RecordChangeOutcome] {
        var outcomes: [RecordChangeOutcome] = []
        outcomes.reserveCapacity(changes.rows.count)
        try changes.bytes.withUnsafeBytes { page in
            let keys = changes.rows.lazy.compactMap { row in
                if case .key(let key) = row.slice.outcome { key } else { nil }
            }
            // The first record that has a key fixes the type of all.
            let type = stored.keyType ?? keys.first?.kind
            let table = try type.map { try stored.made(for: keys, of: $0, in: page, transaction) } ?? stored
            guard table.layout != nil else {
                outcomes = changes.rows.map { .invalid($0.slice.reason(unlike: type)) }
                return
            }
            var statements = try RecordStatements(
                transaction, table: table, run: Run.none, now: now, revision: table.row.revision + 1)
            // The program's own saves cause no conflicts.
            let incoming = try IncomingChanges.load(
                of: table, run: Run.none, now: now, transitions: nil, transaction)
            for row in changes.rows {
                guard case .key(let key) = row.slice.outcome, key.kind == type else {
                    outcomes.append(.invalid(row.slice.reason(unlike: type)))
                    continue
                }
                let body = UnsafeRawBufferPointer(rebasing: page[row.slice.range])
                let change = try key.withBytes(in: page) { text in
                    try statements.save(
                        key: text, body: body, cause: .local, expecting: row.expectation, through: incoming, transaction
                    )
                }
                // No page showed it yet, so its absence from pages says nothing.
                if change == .inserted || change == .revived, let saved = statements.savedRow {
                    try MissingTable.exempt(saved, of: table.resource, transaction)
                }
                outcomes.append(try outcome(of: change))
            }
        }
        return outcomes
    }

    /// The outcome of one record; an error rolls back the whole batch.
    private func outcome(of change: RecordChange) throws(StoreError) -> RecordChangeOutcome {
        switch change {
        case .inserted, .insertedDeleted, .revived: .inserted
        case .updated, .deleted: .updated
        case .unchanged: .unchanged
        case .stale, .unexpected:
            throw StoreError(
                .outdated, "a record of '\(changes.resource)' changed meanwhile",
                hint: "read the record again, and save it once more")
        }
    }
}

extension RecordSlice {
    /// What is wrong with the record, or with the type of its key.
    fileprivate func reason(unlike type: RecordKey.Kind?) -> String {
        switch outcome {
        case .fault(let fault): fault.reason
        case .key(let key): key.kind.reason(unlike: type)
        }
    }
}
