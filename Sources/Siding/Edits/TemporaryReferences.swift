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

    /// - Throws: ``StoreError/Kind/invalidWrite`` if the write names a record that will never exist.
    init(resolving write: WriteRequest, _ transaction: borrowing Transaction) throws {
        self.write = write
        for id in Self.named(by: write) {
            let found = try transaction.first(
                """
                SELECT \(QueueRows.columns), real_id FROM siding_outbox WHERE temporary_id = ?1 ORDER BY seq DESC LIMIT 1
                """, id
            ) { row in
                (entry: try QueueRows.entry(row), real: row.optionalText(QueueRows.count))
            }
            guard let found else { continue }
            try take(id, found.entry, found.real)
        }
    }

    private static func named(by write: WriteRequest) -> [String] {
        let texts = [write.url.description, write.lane ?? "", write.edit?.key ?? ""].joined(separator: " ")
        var ids = TemporaryID.found(in: Array(texts.utf8))
        for id in TemporaryID.found(in: write.body ?? []) where !ids.contains(id) { ids.append(id) }
        return ids
    }

    private mutating func take(_ id: String, _ maker: QueueEntry, _ real: String?) throws {
        switch maker.state {
        case .queued, .sending, .parked: parents.insert(maker.id)
        case .dropped:
            throw StoreError(
                .invalidWrite, "\(id) was never created: \(maker.shortID), which was to do so, was dropped")
        case .done:
            guard let real else {
                throw StoreError(
                    .invalidWrite, "\(id) was created by \(maker.shortID), but the origin did not say under which id",
                    hint: "name it as the origin does")
            }
            try rewrite(try TemporaryRewriting(from: id, to: EditRows.document(Array(real.utf8))))
        }
    }

    private mutating func rewrite(_ rewriting: TemporaryRewriting) throws {
        write.url = try rewriting.url(write.url)
        write.body = rewriting.body(write.body)
        write.lane = write.lane.map(rewriting.lane)
        if write.probe?.id == rewriting.identifier.temporary { write.probe?.id = rewriting.text }
        if let edit = write.edit, edit.key == rewriting.identifier.temporary { write.edit?.key = rewriting.text }
    }
}

/// Replaces a temporary id with the real one in every part of a request.
struct TemporaryRewriting {
    let identifier: IdentifierRewriting
    /// The real id as a key.
    let text: String

    /// - Throws: ``StoreError/Kind/invalidWrite`` if `real` is not an id.
    init(from temporary: String, to real: JSONDocument) throws(StoreError) {
        do { identifier = try IdentifierRewriting(from: temporary, to: real) } catch {
            throw StoreError(.invalidWrite, "\(error)")
        }
        text = real.string ?? real.digits ?? ""
    }

    /// - Throws: ``StoreError/Kind/invalidWrite`` if the URL is not valid with the real id.
    func url(_ url: HTTPURL) throws(StoreError) -> HTTPURL {
        do { return try HTTPURL(identifier.replacing(inURL: url.description)) } catch {
            throw StoreError(.invalidWrite, error.detail ?? error.description)
        }
    }

    /// A body that is not JSON stays unchanged.
    func body(_ body: [UInt8]?) -> [UInt8]? {
        guard let body, !TemporaryID.found(in: body).isEmpty, let document = try? JSONDocument(body) else {
            return body
        }
        let replaced = identifier.replacing(in: document)
        return replaced == document ? body : Array(replaced.bytes)
    }

    /// Plain text replacement: nothing else in a lane looks like a temporary id.
    func lane(_ lane: String) -> String {
        lane.split(separator: identifier.temporary, omittingEmptySubsequences: false).joined(separator: text)
    }
}
