// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// An edit in a queue entry, to be applied to its record.
struct PendingEdit: Sendable {
    var entry: QueueEntry
    var key: String
    var terms: EditTerms
    var body: JSONDocument?
    var temporaryID: String?
    /// The value that a created record shows as its key if its body has none: first the temporary id, then the real id.
    var identity: JSONDocument?
    /// The server copy when the edit was made; nil if it has not changed since.
    var base: RecordState?

    var document: JSONDocument? { body.map(terms.record) }

    func applied(to state: RecordState) -> RecordState {
        switch terms.change {
        case .create: return RecordState(body: document.map(named))
        case .replace: return RecordState(body: document)
        case .merge:
            // A record that was deleted before any page showed it has no body, or null: there is nothing to merge into.
            guard let body = state.body, body.kind == .object, let document else { return state }
            return RecordState(body: JSONMergePatch(document).applied(to: body))
        case .delete:
            return RecordState(body: state.body, deletedAt: state.body.map { _ in state.deletedAt ?? entry.createdAt })
        }
    }

    /// Adds the key if the body lacks it; only if the key is a single member, at any depth.
    private func named(_ document: JSONDocument) -> JSONDocument {
        guard let identity, terms.keyPaths.count == 1, let path = terms.keyPaths.first else { return document }
        return document.adding(identity, at: path)
    }
}

extension PendingEdit {
    var resource: String { entry.resource ?? "" }

    /// The pending edits of a record, in the order in which they apply.
    static func all(
        of resource: String, _ key: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [PendingEdit] {
        try OutboxTable.pendingEdits(of: resource, key, database).compactMap { try load($0, database) }
    }

    /// The edit of an entry, completed or not; nil if it has none.
    static func load(_ id: String, _ database: borrowing some Queryable & ~Copyable) throws -> PendingEdit? {
        // Most writes that are completed by the thousand edit nothing, and this look is the cheaper one.
        guard try OutboxEditsTable.load(id, database) != nil else { return nil }
        return try OutboxTable.entry(id, database).flatMap { try load($0, database) }
    }

    private static func load(
        _ entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> PendingEdit? {
        guard entry.recordKey != nil, let edit = try OutboxEditsTable.load(entry.id, database), let terms = edit.terms
        else { return nil }
        let body = terms.change == .delete ? nil : try OutboxRequestsTable.load(entry.id, database)?.body
        return PendingEdit(
            entry: entry, key: edit.recordKey, terms: terms, body: try body.map(Store.document),
            temporaryID: edit.temporaryID, identity: edit.temporaryID.map { JSONDocument(string: $0) },
            // Empty bytes mean that there was no record.
            base: try edit.base.map { $0.isEmpty ? .nothing : RecordState(body: try Store.document($0)) })
    }
}

extension PendingEdit {
    /// Stores the request that the server copy came from: the write, or the GET that fetched the record.
    func insertRequest(
        _ answer: WriteAnswer?, _ projection: EditProjection, _ transaction: borrowing Transaction
    ) throws -> Int64 {
        let id = try ResourcesTable.requests(of: projection.resource, transaction) + 1
        let request = RequestRow(
            cause: .write, method: answer?.fetchedFrom == nil ? entry.method : "GET",
            url: answer?.fetchedFrom ?? entry.url, status: answer?.status, etag: answer?.etag, at: projection.now,
            entry: entry.id)
        try ProvenanceTable.insert(request, as: id, of: projection.resource, transaction)
        return id
    }
}

extension EditTerms {
    /// The key of a record, read as for the resource's records; nil if it has none.
    func recordKey(of record: JSONDocument) -> (text: String, kind: RecordKey.Kind)? {
        let page = [UInt8(ascii: "[")] + record.bytes + [UInt8(ascii: "]")]
        return page.withUnsafeBytes { bytes in
            let contents = try? PageReader(records: .root, key: keyPaths).read(bytes)
            guard case .key(let key) = contents?.records.first?.outcome else { return nil }
            return (key.text(in: bytes), key.kind)
        }
    }
}

extension EditTerms {
    /// `record` with the members of the key that `theirs` has and it lacks: a merge patch would remove them.
    func withKey(of theirs: JSONDocument, in record: JSONDocument) -> JSONDocument {
        keyPaths.reduce(record) { record, path in theirs.value(at: path).map { record.adding($0, at: path) } ?? record }
    }
}

extension DroppedMembers {
    func removed(from state: RecordState) throws -> RecordState {
        RecordState(body: try state.body.map(removed), deletedAt: state.deletedAt)
    }
}
