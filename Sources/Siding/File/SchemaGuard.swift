// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingMigrations
internal import SidingSQLite
internal import SidingSynchronization

/// Refuses a file of another build, and one whose schema has objects that our migrations and view builder did not make.
///
/// Views and indexes run SQL when they are used, so a planted one would run with our rights (https://sqlite.org/security.html).
enum SchemaGuard {
    private static let ours = SchemaMigrations.all.map(\.sql).joined(separator: "\n")

    /// The statements that make our tables, as SQLite keeps them.
    private static let ourTables = ours.split(separator: ";\n").compactMap { statement in
        statement.firstRange(of: "\nCREATE TABLE ").map { String(statement[$0.lowerBound...].dropFirst()) }
    }

    /// Refuses a file whose tables are not those of this build. Everything that reads a table comes after it.
    static func checkTables(_ snapshot: borrowing Snapshot, path: String) throws {
        try checkVersion(snapshot, path)
        let tables = Set(try snapshot.schemaObjects(of: [.table]).map(\.sql))
        guard tables.isSuperset(of: ourTables) else { throw StoreError(unreleasedFileAt: path) }
    }

    /// - Parameter snapshot: of a file that ``checkTables(_:path:)`` has taken.
    static func check(_ snapshot: borrowing Snapshot, path: String) throws {
        let views = try ResourceView.all(snapshot)
        let made = Set(views.flatMap { ($0.creations + $0.table.possibleIndexes).map(\.text) })
        let tables = Set(views.filter { $0.table.layout != nil }.map(\.table.name))
        for object in try snapshot.schemaObjects(of: [.view, .trigger, .index, .table]) {
            let isKnown =
                switch object.kind {
                case .index: made.contains(object.sql) || ours.contains(bytesOf: object.sql)
                case .view:
                    try made.contains(object.sql) || ours.contains(bytesOf: object.sql)
                        || TextIndex.isSource(object, of: views.map(\.table), snapshot)
                // Those of resources are made as the program runs. Other tables of ours are as the migrations have them.
                case .table: !tables.contains(object.name) || RecordsTable.isPlain(object.sql)
                default: false
                }
            guard isKnown else { throw try unknown(object, path, snapshot) }
        }
    }

    private static func checkVersion(_ snapshot: borrowing Snapshot, _ path: String) throws {
        let version = try snapshot.first("PRAGMA user_version") { Int($0.int(0)) } ?? 0
        guard version <= SchemaMigrations.all.count else {
            throw StoreError(
                .newer, "\(path) has schema version \(version), this siding knows up to \(SchemaMigrations.all.count)",
                hint: "use the siding that wrote it, or a newer one")
        }
        guard version == SchemaMigrations.all.count else {
            throw StoreError(
                .inaccessible, "\(path) has schema version \(version) of \(SchemaMigrations.all.count)",
                hint: "run 'siding db migrate' as a user who may write it")
        }
    }

    /// The error for an unknown object. A process that may write the file has already rebuilt outdated views at this point.
    private static func unknown(
        _ object: SchemaObject, _ path: String, _ snapshot: borrowing Snapshot
    ) throws -> StoreError {
        guard try !ResourcesTable.outdated(snapshot).isEmpty else { return foreign(object, path) }
        return StoreError(
            .inaccessible, "the views of \(path) were made by another version of siding or of SQLite",
            hint: "run 'siding db migrate' as a user who may write it")
    }

    private static func foreign(_ object: SchemaObject, _ path: String) -> StoreError {
        StoreError(
            .foreign, "\(path) holds a \(object.kind) '\(PlainText.oneLine(object.name))' that siding did not make",
            hint: "remove it with the sqlite3 shell if it is yours; keep your own views and indexes in another file")
    }
}

extension String {
    /// Whether this text contains `part`, byte for byte.
    ///
    /// Every command that opens the file calls this for each index, so it uses the C library, which is fast in a debug build
    /// too.
    fileprivate func contains(bytesOf part: String) -> Bool {
        guard let first = part.utf8.first else { return true }
        var (text, part) = (self, part)
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let start = text.baseAddress, let wanted = part.baseAddress else { return false }
                let end = start + text.count - part.count
                var place = start
                while place <= end, let hit = memchr(place, Int32(first), end - place + 1) {
                    if memcmp(hit, wanted, part.count) == 0 { return true }
                    place = start + (UnsafeRawPointer(hit) - UnsafeRawPointer(start)) + 1
                }
                return false
            }
        }
    }
}
