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

/// Finds records by what their bodies say. A resource that was never opened has no records here.
public protocol SelectionStore: Sendable {
    /// - Throws: ``StoreError/Kind/invalidQuery`` where a member is out of the store's reach, or a filter is nested too
    ///   deeply.
    func select(_ selection: RecordSelection) async throws(StoreError) -> RecordBatch

    /// The keys alone, for those who then read the records in portions.
    func keys(_ selection: RecordSelection) async throws(StoreError) -> [String]

    /// Those records of the lookup that are there, in the order of its keys.
    func records(_ lookup: RecordLookup) async throws(StoreError) -> [Record]

    /// How many records a selection means, its limit and offset taken into account.
    func count(_ selection: RecordSelection) async throws(StoreError) -> Int
}
