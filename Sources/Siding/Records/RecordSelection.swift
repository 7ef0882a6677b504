public import SidingJSON

/// Which living records of a resource are wanted, in which order, and how many.
public struct RecordSelection: Sendable, Hashable {
    public var resource: String
    /// Nil for all.
    public var filter: RecordFilter?
    /// By the first, then the second and so on; at last, or where empty, by the bytes of the key.
    public var order: [RecordOrder]
    /// Only keys behind this one; to be used without an order of its own.
    public var after: String?
    /// Nil for no end.
    public var limit: Int?
    /// So many are left out first.
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

/// One member by which records are ordered: nothing first, then numbers, then texts by their bytes; or the other way round.
public struct RecordOrder: Sendable, Hashable {
    public var path: JSONPath
    public var isDescending: Bool

    public init(_ path: JSONPath, isDescending: Bool = false) {
        self.path = path
        self.isDescending = isDescending
    }
}

/// Records of one moment.
public struct RecordBatch: Sendable, Hashable {
    public var records: [Record]
    /// The resource's revision at that moment; what was written later has a higher one. 0 where nothing was ever written.
    public var revision: Int64

    public init(records: [Record], revision: Int64) {
        self.records = records
        self.revision = revision
    }
}

/// Records by their keys.
public struct RecordLookup: Sendable, Hashable {
    public var resource: String
    public var keys: [String]
    /// Nil for all.
    public var filter: RecordFilter?
    /// Whether tombstones are wanted too.
    public var includesDeleted: Bool

    public init(of resource: String, keys: [String], filter: RecordFilter? = nil, includesDeleted: Bool = false) {
        self.resource = resource
        self.keys = keys
        self.filter = filter
        self.includesDeleted = includesDeleted
    }
}
