public import HTTPTypes
public import SidingChain
public import SidingJSON

/// A collection at a source whose records are values of a Swift type.
///
/// ```swift
/// let issues = try Resource<Issue>("issues", from: tracker, at: "/issues", key: \.id, paging: .linkHeader)
/// ```
/// Records are stored as they came, whole; the type is only how this program looks at them. Members that the type does not
/// know stay, until the program itself saves the record.
public struct Resource<Model: Codable & Sendable>: SyncedResource {
    public var untyped: AnyResource
    public let coding: RecordCoding
    let members: MemberMap<Model>
    let versions: VersionOrder<Model>?
    /// The members that a text search looks through.
    public let searchable: [JSONPath]

    /// A resource whose key is one property of the model.
    ///
    /// - Parameters:
    ///   - key: what tells records apart; its JSON member is found by itself.
    ///   - version: grows with each change at the origin; a stored one is then never replaced by a lower one of the
    ///     program's own.
    ///   - searchable: texts to search in.
    ///   - members: places of properties that cannot be found.
    /// - Throws: ``MemberError`` where the JSON member of a property cannot be found.
    public init<Key>(
        _ name: String, from source: Source, at path: String, key: any KeyPath<Model, Key> & Sendable,
        method: HTTPRequest.Method = .get, query: [String: QueryValue] = [:],
        queryEncoding: QueryEncoding = QueryEncoding(), records: JSONPath? = nil, paging: Paging = .automatic,
        stop: StopRules = StopRules(), isConditional: Bool = true, maxAge: Duration? = nil,
        version: VersionOrder<Model>? = nil, searchable: [any PartialKeyPath<Model> & Sendable] = [],
        coding: RecordCoding = .standard, members: [Member<Model>] = []
    ) throws(MemberError) {
        let map = MemberMap(members, coding: coding)
        let untyped = AnyResource(
            name, from: source, at: path, key: [try map.path(of: key)], method: method, query: query,
            queryEncoding: queryEncoding, records: records, paging: paging, stop: stop, isConditional: isConditional,
            maxAge: maxAge)
        try self.init(untyped, map, version: version, searchable: searchable, coding: coding)
    }

    /// A resource whose key's place is told, not found.
    ///
    /// - Throws: ``MemberError`` where the JSON member of a searchable property cannot be found.
    public init(
        _ name: String, from source: Source, at path: String, key: Member<Model>, paging: Paging = .automatic,
        version: VersionOrder<Model>? = nil, searchable: [any PartialKeyPath<Model> & Sendable] = [],
        coding: RecordCoding = .standard, members: [Member<Model>] = []
    ) throws(MemberError) {
        let untyped = AnyResource(name, from: source, at: path, key: [key.path], paging: paging)
        let map = MemberMap(members + [key], coding: coding)
        try self.init(untyped, map, version: version, searchable: searchable, coding: coding)
    }

    /// The typed look at a resource that is declared already, be it in Swift or in a file.
    ///
    /// - Throws: ``MemberError`` where the JSON member of a searchable property cannot be found.
    public init(
        _ untyped: AnyResource, of model: Model.Type = Model.self, version: VersionOrder<Model>? = nil,
        searchable: [any PartialKeyPath<Model> & Sendable] = [], coding: RecordCoding = .standard,
        members: [Member<Model>] = []
    ) throws(MemberError) {
        let map = MemberMap(members, coding: coding)
        try self.init(untyped, map, version: version, searchable: searchable, coding: coding)
    }

    private init(
        _ untyped: AnyResource, _ members: MemberMap<Model>, version: VersionOrder<Model>?,
        searchable: [any PartialKeyPath<Model> & Sendable], coding: RecordCoding
    ) throws(MemberError) {
        var paths: [JSONPath] = []
        for keyPath in searchable { paths.append(try members.path(of: keyPath)) }
        self.untyped = untyped
        self.coding = coding
        self.members = members
        self.searchable = paths
        versions = version
    }

    /// The place of a property in the JSON of a record.
    ///
    /// - Throws: ``MemberError`` where it cannot be found.
    public func path(of keyPath: any PartialKeyPath<Model> & Sendable) throws(MemberError) -> JSONPath {
        try members.path(of: keyPath)
    }

    /// The model of a stored record.
    func decode(_ record: Record, with decoder: RecordDecoder) throws(RecordError) -> Model {
        try decoder.decode(Model.self, record)
    }
}

/// Which of two models is the newer, by a property that grows with each change.
public struct VersionOrder<Model: Sendable>: Sendable {
    let isOlder: @Sendable (Model, Model) -> Bool

    public init<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version> & Sendable) {
        isOlder = { $0[keyPath: keyPath] < $1[keyPath: keyPath] }
    }

    /// A version that may be missing: a model without one is older than any that has one.
    public init<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version?> & Sendable) {
        isOlder = { one, other in
            guard let newer = other[keyPath: keyPath] else { return false }
            return one[keyPath: keyPath].map { $0 < newer } ?? true
        }
    }

    /// `version: .by(\.updatedAt)`
    public static func by<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version> & Sendable)
        -> Self
    {
        Self(keyPath)
    }

    /// `version: .by(\.updatedAt)`, where it may be missing.
    public static func by<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version?> & Sendable)
        -> Self
    {
        Self(keyPath)
    }
}
