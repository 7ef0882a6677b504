// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Carries out an operator's decision on a conflict between a write and the server copy, inside a transaction.
struct ConflictResolver {
    let actions: OperatorActions

    private var transitions: QueueTransitions { actions.transitions }

    func resolve(
        _ entry: QueueEntry, as resolution: ConflictResolution, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try actions.checkIsChangeable(entry)
        if case .arrived = resolution {} else { try checkIsConflict(entry, transaction) }
        switch resolution {
        case .mine: return try sendMine(entry, transaction)
        case .theirs: return try acceptTheirs(entry, transaction)
        case .merge(let body): return try send(body, of: entry, transaction)
        case .arrived(let id): return try complete(entry, id: id, transaction)
        }
    }

    /// Requires a conflict. Without one, a new key could deliver a write twice, and a drop would lose an undisputed edit.
    private func checkIsConflict(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        if entry.state == .parked, entry.reason == .conflict { return }
        if !entry.mayHaveArrived, try EditSides(of: entry, transaction)?.disagreement != nil {
            return
        }
        throw QueueRefusal(
            reason: "it is not in a conflict",
            hint: "'siding queue show \(entry.shortID)' says what it waits for, and what to do")
    }

    private func sendMine(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try ConflictWatch.rekey(entry.id, transaction)
        try OutboxRequestsTable.clearError(of: entry.id, transaction)
        if let fields = try fieldsForNow(entry, transaction),
            var request = try OutboxRequestsTable.load(entry.id, transaction)
        {
            request.headers = try HeaderFieldsText.json(fields)
            try OutboxRequestsTable.update(request, of: entry.id, transaction)
        }
        try transitions.requeue([entry], because: .resolved, transaction)
        return try OutboxTable.entry(withPrefix: entry.id, transaction)
    }

    private func acceptTheirs(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try transitions.completeWrites(
            [entry.id], as: .dropped, event: .resolved, detail: "for the origin", transaction)
        return try OutboxTable.entry(withPrefix: entry.id, transaction)
    }

    private func send(
        _ body: [UInt8], of entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let fields = try fieldsForNow(entry, transaction)
        let change = WriteChange(body: try request(for: body, entry, transaction), headerFields: fields, releases: true)
        try WriteSafety.check(change)
        let replacer = WriteReplacer(actions: actions)
        let references = try replacer.request(replacing: entry, with: change, transaction)
        return try replacer.replace(
            [entry], with: change, naming: [entry.id: references], isResolved: true, transaction
        ).first ?? entry
    }

    /// The body that turns the server copy into the wanted record.
    private func request(
        for body: [UInt8], _ entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> [UInt8] {
        guard let sides = try EditSides(of: entry, transaction) else { return body }
        switch sides.edit.terms.change {
        case .create, .replace:
            guard sides.edit.terms.recordPath != nil, let record = try? JSONDocument(body) else { return body }
            return Array(sides.edit.terms.body(sides.edit.body, carrying: record).bytes)
        case .delete:
            throw StoreError(
                .invalidWrite, "\(entry.shortID) deletes its record, so there is nothing to merge",
                hint: "resolve it with --mine or --theirs")
        case .merge: return try patch(to: body, from: sides.theirs.living, sides.edit)
        }
    }

    private func patch(to body: [UInt8], from theirs: JSONDocument?, _ edit: PendingEdit) throws -> [UInt8] {
        try EditEnqueuer.check(body, of: edit.entry.resource ?? "")
        guard let theirs else {
            throw StoreError(
                .invalidWrite, "the origin no longer has the record that \(edit.entry.shortID) changes",
                hint: "drop it, and send a new write that creates the record")
        }
        do {
            let wanted = edit.terms.withKey(of: theirs, in: try JSONDocument(body))
            let patch = try JSONMergePatch.difference(from: theirs, to: wanted).document
            return Array(edit.terms.body(edit.body, carrying: patch).bytes)
        } catch {
            throw StoreError(.invalidWrite, "\(error)")
        }
    }

    /// The header fields with the write's `If-Match` (RFC 9110 §13.1.1) set to the present ETag; nil if it has none.
    private func fieldsForNow(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> HTTPFields? {
        guard var fields = try OutboxRequestsTable.load(entry.id, transaction)?.headerFields(),
            fields[.ifMatch] != nil
        else { return nil }
        let path = try OutboxEditsTable.load(entry.id, transaction)?.terms?.etagPath
        fields[.ifMatch] = try ServerCopiesTable.etag(of: entry.recordKey, in: entry.resource, at: path, transaction)
        return fields
    }

    /// Completes a write that an operator has found at the origin: its edit stays, and the entries that waited for it
    /// continue.
    ///
    /// - Parameter id: the id that the origin gave to the created record; nil if unknown or not a create.
    /// - Throws: ``QueueRefusal`` if the write is not in doubt, ``StoreError/Kind/invalidWrite`` if the id is not possible for
    ///   the record.
    private func complete(_ entry: QueueEntry, id: String?, _ transaction: borrowing Transaction) throws -> QueueEntry {
        guard entry.mayHaveArrived else {
            throw QueueRefusal(
                reason: "it is not uncertain whether it arrived",
                hint: "'siding queue show \(entry.shortID)' says what it waits for, and what to do")
        }
        let answer = WriteAnswer(status: 200, contentType: nil, body: try record(entry, id, transaction))
        try EditDelivery(transitions: transitions).deliver(entry.id, answer, isListed: true, transaction)
        try OutboxRequestsTable.clearAnswer(of: entry.id, transaction)
        try transitions.completeWrites(
            [entry.id], as: .done, event: .found, detail: "an operator says that the origin has it", transaction)
        return try OutboxTable.entry(withPrefix: entry.id, transaction)
    }

    /// The record as a page has brought it, else the edited one with its real id; empty if `id` is nil.
    private func record(_ entry: QueueEntry, _ id: String?, _ transaction: borrowing Transaction) throws -> [UInt8] {
        guard let id else { return [] }
        guard let edit = try PendingEdit.load(entry.id, transaction), edit.temporaryID != nil,
            let document = edit.document, edit.terms.keyPaths.count == 1, let path = edit.terms.keyPaths.first
        else { throw StoreError(.invalidWrite, "\(entry.shortID) does not create a record, so it takes no id") }
        let table = try RecordsTable.load(named: entry.resource, transaction)
        let isInteger = table?.keyType == .integer
        let real = isInteger ? try? JSONDocument(Array(id.utf8)) : JSONDocument(string: id)
        guard let real, !isInteger || real.kind == .number, let patch = JSONDocument(nesting: real, at: path) else {
            throw StoreError(.invalidWrite, "'\(PlainText.oneLine(id, limit: 60))' cannot be the id of such a record")
        }
        // Without a usable id the write would be completed, and what waits for the record parked.
        _ = try TemporaryRewriting(from: edit.temporaryID ?? "", to: real)
        if let table {
            if let copy = try ServerCopiesTable.load(table.resource, id, transaction) {
                if let body = copy.state.living { return Array(body.bytes) }
            } else if let stored = try table.find(id, transaction), stored.deletedAt == nil {
                return stored.body
            }
        }
        return Array(JSONMergePatch(patch).applied(to: document).bytes)
    }
}
