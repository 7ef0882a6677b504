internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Completes a write that an operator has found at the origin, inside a transaction: its edit stays, and the entries that
/// waited for it continue.
struct ArrivalSettler {
    let transitions: QueueTransitions

    /// - Parameter id: the id that the origin gave to the created record; nil if unknown or not a create.
    /// - Throws: ``QueueRefusal`` if the write is not in doubt, ``StoreError/Kind/invalidWrite`` if the id is not possible for
    ///   the record.
    func settle(_ entry: QueueEntry, id: String?, _ transaction: borrowing Transaction) throws -> QueueEntry {
        guard entry.mayHaveArrived else {
            throw QueueRefusal(
                reason: "it cannot have arrived unseen",
                hint: "'siding queue show \(entry.shortID)' says what it waits for, and what can be done")
        }
        let answer = WriteAnswer(status: 200, contentType: nil, body: try record(entry, id, transaction))
        try EditSettler(transitions: transitions).deliver(entry.id, answer, isListed: true, transaction)
        try transaction.execute("UPDATE siding_outbox SET unknown_since = NULL WHERE id = ?1", entry.id)
        try transitions.settle(
            entry.id, as: .done, event: "found", detail: "a person says that the origin has it", transaction)
        return try QueueSelecting.entry(withPrefix: entry.id, transaction)
    }

    /// The edited record with its real id; empty if `id` is nil.
    private func record(_ entry: QueueEntry, _ id: String?, _ transaction: borrowing Transaction) throws -> [UInt8] {
        guard let id else { return [] }
        guard let edit = try EditRows.edit(of: entry.id, transaction)?.edit, edit.temporaryID != nil,
            let document = edit.document, edit.terms.key.count == 1, let path = edit.terms.keyPaths.first
        else { throw StoreError(.invalidWrite, "\(entry.shortID) creates no record that could be given an id") }
        let isInteger = try keyType(of: entry, transaction).map { $0 == RecordKey.Kind.integer.storedName } ?? false
        let real = isInteger ? try? JSONDocument(Array(id.utf8)) : JSONDocument(string: id)
        guard let real, !isInteger || real.kind == .number, let patch = JSONDocument(nesting: real, at: path) else {
            throw StoreError(.invalidWrite, "'\(PlainText.oneLine(id, limit: 60))' cannot be the id of such a record")
        }
        return Array(JSONMergePatch(patch).applied(to: document).bytes)
    }

    private func keyType(of entry: QueueEntry, _ transaction: borrowing Transaction) throws -> String? {
        try transaction.first("SELECT key_type FROM siding_resources WHERE name = ?1", entry.resource) {
            $0.optionalText(0)
        } ?? nil
    }
}

extension JSONDocument {
    /// An object that holds only `value`, at `path`; nil if the path does not lead through objects only.
    init?(nesting value: JSONDocument, at path: JSONPath) {
        var document = value
        for component in path.components.reversed() {
            guard case .member(let name) = component else { return nil }
            document = JSONDocument(object: [name: document])
        }
        self = document
    }
}
