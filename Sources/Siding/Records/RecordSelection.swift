package import SidingJSON

/// A query for live records of a resource: filter, order and range.
package struct RecordSelection: Sendable, Hashable {
    package var resource: String
    /// Nil for all.
    package var filter: RecordFilter?
    /// The order by members, most significant first; ties, or all records if empty, by the bytes of the key.
    package var order: [RecordOrder] = []
    /// Only keys after this one; use it without an `order`.
    package var after: String?
    /// Nil for no limit.
    package var limit: Int?
    /// The number of records to skip.
    package var offset = 0
}

/// A member to sort by: NULL first, then numbers, then texts by their bytes; or in reverse.
package struct RecordOrder: Sendable, Hashable {
    package var path: JSONPath
    package var isDescending = false
}

/// Records as of one time.
package struct RecordBatch: Sendable, Hashable {
    package var records: [Record]
    /// The resource's revision at that time; later writes have higher ones. 0 if nothing was ever written.
    package var revision: Int64
}

/// A query for records by key.
package struct RecordLookup: Sendable, Hashable {
    package var resource: String
    package var keys: [String]
    /// Nil for all.
    package var filter: RecordFilter?
    /// Whether to include tombstones.
    package var includesDeleted = false
}

/// The keys that were written since a revision.
package struct ChangedKeys: Sendable, Hashable {
    /// The resource's revision now.
    package var revision: Int64
    /// Inserted, updated or deleted since; each once.
    package var keys: [String]
}
