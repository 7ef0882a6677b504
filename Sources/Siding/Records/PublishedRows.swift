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
    /// Whether a listing was ever complete: until then records may be missing here that the origin has.
    package var isListed: Bool
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

/// The next changes of a resource.
package struct PublishedRows: Sendable, Hashable {
    /// A place among the changes.
    package struct Place: Sendable, Hashable {
        /// All changes up to this revision are before it.
        package var revision: Int64
        /// The row up to which those of the next revision are before it, too; nil for none. One commit of the file may have any number.
        package var row: Int64?

        package init(revision: Int64) {
            self.revision = revision
        }
    }

    package var resource: PublishedResource
    /// In the order of their revisions.
    package var rows: [PublishedRow]
    /// The place behind them.
    package var end: Place
}

extension Store {
    /// The resource as it is published; nil if nothing of it is stored.
    package func published(_ resource: String) async throws(StoreError) -> PublishedResource? {
        try await read { try ResourceView.load(named: resource, $0).map(PublishedResource.init) }
    }

    /// The changes behind `place`, as of one time; nil if nothing of the resource is stored.
    ///
    /// - Parameters:
    ///   - rows: how many.
    ///   - bytes: how many bytes of bodies; the last record may exceed it.
    package func changes(
        of resource: String, behind place: PublishedRows.Place, rows most: Int, bytes: Int
    ) async throws(StoreError) -> PublishedRows? {
        try await read { snapshot in
            guard let view = try ResourceView.load(named: resource, snapshot) else { return nil }
            let columns = view.viewColumns.prefix(view.schema.columns.count)
            let own: [SQL] = ["key", "body", "revision", "changed_at", "deleted_at", "rowid AS row"]
            let selected = own + columns.enumerated().map { "\($1.exported) AS value_\(integer: $0)" }
            var find = try snapshot.prepare(
                """
                SELECT \(selected.joined) FROM \(view.table.rows)
                WHERE revision > ?1 AND (revision > ?1 + 1 OR rowid > ?2) ORDER BY revision, rowid
                """)
            try find.bind(all: [.integer(place.revision), .integer(place.row ?? .min)] as [SQLiteValue])
            let published = PublishedResource(view)
            var (rows, size, end) = ([PublishedRow](), 0, place)
            while try find.step() {
                let row = find.row
                if rows.count >= most || size >= bytes {
                    return PublishedRows(resource: published, rows: rows, end: end)
                }
                var values: [ColumnValue] = []
                values.reserveCapacity(columns.count)
                for (index, column) in columns.enumerated() { values.append(column.value(own.count + index, of: row)) }
                let body = try row.blob("body")
                size += body.count
                rows.append(
                    PublishedRow(
                        key: try row.text("key"), body: body, revision: try row.int("revision"),
                        changedAt: try row.time("changed_at"),
                        deletedAt: try row.optionalTime("deleted_at"), values: values))
                end.revision = try row.int("revision") - 1
                end.row = try row.int("row")
            }
            return PublishedRows(
                resource: published, rows: rows,
                end: PublishedRows.Place(revision: max(place.revision, published.revision)))
        }
    }

    /// How many records have changed after `revision`; 0 if nothing of the resource is stored.
    ///
    /// - Parameter number: the number of the resource whose revision that is; all records of another one are new.
    package func countChanges(
        of resource: String, after revision: Int64, number: Int64?
    ) async throws(StoreError) -> Int {
        try await read { snapshot in
            guard let table = try RecordsTable.load(named: resource, snapshot) else { return 0 }
            let known = number == table.resource ? revision : 0
            // Mostly nothing has changed, and the table need not be read.
            guard table.row.revision > known else { return 0 }
            return try snapshot.first("SELECT COUNT(*) FROM \(table.rows) WHERE revision > ?1", known) {
                Int($0.int(0))
            } ?? 0
        }
    }

    /// When the oldest change after `revision` was made; nil if there is none, or if that is the revision of another resource
    /// than `number`. Found by the index of ``indexChanges(of:)``, which the first publication makes.
    package func oldestChange(
        of resource: String, after revision: Int64, number: Int64
    ) async throws(StoreError) -> Timestamp? {
        try await read { snapshot in
            guard let table = try RecordsTable.load(named: resource, snapshot), table.resource == number,
                table.row.revision > revision
            else { return nil }
            return try snapshot.first(
                "SELECT changed_at FROM \(table.rows) WHERE revision > ?1 ORDER BY revision LIMIT 1", revision
            ) { Timestamp(microseconds: $0.int(0)) }
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
    init(_ view: ResourceView) {
        let row = view.table.row
        self.init(
            number: row.id, revision: row.revision, forgotten: row.forgotten, columns: view.schema.columns,
            hasRecords: view.table.layout != nil, isListed: row.completedAt != nil)
    }
}
