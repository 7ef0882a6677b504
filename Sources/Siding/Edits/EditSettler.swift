internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Takes an origin's answer to an edit into its record, inside the settling transaction and before the entry is settled.
struct EditSettler {
    let transitions: QueueTransitions

    /// The origin acted: what it answered lies below the edits that are left, or, where it answered no record, what the
    /// edit made of the one that was there.
    ///
    /// - Parameter isListed: whether the answer holds the record as listings do, rather than as a create is answered.
    func deliver(
        _ id: String, _ answer: WriteAnswer, isListed: Bool = false, _ transaction: borrowing Transaction
    ) throws {
        guard let settled = try EditRows.edit(of: id, transaction),
            let overlay = try EditProjection.load(settled.resource, now: transitions.now, transaction)
        else { return }
        var edit = settled.edit
        // Listings have whole records, whatever writes are answered with.
        if isListed { edit.terms.answersPart = nil }
        guard edit.temporaryID == nil else {
            return try name(edit, answer, isListed: isListed, overlay, transaction)
        }
        try takeIn(answer, to: edit, settled.key, overlay, transaction)
    }

    /// Gives a created record its real id first. An answer that does not say it leaves nothing that could show: a pull
    /// brings the record.
    private func name(
        _ edit: PendingEdit, _ answer: WriteAnswer, isListed: Bool, _ overlay: EditProjection,
        _ transaction: borrowing Transaction
    ) throws {
        let document = try? JSONDocument(answer.body)
        let keyPath = edit.terms.key.count == 1 ? edit.terms.keyPaths.first : nil
        let record = document.map(edit.terms.record)
        let byKey = keyPath.flatMap { path in
            (isListed ? document?.value(at: path) : nil) ?? record?.value(at: path)
        }
        let byID = edit.terms.idPath.flatMap { document?.value(at: $0) }
        let real = isListed ? (keyPath == nil ? byID : byKey) : (edit.terms.idPath == nil ? byKey : byID)
        let settler = TemporarySettler(
            transitions: transitions, overlay: overlay, entry: edit.entry, temporary: edit.temporaryID ?? "",
            composite: edit.terms.key.count > 1 ? record.flatMap(edit.terms.recordKey)?.text : nil)
        guard let key = try settler.settle(real, transaction) else { return }
        var named = edit
        named.identity = real
        try takeIn(answer, to: named, key, overlay, transaction)
    }

    private func takeIn(
        _ answer: WriteAnswer, to edit: PendingEdit, _ key: String, _ overlay: EditProjection,
        _ transaction: borrowing Transaction
    ) throws {
        let base = try ServerCopy.load(overlay.resource, key, transaction)?.state ?? .nothing
        let request = try RequestRow.insert(answer, to: edit, overlay, transaction)
        guard edit.terms.change != .delete else {
            let gone = RecordState(body: base.body, deletedAt: base.body.map { _ in transitions.now })
            try forgetValidators(of: key, base, gone, overlay, transaction)
            return try overlay.moveBase(of: key, gone, etag: nil, request: request, transaction)
        }
        let record = try Self.record(in: answer, edit, key: key, overlay, transaction)
        if let record {
            try ColumnInference(resource: overlay.resource, name: overlay.name).addColumns(of: record, transaction)
        }
        // The edit itself, which counts where the answer does not say it all, may have what is not stored.
        let state = try DroppedMembers.of(overlay.resource, transaction)
            .removed(from: Self.state(saying: record, over: edit.applied(to: base), edit.terms))
        try forgetValidators(of: key, base, state, overlay, transaction)
        // A validator is kept for the very bytes that it came with.
        let isWhole = record != nil && edit.terms.answersPart != true
        try overlay.moveBase(
            of: key, state, etag: isWhole ? answer.etag : nil, request: request, transaction)
    }

    /// What the origin has, by an answer that says all of it, some members, or nothing. Some members are no record where
    /// there is none that they could be laid over.
    static func state(saying record: JSONDocument?, over known: RecordState, _ terms: EditTerms) -> RecordState {
        guard let record else { return known }
        guard terms.answersPart == true else { return RecordState(body: record) }
        return known.living.map { RecordState(body: JSONMergePatch(record).applied(to: $0)) } ?? known
    }

    /// No page has shown the record as it is now; and what no listing has shown at all, no page can confirm.
    private func forgetValidators(
        of key: String, _ base: RecordState, _ now: RecordState, _ overlay: EditProjection,
        _ transaction: borrowing Transaction
    ) throws {
        guard base.body != nil, base != now else { return }
        try PageValidators(resource: overlay.resource).forget(showing: key, transaction)
    }

    /// The record in an answer, wrapped as the edit says or not: an object whose key is `key`, of the type that the
    /// resource's keys have.
    static func record(
        in answer: WriteAnswer, _ edit: PendingEdit, key: String, _ overlay: EditProjection,
        _ transaction: borrowing Transaction
    ) throws -> JSONDocument? {
        guard let document = try? JSONDocument(answer.body) else { return nil }
        for record in [edit.terms.record(in: document), document] where record.kind == .object {
            guard let found = edit.terms.recordKey(of: record), found.text == key else { continue }
            guard try fits(found.kind, overlay, transaction) else { return nil }
            return try DroppedMembers.of(overlay.resource, transaction).removed(from: record)
        }
        return nil
    }

    /// The first record that has a key fixes the type of all.
    static func fits(
        _ kind: RecordKey.Kind, _ overlay: EditProjection, _ transaction: borrowing Transaction
    ) throws -> Bool {
        let type = try transaction.first("SELECT key_type FROM siding_resources WHERE id = ?1", overlay.resource) {
            $0.optionalText(0)
        }
        if let stored = type ?? nil { return stored == kind.storedName }
        _ = try RecordsTable.load(overlay.resource, transaction).fixKeyType(kind, transaction)
        return true
    }
}
