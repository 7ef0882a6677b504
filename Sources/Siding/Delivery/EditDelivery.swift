// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Applies an origin's answer to the record of an edit. Works inside the recording transaction, before the entry is completed.
struct EditDelivery {
    let transitions: QueueTransitions

    /// Stores the answered record as the server copy; if the answer has none, the record as edited.
    ///
    /// - Parameter isListed: whether the answer holds the record in the form of listings, not of an answer to a create.
    func deliver(
        _ id: String, _ answer: WriteAnswer, isListed: Bool = false, _ transaction: borrowing Transaction
    ) throws {
        guard var edit = try PendingEdit.load(id, transaction),
            var projection = try EditProjection.load(edit.resource, now: transitions.now, transaction)
        else { return }
        // Listings have whole records, whatever the answers to writes contain.
        if isListed { edit.terms.answersPart = false }
        guard edit.temporaryID == nil else {
            return try name(edit, answer, isListed: isListed, &projection, transaction)
        }
        try save(answer, to: edit, edit.key, &projection, transaction)
    }

    /// Gives a created record its real id first. If the answer lacks the id, the record stays as it was sent, under its temporary
    /// id, until a listing brings it (``UnnamedCreates``).
    private func name(
        _ edit: PendingEdit, _ answer: WriteAnswer, isListed: Bool, _ projection: inout EditProjection,
        _ transaction: borrowing Transaction
    ) throws {
        let document = edit.terms.isAboutJob(answer) ? nil : try? JSONDocument(answer.body)
        let keyPath = edit.terms.keyPaths.count == 1 ? edit.terms.keyPaths.first : nil
        let record = document.map(edit.terms.record)
        let byKey = keyPath.flatMap { path in
            (isListed ? document?.value(at: path) : nil) ?? record?.value(at: path)
        }
        let byID = edit.terms.idPath.flatMap { document?.value(at: $0) }
        let said = isListed ? (keyPath == nil ? byID : byKey) : (edit.terms.idPath == nil ? byKey : byID)
        // An empty id, or one that is none, is no reason to pass over the place that the origin names.
        let real =
            try said.flatMap { (try? TemporaryRewriting(from: "", to: $0)) == nil ? nil : $0 }
            ?? (keyPath == nil ? nil : placed(answer, &projection, transaction))
            ?? (isListed ? nil : document.flatMap { edit.terms.wrappedID(in: $0, projection.table.keyType) })
        var naming = TemporaryNaming(
            transitions: transitions, projection: projection, entry: edit.entry, temporary: edit.temporaryID ?? "",
            composite: edit.terms.keyPaths.count > 1 ? record.flatMap(edit.terms.recordKey)?.text : nil)
        guard let key = try naming.name(real, transaction) else {
            return try save(answer, to: edit, edit.key, &projection, transaction)
        }
        var named = edit
        named.identity = real
        try save(answer, to: named, key, &projection, transaction)
    }

    /// The id in the place that the answer names. That of an accepted request may be the place of a job, so it is none if there is
    /// another record of that id.
    private func placed(
        _ answer: WriteAnswer, _ projection: inout EditProjection, _ transaction: borrowing Transaction
    ) throws -> JSONDocument? {
        guard let created = answer.createdID, let id = id(saying: created, projection.table.keyType) else { return nil }
        return try answer.status == 202 && projection.table.row(of: created, transaction) != nil ? nil : id
    }

    /// The id in the form that the resource's keys have; nil where that is not known yet: a wrong one would keep out all records.
    private func id(saying text: String, _ kind: RecordKey.Kind?) -> JSONDocument? {
        switch kind {
        case .string: JSONDocument(string: text)
        // `007` is another place than `7`.
        case .integer: Int64(text).flatMap { "\($0)" == text ? try? Store.document(Array(text.utf8)) : nil }
        case .composite, nil: nil
        }
    }

    private func save(
        _ answer: WriteAnswer, to edit: PendingEdit, _ key: String, _ projection: inout EditProjection,
        _ transaction: borrowing Transaction
    ) throws {
        let old = try ServerCopiesTable.load(projection.resource, key, transaction)
        let base = old?.state ?? .nothing
        let request = try edit.insertRequest(answer, projection, transaction)
        guard edit.terms.change != .delete else {
            // A record that no page has shown leaves a tombstone too, so that no page that was requested before brings it.
            let gone = RecordState(body: base.body ?? .null, deletedAt: transitions.now)
            return try replace(
                old, of: key, by: ServerCopy(state: gone, cause: .write, request: request), edit, projection,
                transaction)
        }
        if let old, isDeletedSince(old, edit) {
            return try replace(old, of: key, by: old, edit, projection, transaction)
        }
        let record = try Self.record(in: answer, edit, key: key, &projection, transaction)
        if let record {
            try ColumnInference(resource: projection.resource, name: projection.name).addColumns(
                of: record, transaction)
        }
        // If the answer is incomplete the edit fills in the rest; it may contain members that are not stored.
        let edited = try projection.dropped.removed(from: edit.applied(to: base))
        let isPart = record.map { edit.terms.isPart($0, of: edited, before: base) } ?? true
        let state = Self.state(saying: record, isPart: isPart, over: edited)
        // An ETag is that of the record after the write (RFC 9110 §8.8.3). It is kept unless the config says that the answer has a
        // part. Without a record, in an answer to a PUT, it says that the record was stored as it was sent (§9.3.4).
        let isSent = record == nil && edit.terms.change == .replace && edit.entry.method == "PUT"
        let isWhole = isSent || (record != nil && edit.terms.answersPart != true)
        // The ETag in the record as edited is that of before.
        let isOld = edit.terms.etagPath.map { record?.value(at: $0) == nil } ?? false
        let etag = (isWhole ? answer.etag : nil) ?? (isOld ? ServerCopy.noETag : nil)
        try replace(
            old, of: key, by: ServerCopy(state: state, etag: etag, cause: .write, request: request), edit, projection,
            transaction)
    }

    /// Whether an own write has deleted a created record before its creation was known to have arrived: what a late answer says
    /// of it is how it was. An id that the origin gives again is that of another record, which was sent after the deletion.
    private func isDeletedSince(_ copy: ServerCopy, _ edit: PendingEdit) -> Bool {
        guard edit.temporaryID != nil, copy.cause == .write, let sent = edit.entry.firstSentAt else { return false }
        return copy.state.deletedAt.map { $0 >= sent } ?? false
    }

    /// The server copy after an answer with the whole record, some members, or none. Some members alone make no record if
    /// there is none to merge them into.
    ///
    /// - Parameter known: the record that some members are merged into.
    static func state(saying record: JSONDocument?, isPart: Bool, over known: RecordState) -> RecordState {
        guard let record else { return known }
        guard isPart else { return RecordState(body: record) }
        return known.living.map { RecordState(body: JSONMergePatch(record).applied(to: $0)) } ?? known
    }

    /// Stores the copy that an own write made, and forgets the validators of pages that showed the record before: only a page
    /// with the record tells its present state and ETag. Records without a server copy were in no listing.
    private func replace(
        _ old: ServerCopy?, of key: String, by copy: ServerCopy, _ edit: PendingEdit, _ projection: EditProjection,
        _ transaction: borrowing Transaction
    ) throws {
        if let old, old.state.body != nil, old.state != copy.state || old.etag != copy.etag {
            try PageValidators.forget(showing: key, in: projection.table, transaction)
        }
        try projection.moveBase(of: key, to: copy, transaction)
        // A replica that lags may show it once more. A page may have shown already what an unanswered try had done.
        let replaced = old?.state == copy.state ? edit.base?.living : old?.state.living
        if let replaced {
            try OutboxEditsTable.setBase(Array(replaced.bytes), ofEntry: edit.entry.id, transaction)
        }
    }

    /// The record in an answer, at the edit's ``WriteEdit/record`` path or at the root: an object with the key `key`, of the
    /// type that the resource's keys have. The first record fixes that type, by which the projection then finds keys.
    static func record(
        in answer: WriteAnswer, _ edit: PendingEdit, key: String, _ projection: inout EditProjection,
        _ transaction: borrowing Transaction
    ) throws -> JSONDocument? {
        guard !edit.terms.isAboutJob(answer), let document = try? JSONDocument(answer.body),
            let record = edit.terms.record(in: document, key: key),
            let kind = edit.terms.recordKey(of: record)?.kind
        else { return nil }
        if projection.table.keyType == nil { projection.table = try projection.table.fixKeyType(kind, transaction) }
        guard kind == projection.table.keyType else { return nil }
        return try projection.dropped.removed(from: record)
    }
}

extension EditTerms {
    /// Whether an answer has only some members of the record. Many origins answer a create with its id alone, and a change with the
    /// members that changed.
    ///
    /// What a write says only to the origin, such as a password or a command, is no member that an answer lacks. So a change is compared
    /// with the members that it left, and a create has to lack all of the draft.
    func isPart(_ record: JSONDocument, of known: RecordState, before base: RecordState) -> Bool {
        if let answersPart { return answersPart }
        guard let edited = known.living.flatMap(names), let answered = names(of: record) else { return false }
        guard let former = base.living.flatMap(names) else {
            let draft = edited.filter { name in !keyPaths.contains { $0.components.first == .member(name) } }
            return !draft.isEmpty && answered.isDisjoint(with: draft)
        }
        return !former.intersection(edited).isSubset(of: answered)
    }

    private func names(of record: JSONDocument) -> Set<String>? { (record.members?.map(\.name)).map(Set.init) }

    /// Whether the body of an answer is about the work that was accepted, not about the record: 202, where nothing says where the
    /// record is (RFC 9110 §15.3.3). Then `Location` alone names a created record.
    fileprivate func isAboutJob(_ answer: WriteAnswer) -> Bool {
        answer.status == 202 && recordPath == nil && idPath == nil
    }

    /// The id of a created record in an answer such as `{"data": {"id": 7}}`, where nothing says how the answer wraps it. Only the id is
    /// believed, as such an answer often has no more of the record.
    ///
    /// An answer with another member beside it, or with another name, may be about something else: a job, a user, an error. So may
    /// one whose id is of another type than the keys of the resource.
    fileprivate func wrappedID(in document: JSONDocument, _ kind: RecordKey.Kind?) -> JSONDocument? {
        guard recordPath == nil, idPath == nil, keyPaths.count == 1,
            let members = document.members, members.count == 1, WriteAnswer.wrappers.contains(members[0].name),
            let found = recordKey(of: members[0].value)?.kind, kind == nil || kind == found
        else { return nil }
        return members[0].value.value(at: keyPaths[0])
    }
}
