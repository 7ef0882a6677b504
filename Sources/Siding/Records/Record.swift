// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// One stored record.
public struct Record: Sendable, Hashable {
    /// The name of its resource.
    public var resource: String
    /// Its key, as text; unique in the resource.
    public var key: String
    /// The original JSON bytes.
    public var body: [UInt8]
    /// When it was first stored.
    public var firstSeenAt: Timestamp
    /// When its body last changed.
    public var changedAt: Timestamp
    /// When the record was deleted; nil for a live record.
    public var deletedAt: Timestamp?
    /// The run that last wrote it; 0 if none did.
    public var run: RunID
    /// The resource's revision of its last write.
    public var revision: Int64
    /// The number of pending edits. The body includes them; a tombstone with pending edits is about to be deleted at the origin.
    public var pending: Int
}

/// The number of live records and tombstones of a resource.
package struct RecordCount: Sendable, Hashable {
    package var resource: String
    package var count: Int
    package var deleted: Int
}

extension Store {
    /// Up to `limit` records in key order, after `key`.
    package func records(
        of resource: String, after key: String?, limit: Int, deleted: Bool
    ) async throws(StoreError) -> [Record] {
        try await read { snapshot in
            try Self.records(of: resource, snapshot)
                .records(after: key, limit: limit, isDeleted: deleted, snapshot)
        }
    }

    package func record(of resource: String, key: String) async throws(StoreError) -> Record? {
        try await read { snapshot in
            try Self.records(of: resource, snapshot).record(under: key, snapshot)
        }
    }

    package func count(of resource: String) async throws(StoreError) -> RecordCount {
        try await read { snapshot in
            let count = try Self.records(of: resource, snapshot).count(snapshot)
            return RecordCount(resource: resource, count: count.living, deleted: count.deleted)
        }
    }
}

extension StoreError {
    init(noResource name: String) {
        self.init(
            .notFound, "no resource is stored under the name '\(PlainText.oneLine(name, limit: 100))'",
            hint: "'siding status' lists the resources")
    }
}

extension Record {
    /// Reads ``RecordsTable/recordColumns``.
    init(_ row: borrowing Row, of resource: String) throws {
        self.init(
            resource: resource, key: try row.text("key"), body: try row.blob("body"),
            firstSeenAt: try row.time("first_seen_at"), changedAt: try row.time("changed_at"),
            deletedAt: try row.optionalTime("deleted_at"), run: try row.int("run"), revision: try row.int("revision"),
            pending: Int(try row.int("pending")))
    }
}
