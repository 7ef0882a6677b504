// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Applies the edit of a new write to its record, inside the accepting transaction.
struct EditEnqueuer {
    let write: WriteRequest
    let edit: WriteEdit
    let transitions: QueueTransitions

    /// The key of the edited record; a temporary id if it has none yet.
    static func key(of edit: WriteEdit, entry id: String) -> String { edit.key ?? TemporaryID.prefix + id }

    /// Whether the origin will assign the record's key.
    private var isTemporary: Bool { edit.change == .create && (edit.key.map(TemporaryID.matches) ?? true) }

    /// Checks that the edit can be applied.
    ///
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the key is missing or taken, or the body is not a valid record.
    func check(_ transaction: borrowing Transaction) throws {
        guard edit.key != nil || edit.change == .create else {
            throw StoreError(.invalidWrite, "a write that changes a record of '\(edit.resource)' needs its key")
        }
        if edit.change != .delete { try Self.check(write.body ?? [], of: edit.resource, at: edit.record) }
        guard isTemporary, let key = edit.key else { return }
        if try OutboxEditsTable.isTaken(temporaryID: key, transaction) {
            throw StoreError(
                .invalidWrite, "the temporary id \(key) belongs to another record",
                hint: "take another one, or none: one is made then")
        }
    }

    /// Checks the body of an edit.
    ///
    /// - Parameter path: where the body holds the record; nil if the body is the record.
    /// - Throws: ``StoreError/Kind/invalidWrite`` if `body`, or the record in it, is not an object.
    static func check(_ body: [UInt8], of resource: String, at path: JSONPath? = nil) throws(StoreError) {
        let name = "the body of a write to '\(resource)'"
        let document: JSONDocument
        do { document = try JSONDocument(body) } catch {
            throw StoreError(.invalidWrite, "\(name) is not JSON: \(error)")
        }
        guard document.kind == .object else {
            throw StoreError(.invalidWrite, "\(name) is \(document.kind); a record is an object")
        }
        if let path, let record = document.value(at: path), record.kind != .object {
            throw StoreError(.invalidWrite, "\(name) has \(record.kind) at \(path); a record is an object")
        }
    }

    func apply(to id: String, _ transaction: borrowing Transaction) throws {
        try register(transaction)
        // Before the row is read, which says that the column is there.
        try ResourceView.addPendingColumn(to: edit.resource, transaction)
        let key = Self.key(of: edit, entry: id)
        guard var projection = try EditProjection.load(edit.resource, now: transitions.now, transaction) else { return }
        try ServerCopiesTable.insertIfMissing(key, in: projection.table, transaction)
        try OutboxEditsTable.insert(
            EditTerms(edit, isNamed: write.key != nil), of: key, isTemporary: isTemporary, entry: id, transaction)
        try addColumns(projection, transaction)
        try projection.rebuild(key, transaction)
    }

    private func register(_ transaction: borrowing Transaction) throws {
        guard try ResourcesTable.id(of: edit.resource, transaction) == nil else { return }
        let row = try ResourceRegistration.insert(
            edit.resource, source: write.source, edit.definition, transaction)
        // Dropped members must be known before the first record is stored.
        try DeclaredSchema(row: row).apply(edit.schema, now: transitions.now, transaction)
    }

    /// Adds view columns for the members of the write's record.
    func addColumns(_ transaction: borrowing Transaction) throws {
        guard let projection = try EditProjection.load(edit.resource, now: transitions.now, transaction) else { return }
        try addColumns(projection, transaction)
    }

    private func addColumns(_ projection: EditProjection, _ transaction: borrowing Transaction) throws {
        guard edit.change != .delete, let body = write.body else { return }
        let record = EditTerms.record(in: try Store.document(body), at: edit.record)
        let shown = try projection.dropped.removed(from: record)
        try ColumnInference(resource: projection.resource, name: projection.name).addColumns(of: shown, transaction)
    }
}
