// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Resolves the temporary ids that a write names: it waits for the records that are not yet created, and gets the real ids of
/// the others. Works inside the accepting transaction.
struct TemporaryReferences {
    /// The write, with the known real ids filled in.
    var write: WriteRequest
    /// The open entries that create the others.
    var parents: Set<String> = []
    /// Whether its URL or body changed.
    var isRewritten = false
}

extension TemporaryReferences {
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the write names a record that will never exist.
    init(resolving write: WriteRequest, _ database: borrowing some Queryable & ~Copyable) throws {
        self.write = write
        let texts = [write.url.description, write.lane ?? "", write.edit?.key ?? ""].joined(separator: " ")
        for id in TemporaryID.found(in: Array("\(texts) ".utf8) + (write.body ?? [])) {
            guard let maker = try OutboxTable.maker(of: id, database) else { continue }
            try add(id, maker.entry, maker.realID)
        }
    }

    private mutating func add(_ id: String, _ maker: QueueEntry, _ real: String?) throws {
        // Whatever looks for the id later finds it as it is made.
        let url = String(decoding: TemporaryID.plain(Array(write.url.description.utf8)), as: UTF8.self)
        let plain = (url: try? HTTPURL(url), body: write.body.map(TemporaryID.plain))
        isRewritten = isRewritten || plain.url != write.url || plain.body != write.body
        (write.url, write.body) = (plain.url ?? write.url, plain.body)
        switch maker.state {
        case .queued, .sending, .parked: parents.insert(maker.id)
        case .dropped:
            throw StoreError(
                .invalidWrite, "\(id) was never created: \(maker.shortID), which should have created it, was dropped")
        case .done:
            guard let real else {
                throw StoreError(
                    .invalidWrite, "\(id) was created by \(maker.shortID), but the origin did not say under which id",
                    hint: "use the origin's id")
            }
            try rewrite(try TemporaryRewriting(from: id, to: Store.document(Array(real.utf8))))
        }
    }

    private mutating func rewrite(_ rewriting: TemporaryRewriting) throws {
        isRewritten = true
        write.url = try rewriting.url(write.url)
        write.body = rewriting.body(write.body, write.headerFields)
        write.lane = write.lane.map(rewriting.lane)
        if write.probe?.id == rewriting.temporary { write.probe?.id = rewriting.text }
        if write.edit?.key == rewriting.temporary { write.edit?.key = rewriting.text }
    }
}

/// Replaces a temporary id with the real one in every part of a request. A temporary id is unmistakable, so it is replaced
/// wherever it is found (``TemporaryID``), also inside of longer texts.
struct TemporaryRewriting {
    let temporary: String
    /// The real id as the origin wrote it: a string or a number.
    let real: JSONDocument
    /// The real id as a key.
    let text: String

    /// - Throws: ``StoreError/Kind/invalidWrite`` if `real` is not an id: it would change the path of a URL (RFC 3986 §5.2.4).
    init(from temporary: String, to real: JSONDocument) throws(StoreError) {
        guard let text = real.string ?? real.digits, !["", ".", ".."].contains(text) else {
            throw StoreError(
                .invalidWrite,
                "the real id of \(temporary) cannot be used: it must be a number, or a text other than '', '.' and '..'"
            )
        }
        (self.temporary, self.real, self.text) = (temporary, real, text)
    }

    /// - Throws: ``StoreError/Kind/invalidWrite`` if the URL is not valid with the real id.
    func url(_ url: HTTPURL) throws(StoreError) -> HTTPURL {
        do { return try HTTPURL(url.description.replacing(temporary, with: QueryEncoding.escape(text))) } catch {
            throw StoreError(.invalidWrite, error.detail ?? error.description)
        }
    }

    /// - Parameter fields: say whether the body is a form, in which the real id is percent-encoded.
    func body(_ body: [UInt8]?, _ fields: HTTPFields) -> [UInt8]? {
        guard let body, TemporaryID.found(in: body).contains(temporary) else { return body }
        if (try? JSONDocument(body)) != nil { return json(body) }
        let isForm = fields[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
        return body.replacing(Array(temporary.utf8), with: Array((isForm ? QueryEncoding.escape(text) : text).utf8))
    }

    /// A value that is the temporary id becomes the real one as the origin wrote it, perhaps a number; in a longer string or
    /// in a name it becomes its text.
    private func json(_ body: [UInt8]) -> [UInt8] {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let parts = body.split(separator: Array(temporary.utf8), omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: Array(parts[0])) { result, part in
            let isString = result.last == quote && result.dropLast().last != backslash && part.first == quote
            let next = part.dropFirst().first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
            if isString, next != UInt8(ascii: ":") {
                result.removeLast()
                result += real.bytes + part.dropFirst()
            } else {
                result += JSONDocument(string: text).bytes.dropFirst().dropLast() + part
            }
        }
    }

    func lane(_ lane: String) -> String { lane.replacing(temporary, with: text) }
}

/// Gives a created record its real id: in its row, its lane, and the entries that name it. Works in the transaction that
/// completes the create.
struct TemporaryNaming {
    let transitions: QueueTransitions
    var projection: EditProjection
    /// The entry that created the record, not yet completed.
    let entry: QueueEntry
    let temporary: String
    /// The record's key if it has several parts; otherwise the real id is the key.
    let composite: String?

    /// Renames the record, and rewrites the entries that name it; parks those if `real` is nil.
    ///
    /// - Parameter real: the id as the origin wrote it; nil if the answer lacked it.
    /// - Returns: the record's key from now on; nil if it keeps the temporary one.
    mutating func name(_ real: JSONDocument?, _ transaction: borrowing Transaction) throws -> String? {
        let naming = try naming(transaction)
        guard let real, let rewriting = try? TemporaryRewriting(from: temporary, to: real) else {
            try park(naming, transaction)
            return nil
        }
        try rewriteRequests(of: naming, rewriting, transaction)
        // Entries in a lane of the temporary id move to the lane of the real one.
        for lane in Set(naming.map(\.lane) + [entry.lane]) where rewriting.lane(lane) != lane {
            try OutboxTable.moveLane(lane, to: rewriting.lane(lane), completing: entry.id, transaction)
        }
        let key = composite ?? rewriting.text
        try moveRecord(to: key, transaction)
        try OutboxEditsTable.setRealID(String(decoding: real.bytes, as: UTF8.self), of: entry.id, transaction)
        try transitions.addEvent(entry.id, .named, "\(temporary) is \(rewriting.text)", transaction)
        return key
    }

    // MARK: What names it

    /// All that names it waits for it (``TemporaryReferences``), or stands behind it in its lane.
    private func naming(_ transaction: borrowing Transaction) throws -> [QueueEntry] {
        let found =
            try OutboxTable.dependants(of: [entry.id], transaction).map(\.entry)
            + OutboxTable.openEntries(inLane: entry.lane, transaction)
            + OutboxTable.pendingEdits(of: projection.name, temporary, transaction)
        var seen: Set = [entry.id]
        return found.filter { seen.insert($0.id).inserted }
    }

    private func rewriteRequests(
        of naming: [QueueEntry], _ rewriting: TemporaryRewriting, _ transaction: borrowing Transaction
    ) throws {
        var rewritten: [String] = []
        for entry in naming {
            // What cannot be read is parked by the sender that claims it.
            guard let old = try OutboxRequestsTable.load(entry.id, transaction), let oldURL = try? HTTPURL(old.url)
            else { continue }
            guard let url = try? rewriting.url(oldURL) else {
                _ = try transitions.park(entry, as: .invalid, "its URL cannot carry the real id", transaction)
                continue
            }
            var new = old
            if url != oldURL { new.url = url.description }
            new.body = rewriting.body(old.body, (try? old.headerFields()) ?? [:])
            if new.probe?.id == temporary { new.probe?.id = rewriting.text }
            try OutboxRequestsTable.update(new, of: entry.id, transaction)
            guard new.url != old.url || new.body != old.body else { continue }
            try transitions.addEvent(entry.id, .rewritten, "\(temporary) is \(rewriting.text)", transaction)
            // The record itself is moved after this.
            if entry.recordKey != temporary { rewritten.append(entry.id) }
        }
        // Other records that wait show the real id, too.
        try EditProjection.rebuildRecords(of: rewritten, now: transitions.now, transaction)
    }

    /// Without the real id they cannot be sent; an operator may fill it in.
    private func park(_ naming: [QueueEntry], _ transaction: borrowing Transaction) throws {
        for entry in naming where entry.state == .queued {
            _ = try transitions.park(
                entry, as: .dependency, "the answer to \(self.entry.shortID) did not say which id \(temporary) got",
                transaction)
        }
    }

    // MARK: Its row

    /// Moves the edits to `key`. The row of the temporary key becomes a tombstone, so that change feeds report it.
    private mutating func moveRecord(to key: String, _ transaction: borrowing Transaction) throws {
        try ServerCopiesTable.insertIfMissing(key, in: projection.table, transaction)
        try OutboxEditsTable.moveEdits(of: temporary, to: key, in: projection.name, transaction)
        try ServerCopiesTable.delete(temporary, of: projection.resource, transaction)
        _ = try projection.write(
            .nothing, under: temporary, pending: 0, run: nil, cause: .never, request: nil, transaction)
    }
}
