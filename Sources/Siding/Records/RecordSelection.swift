// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// A query for live records of a resource: filter, order and range.
package struct RecordSelection: Sendable, Hashable {
    package var resource: String
    /// Nil for all.
    package var filter: RecordFilter?
    /// The keys of records that are left out.
    package var excluded: [String] = []
    /// The order by members, most significant first; ties, or all records if empty, by the bytes of the key.
    package var order: [RecordOrder]
    /// Only keys after this one; use it without an `order`.
    package var after: String?
    /// Nil for no limit.
    package var limit: Int?
    /// The number of records to skip.
    package var offset = 0

    package init(
        resource: String, filter: RecordFilter? = nil, order: [RecordOrder] = [], after: String? = nil,
        limit: Int? = nil
    ) {
        (self.resource, self.filter, self.order, self.after) = (resource, filter, order, after)
        self.limit = limit
    }
}

/// A member to sort by: NULL first, then numbers, then texts by their bytes; or in reverse.
package struct RecordOrder: Sendable, Hashable {
    package var path: JSONPath
    package var isDescending: Bool

    package init(path: JSONPath, isDescending: Bool = false) {
        (self.path, self.isDescending) = (path, isDescending)
    }
}

/// Records as of one time.
package struct RecordBatch: Sendable, Hashable {
    package var records: [Record]
    /// The resource's number, as in ``ChangedKeys``.
    package var number: Int64
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
    package var includesDeleted: Bool
    /// Whether to read what the origin has of a record with pending edits, in place of the edited record.
    package var omitsEdits = false

    package init(resource: String, keys: [String], filter: RecordFilter? = nil, includesDeleted: Bool = false) {
        (self.resource, self.keys, self.filter) = (resource, keys, filter)
        self.includesDeleted = includesDeleted
    }
}

/// The keys that were written since a revision.
package struct ChangedKeys: Sendable, Hashable {
    /// The resource's number now; 0 if nothing is stored of it. It has another after it was forgotten.
    package var number: Int64
    /// The resource's revision now.
    package var revision: Int64
    /// Inserted, updated or deleted since; each once. Those of records that were removed for good are not among them.
    package var keys: [String]
    /// All keys that live, where records may have been removed for good since; nil where none was.
    package var living: [String]?

    package init(number: Int64, revision: Int64, keys: [String], living: [String]? = nil) {
        (self.number, self.revision, self.keys, self.living) = (number, revision, keys, living)
    }
}
