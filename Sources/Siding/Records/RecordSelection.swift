public import SidingJSON

/// A query for live records of a resource: filter, order and range.
public struct RecordSelection: Sendable, Hashable {
    public var resource: String
    /// Nil for all.
    public var filter: RecordFilter?
    /// The order by members, most significant first; ties, or all records if empty, by the bytes of the key.
    public var order: [RecordOrder]
    /// Only keys after this one; use it without an `order`.
    public var after: String?
    /// Nil for no limit.
    public var limit: Int?
    /// The number of records to skip.
    public var offset: Int

    public init(
        of resource: String, filter: RecordFilter? = nil, order: [RecordOrder] = [], after: String? = nil,
        limit: Int? = nil, offset: Int = 0
    ) {
        self.resource = resource
        self.filter = filter
        self.order = order
        self.after = after
        self.limit = limit
        self.offset = offset
    }
}

/// A member to sort by: NULL first, then numbers, then texts by their bytes; or in reverse.
public struct RecordOrder: Sendable, Hashable {
    public var path: JSONPath
    public var isDescending: Bool

    public init(_ path: JSONPath, isDescending: Bool = false) {
        self.path = path
        self.isDescending = isDescending
    }
}

/// Records as of one time.
public struct RecordBatch: Sendable, Hashable {
    public var records: [Record]
    /// The resource's revision at that time; later writes have higher ones. 0 if nothing was ever written.
    public var revision: Int64

    public init(records: [Record], revision: Int64) {
        self.records = records
        self.revision = revision
    }
}

/// A query for records by key.
public struct RecordLookup: Sendable, Hashable {
    public var resource: String
    public var keys: [String]
    /// Nil for all.
    public var filter: RecordFilter?
    /// Whether to include tombstones.
    public var includesDeleted: Bool

    public init(of resource: String, keys: [String], filter: RecordFilter? = nil, includesDeleted: Bool = false) {
        self.resource = resource
        self.keys = keys
        self.filter = filter
        self.includesDeleted = includesDeleted
    }
}

/// The keys that were written since a revision.
public struct ChangedKeys: Sendable, Hashable {
    /// The resource's revision now.
    public var revision: Int64
    /// Inserted, updated or deleted since; each once.
    public var keys: [String]

    public init(revision: Int64, keys: [String]) {
        self.revision = revision
        self.keys = keys
    }
}
