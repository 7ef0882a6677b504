internal import SidingChain
internal import SidingJSON

/// The state of a record: its server copy, or that copy with pending edits applied.
struct RecordState: Hashable, Sendable {
    /// Nil if there is no record. A tombstone keeps its body.
    var body: JSONDocument?
    var deletedAt: Timestamp?

    static let nothing = RecordState()

    /// The body of a live record; nil for a tombstone.
    var living: JSONDocument? { deletedAt == nil ? body : nil }
}

/// An edit in an open queue entry, to be applied to its record.
struct PendingEdit: Sendable {
    var entry: QueueEntry
    var terms: EditTerms
    /// The write's body; nil for a delete.
    var body: JSONDocument?
    var temporaryID: String?
    /// The value that a created record shows as its key if its body has none: first the temporary id, then the real id.
    var identity: JSONDocument?
    /// The server copy when the edit was made; nil if it has not changed since.
    var base: RecordState?

    /// The record in the body.
    var document: JSONDocument? { body.map(terms.record) }

    func applied(to state: RecordState) -> RecordState {
        switch terms.change {
        case .create: return RecordState(body: document.map(named))
        case .replace: return RecordState(body: document)
        case .merge:
            guard let body = state.body, let document else { return state }
            return RecordState(body: JSONMergePatch(document).applied(to: body))
        case .delete:
            return RecordState(body: state.body, deletedAt: state.body.map { _ in state.deletedAt ?? entry.createdAt })
        }
    }

    /// Adds the key if the body lacks it; only if the key is a single member, at any depth.
    private func named(_ document: JSONDocument) -> JSONDocument {
        guard let identity, terms.key.count == 1, let path = terms.keyPaths.first,
            document.value(at: path) == nil
        else { return document }
        var patch = identity
        for component in path.components.reversed() {
            guard case .member(let name) = component else { return document }
            patch = JSONDocument(object: [name: patch])
        }
        return JSONMergePatch(patch).applied(to: document)
    }
}

/// The part of a ``WriteEdit`` that is stored with the entry.
struct EditTerms: Codable, Hashable, Sendable {
    var change: WriteEdit.Change
    /// JSON paths in their written form.
    var key: [String]
    var id: String?
    var conflict: ConflictPolicy
    var coalesces: Bool
    var ifMatch: Bool
    var record: String?
    /// Nil means false; rows of earlier versions have nil.
    var answersPart: Bool?

    init(_ edit: WriteEdit, isNamed: Bool) {
        change = edit.change
        key = edit.keyPaths.map(\.description)
        id = edit.idPath?.description
        conflict = edit.conflict
        coalesces = edit.coalesces && !isNamed
        ifMatch = edit.ifMatch
        record = edit.record?.description
        answersPart = edit.answersPart ? true : nil
    }

    private enum CodingKeys: String, CodingKey {
        case change, key, id, conflict, coalesces, record
        case ifMatch = "if_match"
        case answersPart = "answers_part"
    }

    var keyPaths: [JSONPath] { key.compactMap { try? JSONPath(parsing: $0) } }

    var idPath: JSONPath? { id.flatMap { try? JSONPath(parsing: $0) } }

    var recordPath: JSONPath? { record.flatMap { try? JSONPath(parsing: $0) } }

    /// The record in a body or an answer: the value at ``recordPath``, or the whole document if that path holds nothing.
    func record(in document: JSONDocument) -> JSONDocument { Self.record(in: document, at: recordPath) }

    static func record(in document: JSONDocument, at path: JSONPath?) -> JSONDocument {
        path.flatMap { document.value(at: $0) } ?? document
    }

    /// Replaces the record inside of `body`.
    func body(_ body: JSONDocument?, carrying record: JSONDocument) -> JSONDocument {
        guard let body, let path = recordPath, body.value(at: path) != nil, let names = path.memberNames else {
            return record
        }
        return body.setting(names, to: record)
    }

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
