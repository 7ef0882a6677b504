// SPDX-License-Identifier: Apache-2.0
public import Siding
internal import SidingChain
public import SidingJSON

/// A collection at a source whose records are values of a Swift type.
///
/// ```swift
/// let issues = try Resource<Issue>("issues", from: tracker, at: "/issues", key: \.id, paging: .linkHeader)
/// ```
/// Records are stored unchanged; the type is only this program's view of them. Members that the type lacks stay until the
/// program itself saves the record.
public struct Resource<Model: Codable & Sendable>: SyncedResource {
    /// The resource without its model, as the engine syncs it. Its query, its largest age and the like are set here.
    public var untyped: AnyResource
    /// How records are decoded and encoded.
    public let coding: RecordCoding
    let members: MemberMap<Model>
    /// A property that grows with each change at the origin: the program never overwrites a stored record with a lower version.
    /// Nil if records have none.
    public var version: VersionOrder<Model>?
    /// The members that a text search covers.
    public let searchable: [JSONPath]

    /// A resource whose key is one property of the model.
    ///
    /// - Parameters:
    ///   - name: the name of the resource in the store.
    ///   - source: the origin.
    ///   - path: the path of the listing below the base URL of the source.
    ///   - key: the property that is the key; its JSON member is found automatically.
    ///   - paging: how a page leads to the next.
    ///   - searchable: the properties that a text search covers.
    ///   - coding: how records are decoded and encoded.
    ///   - members: the paths of properties that cannot be found automatically.
    /// - Throws: ``MemberError`` if the JSON member of a property cannot be found.
    public init<Key>(
        _ name: String, from source: Source, at path: String, key: any KeyPath<Model, Key> & Sendable,
        paging: Paging = .automatic, searchable: [any PartialKeyPath<Model> & Sendable] = [],
        coding: RecordCoding = .standard, members: [Member<Model>] = []
    ) throws(MemberError) {
        let map = MemberMap(members, coding: coding)
        let untyped = AnyResource(name, from: source, at: path, key: [try map.path(of: key)], paging: paging)
        try self.init(untyped, map, searchable: searchable, coding: coding)
    }

    /// A resource whose key is the member of this name, or at this path (`$.meta.id`), whether the model has it or not.
    ///
    /// - Throws: ``MemberError`` if the JSON member of a searchable property cannot be found.
    public init(
        _ name: String, from source: Source, at path: String, key: String, paging: Paging = .automatic,
        searchable: [any PartialKeyPath<Model> & Sendable] = [], coding: RecordCoding = .standard,
        members: [Member<Model>] = []
    ) throws(MemberError) {
        let untyped = AnyResource(name, from: source, at: path, key: key, paging: paging)
        try self.init(untyped, MemberMap(members, coding: coding), searchable: searchable, coding: coding)
    }

    /// The typed view of a resource that is already declared, in Swift or in a config file.
    ///
    /// - Throws: ``MemberError`` if the JSON member of a searchable property cannot be found.
    public init(
        _ untyped: AnyResource, of model: Model.Type = Model.self,
        searchable: [any PartialKeyPath<Model> & Sendable] = [], coding: RecordCoding = .standard,
        members: [Member<Model>] = []
    ) throws(MemberError) {
        try self.init(untyped, MemberMap(members, coding: coding), searchable: searchable, coding: coding)
    }

    private init(
        _ untyped: AnyResource, _ members: MemberMap<Model>, searchable: [any PartialKeyPath<Model> & Sendable],
        coding: RecordCoding
    ) throws(MemberError) {
        var paths: [JSONPath] = []
        for keyPath in searchable { paths.append(try members.path(of: keyPath)) }
        self.untyped = untyped
        self.coding = coding
        self.members = members
        self.searchable = paths
    }

    /// The path of a property in the JSON of a record.
    ///
    /// - Throws: ``MemberError`` if it cannot be found.
    public func path(of keyPath: any PartialKeyPath<Model> & Sendable) throws(MemberError) -> JSONPath {
        try members.path(of: keyPath)
    }

    /// The model of a stored record.
    func decode(_ record: Record, with decoder: RecordDecoder) throws(RecordError) -> Model {
        try decoder.decode(Model.self, record)
    }

    /// The model of a stored record; nil if it does not decode and need not yet: once the origin has created the record, it has
    /// the real id, and the members that the draft lacks.
    func decodeUnlessPending(
        _ record: Record, with decoder: RecordDecoder, in store: Store
    ) async throws(RecordError) -> Model? {
        do throws(RecordError) { return try decode(record, with: decoder) } catch {
            let isBefore = try await RecordError.mapping { () throws(StoreError) in
                try await store.isBeforeCreation(record)
            }
            guard isBefore else { throw error }
            return nil
        }
    }

    /// The model of a record, such as of one that `Siding.pendingCreations(of:)` gives.
    ///
    /// - Parameters:
    ///   - record: a record of this resource.
    ///   - type: the model of the resource, or another that the record has enough members for, such as a draft.
    /// - Throws: ``RecordError/undecodable(_:)``.
    public func model<Value: Decodable>(
        of record: Record, as type: Value.Type = Model.self
    ) throws(RecordError) -> Value {
        try RecordDecoder(coding).decode(type, record)
    }

    /// The keys of the stored records that typed reads leave out, as ``decodeUnlessPending(_:with:in:)`` does.
    func keysLeftOut(in store: Store) async throws(RecordError) -> [String] {
        let name = name
        let records = try await RecordError.mapping { () throws(StoreError) in
            try await store.recordsBeforeCreation(of: name)
        }
        let decoder = RecordDecoder(coding)
        return records.filter { (try? decode($0, with: decoder)) == nil }.map(\.key)
    }
}

/// Compares the versions of two models by a property that grows with each change.
public struct VersionOrder<Model: Sendable>: Sendable {
    let isOlder: @Sendable (Model, Model) -> Bool

    /// A version that every model has, such as a revision number or the time of the last change.
    public init<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version> & Sendable) {
        isOlder = { $0[keyPath: keyPath] < $1[keyPath: keyPath] }
    }

    /// An optional version: a model without one is older than any with one.
    public init<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version?> & Sendable) {
        isOlder = { one, other in
            guard let newer = other[keyPath: keyPath] else { return false }
            return one[keyPath: keyPath].map { $0 < newer } ?? true
        }
    }

    /// `resource.version = .by(\.updatedAt)`
    public static func by<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version> & Sendable)
        -> Self
    {
        Self(keyPath)
    }

    /// `resource.version = .by(\.updatedAt)`, for an optional property.
    public static func by<Version: Comparable & SendableMetatype>(_ keyPath: any KeyPath<Model, Version?> & Sendable)
        -> Self
    {
        Self(keyPath)
    }
}
