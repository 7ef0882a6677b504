public import HTTPTypes
public import SidingChain
public import SidingJSON

/// How records of one kind are created, changed and deleted at their origin: one entry of the configuration's `writes`.
public struct WriteDeclaration: Sendable {
    /// What is done to a record.
    public enum Verb: String, Sendable, Hashable, CaseIterable {
        case create, update, delete
    }

    /// How much of a record a body or an answer says.
    public enum Extent: String, Sendable, Hashable, CaseIterable {
        case whole
        /// Some members: a merge patch (RFC 7396) of the rest.
        case part
    }

    /// The request of a verb.
    public struct Operation: Sendable, Hashable {
        public var method: HTTPRequest.Method
        /// Below the source's base URL; `{id}` stands for the record's id.
        public var path: String
        /// Where the answer to a create holds the real id; nil for where records have their key.
        public var idPath: JSONPath?
        /// Whether the record's ETag is sent as a condition, where a strong one is known.
        public var sendsIfMatch: Bool
        /// Whether a record that is gone already (404, 410) counts as deleted, whatever the method of the deletion.
        public var goneIsDone: Bool
        /// Of an update: how much of the record its body says. Nil goes by the method: PUT replaces the whole (RFC 9110
        /// §9.3.4), all others say a part.
        public var body: Extent?
        /// How much of the record the answer says, where it has the record at all.
        public var answer: Extent

        public init(
            _ method: HTTPRequest.Method, _ path: String, idPath: JSONPath? = nil, sendsIfMatch: Bool = false,
            goneIsDone: Bool = true, body: Extent? = nil, answer: Extent = .whole
        ) {
            self.method = method
            self.path = path
            self.idPath = idPath
            self.sendsIfMatch = sendsIfMatch
            self.goneIsDone = goneIsDone
            self.body = body
            self.answer = answer
        }

        /// Whether the body of an update takes the record's place.
        var replaces: Bool { (body ?? (method == .put ? .whole : .part)) == .whole }
    }

    /// The placeholder of the record's id.
    public static let placeholder = "{id}"

    public var name: String
    public var source: Source
    public var operations: [Verb: Operation]
    /// The lane of a record's writes; `{id}` stands for its id. Nil gives each record a lane of its own.
    public var lane: String?
    /// The origin's promise to honour the key; nil takes the source's.
    public var idempotency: Idempotency?
    /// The resource whose records are written: its view shows the writes at once. Nil where none is kept here.
    public var resource: AnyResource?
    /// Where bodies and answers hold the record: members of objects. Nil for where they are the record.
    public var record: JSONPath?
    /// What becomes of a write when someone else changed the record.
    public var conflict: ConflictPolicy
    /// Whether writes to one record that have not been sent are made one.
    public var coalesces: Bool
    /// How to find out whether a write arrived that may not be sent twice; nil for a person to find out.
    public var probe: WriteProbe?
    /// The statuses that say that someone else changed the record; nil for 409, 412 and 428.
    public var conflictStatuses: Set<Int>?

    public init(
        _ name: String, at source: Source, operations: [Verb: Operation], lane: String? = nil,
        idempotency: Idempotency? = nil, resource: AnyResource? = nil, conflict: ConflictPolicy = .hold,
        coalesces: Bool = false, probe: WriteProbe? = nil, conflictStatuses: Set<Int>? = nil, record: JSONPath? = nil
    ) {
        self.name = name
        self.source = source
        self.operations = operations
        self.lane = lane
        self.idempotency = idempotency
        self.resource = resource
        self.conflict = conflict
        self.coalesces = coalesces
        self.probe = probe
        self.conflictStatuses = conflictStatuses
        self.record = record
    }

    /// The request that does `verb` to the record `id`.
    ///
    /// - Parameters:
    ///   - id: the record's id; nil for one that is created.
    ///   - body: sent byte for byte.
    /// - Throws: ``Failure/Reason/invalidRequest`` where the verb is not declared, or an id is missing or too many.
    public func request(
        _ verb: Verb, id: String? = nil, headerFields: HTTPFields = [:], body: [UInt8]? = nil
    ) throws(Failure) -> WriteRequest {
        guard let operation = operations[verb] else {
            throw Self.refusal("'\(name)' declares no \(verb.rawValue); it has \(verbs)")
        }
        let needsID = operation.path.contains(Self.placeholder)
        guard needsID == (id != nil) else {
            throw Self.refusal(
                needsID ? "\(name).\(verb.rawValue) needs the id of the record" : "\(name).\(verb.rawValue) takes no id"
            )
        }
        // Later writes to a record that is yet to be created name it by this, and share its lane.
        let record = id ?? (verb == .create && resource != nil ? TemporaryID.random() : nil)
        let encoded = id.map(QueryEncoding.escape)
        let path = encoded.map { operation.path.replacing(Self.placeholder, with: $0) } ?? operation.path
        var probe = probe
        probe?.id = id
        probe?.record = self.record
        return WriteRequest(
            to: source.name, operation.method, try source.baseURL.appending(path: path), headerFields: headerFields,
            body: body, lane: lane(record), idempotency: idempotency ?? source.idempotency, expiry: source.expiry,
            operation: "\(name).\(verb.rawValue)", edit: edit(verb, operation, record),
            probe: probe, conflictStatuses: conflictStatuses, goneIsDone: verb == .delete ? operation.goneIsDone : nil)
    }

    /// What the write does to the record that is kept here.
    private func edit(_ verb: Verb, _ operation: Operation, _ id: String?) -> WriteEdit? {
        guard let resource else { return nil }
        let change: WriteEdit.Change =
            switch verb {
            case .create: .create
            case .update: operation.replaces ? .replace : .merge
            case .delete: .delete
            }
        return WriteEdit(
            change, of: resource, key: id, idPath: operation.idPath, conflict: conflict, coalesces: coalesces,
            ifMatch: operation.sendsIfMatch, record: record, answersPart: operation.answer == .part)
    }

    /// A record that is yet to be created has no lane to share; an edit knows its record's own.
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
