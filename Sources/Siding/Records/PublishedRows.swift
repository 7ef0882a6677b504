// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingSQLite

/// A resource as it is published: its columns, and how far its changes go.
package struct PublishedResource: Sendable, Hashable {
    /// The resource's number: another one once it was forgotten and made again.
    package var number: Int64
    /// The revision of its newest change.
    package var revision: Int64
    /// The revision of the newest deletion that is no longer stored: the changes since an earlier one are incomplete.
    package var forgotten: Int64
    /// The declared columns.
    package var columns: [RecordColumn]
    /// Whether there is a table of records: not before the first one.
    package var hasRecords: Bool
}

/// A record as it is published, living or deleted.
package struct PublishedRow: Sendable, Hashable {
    package var key: String
    package var body: [UInt8]
    package var revision: Int64
    package var changedAt: Timestamp
    package var deletedAt: Timestamp?
    /// One for each declared column.
    package var values: [ColumnValue]
}

/// The next changes of a resource: all up to a revision, as those of one revision were one commit.
package struct PublishedRows: Sendable, Hashable {
    package var resource: PublishedResource
    /// In the order of their revisions.
    package var rows: [PublishedRow]
    /// The position behind them.
    package var revision: Int64
}

extension Store {
    /// The resource as it is published; nil if nothing of it is stored.
    package func published(_ resource: String) async throws(StoreError) -> PublishedResource? {
        try await read { try ResourceView.load(named: resource, $0).map(PublishedResource.init) }
    }

    /// The changes after `revision`, as of one time; nil if nothing of the resource is stored.
    ///
    /// - Parameters:
    ///   - rows: how many; all rows of the last revision come with it.
    ///   - bytes: how many bytes of bodies.
    package func changes(
        of resource: String, after revision: Int64, rows most: Int, bytes: Int
    ) async throws(StoreError) -> PublishedRows? {
        try await read { snapshot in
            guard let view = try ResourceView.load(named: resource, snapshot) else { return nil }
            let columns = view.viewColumns.prefix(view.schema.columns.count)
            let own: [SQL] = ["key", "body", "revision", "changed_at", "deleted_at"]
            let selected = own + columns.enumerated().map { "\($1.exported) AS value_\(integer: $0)" }
            var find = try snapshot.prepare(
                "SELECT \(selected.joined) FROM \(view.table.rows) WHERE revision > ?1 ORDER BY revision")
            try find.bind(1, revision)
            var (rows, size) = ([PublishedRow](), 0)
            while try find.step() {
                let row = find.row
                let itsRevision = try row.int("revision")
                if rows.count >= most || size >= bytes, let last = rows.last, last.revision < itsRevision {
                    return PublishedRows(resource: PublishedResource(view), rows: rows, revision: last.revision)
                }
                var values: [ColumnValue] = []
                values.reserveCapacity(columns.count)
                for (index, column) in columns.enumerated() { values.append(column.value(own.count + index, of: row)) }
                let body = try row.blob("body")
                size += body.count
                rows.append(
                    PublishedRow(
                        key: try row.text("key"), body: body, revision: itsRevision,
                        changedAt: try row.time("changed_at"),
                        deletedAt: try row.optionalTime("deleted_at"), values: values))
            }
            let published = PublishedResource(view)
            return PublishedRows(resource: published, rows: rows, revision: max(revision, published.revision))
        }
    }

    /// How many records have changed since `position`; 0 if nothing of the resource is stored.
    package func countChanges(
        of resource: String, since position: Publication.Position?
    ) async throws(StoreError) -> Int {
        try await read { snapshot in
            guard let view = try ResourceView.load(named: resource, snapshot) else { return 0 }
            // After the resource was forgotten all of it is new.
            let revision = position?.number == view.table.resource ? position?.revision ?? 0 : 0
            return try snapshot.first("SELECT COUNT(*) FROM \(view.table.rows) WHERE revision > ?1", revision) {
                Int($0.int(0))
            } ?? 0
        }
    }

    /// Those of `keys` under which no living record is stored.
    package func missing(_ keys: [String], in resource: String) async throws(StoreError) -> [String] {
        try await read { snapshot in
            guard let view = try ResourceView.load(named: resource, snapshot) else { return keys }
            return try keys.filter { try view.table.row(of: $0, isLive: true, snapshot) == nil }
        }
    }
}

extension PublishedResource {
    fileprivate init(_ view: ResourceView) {
        let row = view.table.row
        self.init(
            number: row.id, revision: row.revision, forgotten: row.forgotten, columns: view.schema.columns,
            hasRecords: view.table.layout != nil)
    }
}
