// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingChain
package import SidingJSON

/// How records of one kind are created, updated and deleted at their origin: one entry of the configuration's `writes`.
package struct WriteDeclaration: Sendable {
    package enum Verb: String, Sendable, Hashable, CaseIterable {
        case create, update, delete
    }

    /// How much of a record a body or an answer contains.
    package enum Extent: String, Sendable, Hashable, CaseIterable {
        case whole
        /// Some members, as a merge patch (RFC 7396).
        case part
    }

    package struct Operation: Sendable, Hashable {
        package var method: HTTPRequest.Method
        /// The path below the source's base URL; `{id}` stands for the record's id.
        package var path: String
        /// Where the answer to a create holds the real id; nil for the place where records have their key.
        package var idPath: JSONPath?
        /// Whether the record's ETag is sent in `If-Match`, if a strong one is known.
        package var sendsIfMatch: Bool
        /// Where a record holds its ETag or revision; nil if only header fields have it.
        package var etagPath: JSONPath?
        /// Whether 404 and 410 count as a successful delete, whatever the method.
        package var goneIsDone: Bool
        /// How much of the record the body of an update contains. Nil decides by the method: PUT replaces the whole record
        /// (RFC 9110 §9.3.4), all others change a part.
        package var body: Extent?
        /// How much of the record the answer contains, if it contains the record at all; nil for what it shows
        /// (``WriteEdit/answersPart``).
        package var answer: Extent?

        package init(
            _ method: HTTPRequest.Method, _ path: String, idPath: JSONPath? = nil, sendsIfMatch: Bool = false,
            goneIsDone: Bool = true, body: Extent? = nil, answer: Extent? = nil
        ) {
            self.method = method
            self.path = path
            self.idPath = idPath
            self.sendsIfMatch = sendsIfMatch
            self.goneIsDone = goneIsDone
            self.body = body
            self.answer = answer
        }

        var replaces: Bool { (body ?? (method == .put ? .whole : .part)) == .whole }
    }

    package static let placeholder = "{id}"

    package var name: String
    package var source: Source
    package var operations: [Verb: Operation]
    /// The lane of a record's writes; `{id}` stands for its id. Nil gives each record its own lane.
    package var lane: String?
    /// The origin's promise to honour the key; nil uses the source's.
    package var idempotency: Idempotency?
    /// The resource whose records are written: its view shows the writes at once. Nil if no local resource holds them.
    package var resource: AnyResource?
    /// Where bodies and answers hold the record: a path of object members. Nil if the whole document is the record.
    package var record: JSONPath?
    /// What to do with a write if someone else changed the record.
    package var conflict = ConflictPolicy.hold
    /// Whether unsent writes to the same record are merged into one.
    package var coalesces = false
    /// The delivery probe of a write that may have arrived and may not be sent twice; nil leaves the check to an operator.
    package var probe: WriteProbe?
    /// The statuses that mean that someone else changed the record; nil for 409, 412 and 428.
    package var conflictStatuses: Set<Int>?

    package init(_ name: String, at source: Source, operations: [Verb: Operation]) {
        (self.name, self.source, self.operations) = (name, source, operations)
    }

    /// Builds the request that applies `verb` to the record `id`.
    ///
    /// - Parameter id: nil for a create.
    /// - Throws: ``Failure/Reason/invalidRequest`` if the verb is not declared, or if an id is missing or not expected.
    package func request(
        _ verb: Verb, id: String? = nil, headerFields: HTTPFields = [:], body: [UInt8]? = nil
    ) throws(Failure) -> WriteRequest {
        guard let operation = operations[verb] else {
            throw Self.refusal("'\(name)' declares no \(verb.rawValue); it has \(verbs)")
        }
        let needsID = namesRecord(in: verb)
        guard needsID == (id != nil) else {
            throw Self.refusal(
                needsID ? "\(name).\(verb.rawValue) needs the id of the record" : "\(name).\(verb.rawValue) takes no id"
            )
        }
        guard id?.isEmpty != true else {
            throw Self.refusal("the id of the record for \(name).\(verb.rawValue) is empty")
        }
        // As a segment of a path these name the collection, or what is above it (RFC 3986 §5.2.4).
        guard id != ".", id != ".." else {
            throw Self.refusal("'\(id ?? "")' is not the id of a record: in a URL it would name a folder")
        }
        // Later writes to a record that is not yet created name it by this id, and share its lane.
        let record = id ?? (verb == .create && resource != nil ? TemporaryID.random() : nil)
        let encoded = id.map(QueryEncoding.escape)
        let path = encoded.map { operation.path.replacing(Self.placeholder, with: $0) } ?? operation.path
        var probe = probe
        probe?.id = id
        probe?.record = self.record
        var write = WriteRequest(
            to: source.name, operation.method, try source.baseURL.appending(path: path), headerFields: headerFields,
            body: body, idempotency: idempotency ?? source.idempotency)
        (write.lane, write.expiry, write.operation) = (lane(record), source.expiry, "\(name).\(verb.rawValue)")
        (write.edit, write.probe) = (edit(verb, operation, record), probe)
        write.conflictStatuses = conflictStatuses
        write.goneIsDone = verb == .delete ? operation.goneIsDone : nil
        return write
    }

    /// Whether the path of the verb contains the id of the record.
    package func namesRecord(in verb: Verb) -> Bool {
        operations[verb]?.path.contains(Self.placeholder) ?? false
    }

    /// Builds the request whose body is the JSON of a record, or of its change, within what ``record`` says.
    package func request(_ verb: Verb, id: String? = nil, record json: [UInt8]) throws(Failure) -> WriteRequest {
        var body = json
        if let record, let inner = try? JSONDocument(json), let outer = JSONDocument(nesting: inner, at: record) {
            body = Array(outer.bytes)
        }
        return try request(verb, id: id, headerFields: [.contentType: "application/json"], body: body)
    }

    /// The effect of the write on the local record.
    private func edit(_ verb: Verb, _ operation: Operation, _ id: String?) -> WriteEdit? {
        guard let resource else { return nil }
        let change: WriteEdit.Change =
            switch verb {
            case .create: .create
            case .update: operation.replaces ? .replace : .merge
            case .delete: .delete
            }
        var edit = WriteEdit(change, of: resource, key: id, conflict: conflict)
        (edit.idPath, edit.etagPath, edit.record) = (operation.idPath, operation.etagPath, record)
        (edit.coalesces, edit.ifMatch) = (coalesces, operation.sendsIfMatch)
        edit.answersPart = operation.answer.map { $0 == .part }
        return edit
    }

    /// Without an id there is no lane to share; an edit derives its lane from its record.
    private func lane(_ id: String?) -> String? {
        guard let lane else { return resource == nil ? id.map { "\(name)/\($0)" } : nil }
        guard lane.contains(Self.placeholder) else { return lane }
        return id.map { lane.replacing(Self.placeholder, with: $0) }
    }

    private var verbs: String {
        Verb.allCases.filter { operations[$0] != nil }.map(\.rawValue).joined(separator: ", ")
    }

    private static func refusal(_ why: String) -> Failure { Failure(.invalidRequest, phase: .notSent, detail: why) }
}

extension AnyResource {
    /// The writes of the resource: as the config declares them, else as a collection has them. Then a POST to its path
    /// creates a record, and PATCH and DELETE of `path/{id}` change and delete it.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` if none are declared and its path is not that of a collection.
    package func writeDeclaration() throws(Failure) -> WriteDeclaration {
        if let declared = writes.first { return declared }
        guard method == .get, forEach == nil, key.count == 1, key != [.memberName] else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail:
                    "nothing says how records of '\(name)' are written: it is not one list that a GET reads, or its key is "
                    + "not one member; declare 'writes' in the config, or send a WriteRequest"
            )
        }
        let path = String(path.prefix { $0 != "?" })
        let record =
            path.hasSuffix("/") ? "\(path)\(WriteDeclaration.placeholder)/" : "\(path)/\(WriteDeclaration.placeholder)"
        var declaration = WriteDeclaration(
            name, at: source,
            operations: [
                .create: .init(.post, path), .update: .init(.patch, record), .delete: .init(.delete, record),
            ])
        declaration.resource = self
        return declaration
    }
}
