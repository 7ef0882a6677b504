public import SidingJSON

/// What the records of a resource look like, counted.
public struct ResourceSchema: Sendable, Hashable {
    public var resource: String
    /// Living records that are stored.
    public var records: Int
    /// How many of them were looked at, spread evenly over all.
    public var scanned: Int
    /// Members that were first seen after this run are new; nil where there was no run before the newest.
    public var since: RunID?
    /// In the order in which they were met; an object's members behind it.
    public var fields: [Field]
    /// Whether there are more fields than are told of.
    public var isCut: Bool
    /// The names of columns that the view computes.
    var computed: [String] = []

    /// One member, wherever it lies in the records.
    public struct Field: Sendable, Hashable {
        public var path: JSONPath
        /// The column of the view that shows it.
        public var column: String?
        /// How often it had which type, without null.
        public var types: [ValueTypeCount]
        /// Records that have it, null or not.
        public var present: Int
        public var nulls: Int
        /// Records that were looked at and do not have it.
        public var missing: Int
        /// Whether no record before ``ResourceSchema/since`` had it. Told of the records' own members.
        public var isNew: Bool
        /// Whether it had a type after ``ResourceSchema/since`` that it did not have before.
        public var hasNewType: Bool
        /// What the view cannot show right.
        public var problems: [String]
        /// What ``ResourceSchema/suggestion`` goes by.
        var traits = Traits()
    }

    /// A type of values, and how many there were.
    public struct ValueTypeCount: Sendable, Hashable {
        public var type: ValueType
        public var count: Int
    }

    public enum ValueType: String, Sendable, Hashable, CaseIterable {
        case string, integer, real, boolean, object, array
    }

    struct Traits: Sendable, Hashable {
        var moments = 0
        var longIntegers = 0
        var textsWithNUL = 0
        var misfits = 0
        var arraysOfObjects = 0
        var isReachable = true
    }

    /// The most records that are looked at unless told otherwise.
    public static let usualSample = 100_000
    /// The most fields that are told of.
    public static let mostFields = 1_000
}

extension Siding {
    /// What the stored records of a resource look like.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a resource of which nothing is stored.
    public func schema(
        of resource: any SyncedResource, sample: Int = ResourceSchema.usualSample
    ) async throws(StoreError) -> ResourceSchema {
        try await store.schema(of: resource.untyped.name, sample: sample, since: nil)
    }
}
