internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Saves the program's own records inside a transaction.
struct LocalSaver {
    /// No run wrote them.
    static let run: RunID = 0

    let changes: RecordChanges
    let now: Timestamp

    struct Saved {
        var outcomes: [RecordChangeOutcome]
        var newShapes: Set<UInt64>
        var isWritten: Bool
    }

    func save(_ transaction: borrowing Transaction, knownShapes: Set<UInt64>) throws -> Saved {
        let resource = try resourceRow(transaction)
        let statements = try RecordStatements(
            transaction, resource: resource.id, run: Self.run, now: now, revision: resource.revision + 1,
            text: TextIndex.load(of: resource.id, transaction), pull: pull(resource, transaction))
        let outcomes = try rows(statements, resource, transaction)
        let isWritten = outcomes.contains { $0 == .inserted || $0 == .updated }
        if isWritten { try Revisions.set(resource.revision + 1, of: resource.id, transaction) }
        let slices = changes.rows.map(\.slice)
        let newShapes = try ColumnInference(resource: resource.id, name: changes.resource, shape: resource.shape)
            .addColumns(of: slices, in: changes.bytes, knownShapes: knownShapes, transaction)
        return Saved(outcomes: outcomes, newShapes: newShapes, isWritten: isWritten)
    }

    private func resourceRow(_ transaction: borrowing Transaction) throws -> ResourceRow {
        if let row = try ResourceRow.load(named: changes.resource, transaction) { return row }
        let id = try ResourceRegistration.insert(
            changes.resource, source: changes.source, changes.definition, now: now, transaction)
        return ResourceRow(id: id, keyType: nil, revision: 0, shape: RecordShape(), wasCompleted: false)
    }

    /// What the program itself writes is no news from the origin: no edit is in conflict with it.
    private func pull(_ resource: ResourceRow, _ transaction: borrowing Transaction) throws -> RecordPull? {
        guard try EditProjection.isNeeded(for: resource.id, transaction) else { return nil }
        let overlay = EditProjection(
            resource: resource.id, name: changes.resource, now: now, revision: resource.revision + 1)
        return RecordPull(overlay: overlay, run: Self.run, transitions: nil)
    }

    private func rows(
        _ statements: consuming RecordStatements, _ resource: ResourceRow, _ transaction: borrowing Transaction
    ) throws -> [RecordChangeOutcome] {
        var type = resource.keyType
        var outcomes: [RecordChangeOutcome] = []
        outcomes.reserveCapacity(changes.rows.count)
        try changes.bytes.withUnsafeBytes { page in
            for row in changes.rows {
                guard case .key(let key) = row.slice.outcome else {
                    outcomes.append(.invalid(row.slice.reason))
                    continue
                }
                if type == nil { type = try RecordSaver.fixKeyType(key.kind, of: resource.id, transaction) }
                guard key.kind == type else {
                    outcomes.append(.invalid(RecordSaver.wrongKeyType(key.kind, type)))
                    continue
                }
                let body = UnsafeRawBufferPointer(rebasing: page[row.slice.range])
                let change = try key.withBytes(in: page) { text in
                    try statements.save(key: text, body: body, expecting: row.expectation, transaction)
                }
                outcomes.append(try outcome(of: change))
            }
        }
        return outcomes
    }

    /// Throwing undoes the whole batch.
    private func outcome(of change: RecordChange) throws(StoreError) -> RecordChangeOutcome {
        switch change {
        case .inserted, .insertedDead, .revived: .inserted
        case .updated, .deleted: .updated
        case .unchanged: .unchanged
        case .unexpected: throw StoreError(.outdated, "a record of '\(changes.resource)' changed meanwhile")
        }
    }
}

extension RecordSlice {
    /// What is wrong with the record; empty where nothing is.
    fileprivate var reason: String {
        guard case .fault(let fault) = outcome else { return "" }
        return fault.reason
    }
}

/// The counters by which watchers see what was written.
enum Revisions {
    /// They never go back, whoever of one transaction writes last.
    static func set(_ revision: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET revision = MAX(revision, ?2) WHERE id = ?1", resource, revision)
    }
}
