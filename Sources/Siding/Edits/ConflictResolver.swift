internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Carries out an operator's decision on a conflict between a write and the server copy, inside a transaction.
struct ConflictResolver {
    let hand: OperatorActions

    private var transitions: QueueTransitions { hand.transitions }

    /// Resolves a conflict, or completes a write that arrived.
    ///
    /// - Returns: the entry afterwards; for a merge the new one.
    func resolve(
        _ entry: QueueEntry, as resolution: ConflictResolution, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try hand.checkIsChangeable(entry, transaction)
        if case .arrived(let id) = resolution {
            return try ArrivalSettler(transitions: transitions).settle(entry, id: id, transaction)
        }
        try checkIsConflict(entry, transaction)
        switch resolution {
        case .mine: return try sendMine(entry, transaction)
        case .theirs, .arrived: return try takeTheirs(entry, transaction)
        case .merge(let body): return try send(body, of: entry, transaction)
        }
    }

    /// Requires a conflict. Without one, a new key could deliver a write twice, and a drop would lose an undisputed edit.
    private func checkIsConflict(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        if entry.state == .parked, entry.reason == .conflict { return }
        if try !hand.mayHaveArrived(entry, transaction), try Self.sides(of: entry, transaction)?.disagreement != nil {
            return
        }
        throw QueueRefusal(
            reason: "it is in no conflict that could be resolved",
            hint: "'siding queue show \(entry.shortID)' says what it waits for, and what can be done")
    }

    /// The three sides of a pending edit; nil if the entry is not one.
    static func report(
        on prefix: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ConflictReport? {
        try sides(of: QueueSelecting.entry(withPrefix: prefix, database), database).map { ConflictReport($0) }
    }

    private static func sides(
        of entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> EditSides? {
        guard let resource = entry.resource, let key = entry.recordKey,
            let row = try Store.resourceRow(resource, database)
        else { return nil }
        return try EditRows.sides(of: entry.id, on: key, in: row.id, named: resource, database)
    }

    private func sendMine(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try ConflictWatch.rekey(entry.id, transaction)
        if let fields = try fieldsForNow(entry, transaction) {
            try transaction.execute(
                "UPDATE siding_outbox SET headers = ?2 WHERE id = ?1", entry.id, WriteRows.json(fields))
        }
        _ = try transitions.requeue(entry, because: .resolved, transaction)
        return try QueueSelecting.entry(withPrefix: entry.id, transaction)
    }

    private func takeTheirs(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try transitions.settle(entry.id, as: .dropped, event: "resolved", detail: "for the origin", transaction)
        return try QueueSelecting.entry(withPrefix: entry.id, transaction)
    }

    private func send(
        _ body: [UInt8], of entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let fields = try fieldsForNow(entry, transaction)
        let change = WriteChange(body: try request(for: body, entry, transaction), headerFields: fields, releases: true)
        return try WriteReplacer(hand: hand).replace(entry, with: change, transaction)
    }

    /// The body that turns the server copy into the wanted record.
    private func request(
        for body: [UInt8], _ entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> [UInt8] {
        guard let sides = try Self.sides(of: entry, transaction) else { return body }
        switch sides.edit.terms.change {
        case .create, .replace:
            guard sides.edit.terms.record != nil, let record = try? JSONDocument(body) else { return body }
            return Array(sides.edit.terms.body(sides.edit.body, carrying: record).bytes)
        case .delete:
            throw StoreError(
                .invalidWrite, "\(entry.shortID) deletes its record, which cannot be merged with anything",
                hint: "resolve it with --mine or --theirs")
        case .merge: return try patch(to: body, from: sides.theirs.living, sides.edit)
        }
    }

    private func patch(to body: [UInt8], from theirs: JSONDocument?, _ edit: PendingEdit) throws -> [UInt8] {
        try EditEnqueuer.check(body, of: edit.entry.resource ?? "")
        guard let theirs else {
            throw StoreError(
                .invalidWrite, "the origin has no record any more that \(edit.entry.shortID) could change",
                hint: "drop it, and send a new write that creates the record")
        }
        do {
            let patch = try JSONMergePatch.difference(from: theirs, to: try JSONDocument(body)).document
            return Array(edit.terms.body(edit.body, carrying: patch).bytes)
        } catch {
            throw StoreError(.invalidWrite, "\(error)")
        }
    }

    /// The header fields with the write's `If-Match` (RFC 9110 §13.1.1) set to the present ETag; nil if it has none.
    private func fieldsForNow(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> HTTPFields? {
        var fields = try WriteReplacer.WrittenContent.load(of: entry, transaction).headerFields
        guard fields[.ifMatch] != nil else { return nil }
        fields[.ifMatch] = try Validator.strong(for: entry, transaction)
        return fields
    }
}

/// The ETag that a write may send in `If-Match`.
enum Validator {
    /// The record's strong ETag; nil if none is known. Weak ones never match (RFC 9110 §13.1.1).
    static func strong(
        for entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        let etag = try database.first(
            """
            SELECT b.etag FROM siding_server_copies b JOIN siding_resources r ON r.id = b.resource
            WHERE r.name = ?1 AND b.key = ?2
            """, entry.resource, entry.recordKey
        ) { $0.optionalText(0) }
        guard let etag = etag ?? nil, etag.hasPrefix("\"") else { return nil }
        return etag
    }
}
