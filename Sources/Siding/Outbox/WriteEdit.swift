// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain
public import SidingJSON

/// The effect of a write on a local record. It shows at once, as a pending edit, until the origin has answered.
///
/// The visible record is the server copy with all pending edits applied in order. An incoming change replaces the server copy,
/// an answer replaces the edit, and dropping the write removes only the edit.
public struct WriteEdit: Sendable, Hashable {
    /// How the write's body, or its part at ``record``, changes the record.
    public enum Change: String, Sendable, Hashable, Codable, CaseIterable {
        /// The body is a new record. The origin may choose its key.
        case create
        /// The body replaces the record, or creates it.
        case replace
        /// The body is a merge patch (RFC 7396). Nothing shows until the record is known.
        case merge
        /// Deletes the record: it shows as a tombstone from now on.
        case delete
    }

    /// How the write changes the record.
    public var change: Change
    /// The resource's name, and the definition to register it with if it is new.
    public var resource: String
    package var definition: ResourceDefinition
    package var schema: RecordSchema
    /// The key of the resource's records.
    public var keyPaths: [JSONPath]
    /// The key of the record. Nil for a create whose key the origin assigns: a temporary id is used until then, and is
    /// replaced in everything that depends on it.
    public var key: String?
    /// Where the answer to a create holds the real id; nil for the place where the record has its key.
    public var idPath: JSONPath?
    /// What to do if the server copy has changed since.
    public var conflict: ConflictPolicy
    /// Whether it may be merged into an unsent write to the same record. A write with a key chosen by the caller never is.
    public var coalesces = false
    /// Whether the write is sent with `If-Match` (RFC 9110 §13.1.1), if the record's strong ETag is known. Then any change at
    /// the origin to a record that is replaced or deleted is a conflict.
    public var ifMatch = false
    /// Where a record holds its ETag or revision, sent with ``ifMatch`` if no strong ETag came with the record in a header field.
    public var etagPath: JSONPath?
    /// Where the write's body and its answer hold the record: a path of object members. Nil, or a path that holds nothing,
    /// means the whole document.
    public var record: JSONPath?
    /// Whether the answer contains only some members of the record, which are merged into the edited record. Nil for what the answer
    /// shows: one that lacks a member that the record had, or all that a new record was sent with, is a part of it.
    public var answersPart: Bool?

    /// The parameters are the properties of the same names; set the others on the value.
    public init(
        _ change: Change, of resource: some SyncedResource, key: String? = nil, conflict: ConflictPolicy = .hold
    ) {
        let resource = resource.untyped
        self.resource = resource.name
        (definition, schema, keyPaths) = (ResourceDefinition(resource), resource.schema, resource.key)
        (self.change, self.key, self.conflict) = (change, key, conflict)
    }
}

extension WriteEdit: Changeable {}

/// What to do with an edit if the server copy has changed since it was made.
public enum ConflictPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Park it until an operator decides.
    case hold
    /// Send it anyway; after three refusals it is parked.
    case mine
    /// Drop it: the record stays as the origin has it.
    case theirs
    /// Three-way merge: keep changes that only one side made; park it if both changed the same member.
    case merge
}

/// The part of a ``WriteEdit`` that is stored with the entry.
struct EditTerms: Codable, Hashable, Sendable {
    var change: WriteEdit.Change
    var keyPaths: [JSONPath]
    var idPath: JSONPath?
    var conflict: ConflictPolicy
    var coalesces: Bool
    var ifMatch: Bool
    var etagPath: JSONPath?
    var recordPath: JSONPath?
    var answersPart: Bool?

    init(_ edit: WriteEdit, isNamed: Bool) {
        (change, conflict, ifMatch, answersPart) = (edit.change, edit.conflict, edit.ifMatch, edit.answersPart)
        (keyPaths, idPath, recordPath, etagPath) = (edit.keyPaths, edit.idPath, edit.record, edit.etagPath)
        coalesces = edit.coalesces && !isNamed
    }

    /// The record in a body or an answer: the value at ``recordPath``, or the whole document if that path holds nothing.
    func record(in document: JSONDocument) -> JSONDocument { Self.record(in: document, at: recordPath) }

    /// The record with `key` in an answer; nil if it is not there. A wrapped record may also come bare.
    ///
    /// - Parameter key: nil for any, as the origin may choose that of a new record.
    func record(in document: JSONDocument, key: String?) -> JSONDocument? {
        [record(in: document), document].first { record in
            guard record.kind == .object, let found = recordKey(of: record)?.text else { return false }
            return key.map { $0 == found } ?? true
        }
    }

    /// Whether a GET of the write's URL shows the record, so that it can be asked whether the edit arrived: an edit by one of these
    /// methods, whose URL is that of the record. The URL of an action, such as `/items/5/archive`, shows no record.
    func showRecord(_ key: String, at url: HTTPURL, _ method: HTTPRequest.Method) -> Bool {
        guard change != .create, [.patch, .put, .delete].contains(method) else { return false }
        return url.path.split(separator: "/").last.map { HTTPURL.decode(String($0)) } == key
    }

    /// `record` without the ETag that it holds, which changes with each write.
    func withoutETag(_ record: JSONDocument) -> JSONDocument {
        guard let path = etagPath, record.value(at: path) != nil, let patch = JSONDocument(nesting: .null, at: path)
        else { return record }
        return JSONMergePatch(patch).applied(to: record)
    }

    static func record(in document: JSONDocument, at path: JSONPath?) -> JSONDocument {
        path.flatMap { document.value(at: $0) } ?? document
    }

    func body(_ body: JSONDocument?, carrying record: JSONDocument) -> JSONDocument {
        guard let body, let path = recordPath, body.value(at: path) != nil, let names = path.memberNames else {
            return record
        }
        return body.setting(names, to: record)
    }
}
