public import SidingJSON

/// The fields of a resource's stored records, with counts.
public struct ResourceSchema: Sendable, Hashable {
    public var resource: String
    /// The number of live records.
    public var records: Int
    /// The number of records examined, spread evenly over all.
    public var scanned: Int
    /// Members first seen after this run are new; nil if there was no run before the newest.
    public var since: RunID?
    /// In the order of their first occurrence; an object's members follow it.
    public var fields: [Field]
    /// Whether there are more fields than listed.
    public var isCut: Bool
    /// The names of computed columns.
    var computed: [String] = []

    /// One member of the records, at any depth.
    public struct Field: Sendable, Hashable {
        public var path: JSONPath
        /// The column of the view that shows it; nil if there is none.
        public var column: String?
        /// The number of values by type, without null.
        public var types: [ValueTypeCount]
        /// The number of records that have it, including null.
        public var present: Int
        public var nulls: Int
        /// The number of examined records without it.
        public var missing: Int
        /// Whether no record before ``ResourceSchema/since`` had it. Only for top-level members.
        public var isNew: Bool
        /// Whether a type was first seen after ``ResourceSchema/since``.
        public var hasNewType: Bool
        /// Problems with showing it in the view, as messages.
        public var problems: [String]
        /// Details for ``ResourceSchema/suggestion``.
        var traits = Traits()
    }

    /// A type and its number of values.
    public struct ValueTypeCount: Sendable, Hashable {
        public var type: ValueType
        public var count: Int
    }

    /// The JSON types that are counted.
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

    /// The default number of records to examine.
    public static let usualSample = 100_000
    /// The maximum number of fields to list.
    public static let mostFields = 1_000
}

extension Siding {
    /// Examines the stored records of a resource: their fields, types and counts.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    public func schema(
        of resource: any SyncedResource, sample: Int = ResourceSchema.usualSample
    ) async throws(StoreError) -> ResourceSchema {
        try await store.schema(of: resource.untyped.name, sample: sample, since: nil)
    }
}
