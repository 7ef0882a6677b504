// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingPostgreSQL

/// The table of a resource in the hub, which all stations share: one row per station and key.
///
/// Siding's own columns have names that no declared column can have, and come first, so that a column that is declared later
/// extends the view of the living records.
struct HubTable: Sendable {
    let schema: String
    let resource: String
    let columns: [RecordColumn]
    /// The names of declared columns for which the hub's table has no room: it has the columns of all stations, at most 1,600
    /// (https://www.postgresql.org/docs/current/limits.html).
    var unmade: Set<String> = []

    /// The columns of every such table, with their types as `format_type` writes them.
    static let own: [(name: String, type: String)] = [
        ("siding_station", "text"), ("siding_key", "text"), ("siding_body", "json"), ("siding_revision", "bigint"),
        ("siding_changed_at", "timestamp with time zone"), ("siding_deleted_at", "timestamp with time zone"),
    ]

    /// The columns that make a row one row. The station comes first: it can be what the table is distributed by.
    static let primaryKey = ["siding_station", "siding_key"]

    /// In bytes: station and key are in an index, whose entries have at most 2,704.
    static let longestKey = 1_500

    /// Whether a record with this key can be stored there; others are left out.
    static func holds(key: String) -> Bool { HubValue.isStorable(key) && key.utf8.count <= longestKey }

    var name: String { "\(SQLName(schema)).\(SQLName(resource))" }
    var viewName: String { "\(SQLName(schema)).\(SQLName(resource + Self.viewSuffix))" }

    /// The declared columns that the hub's table has.
    var declared: [(name: String, type: String)] {
        columns.filter { !unmade.contains($0.name) }.map { ($0.name, $0.type.inHub) }
    }

    // MARK: Names

    /// In bytes; PostgreSQL cuts longer names, and two resources could become one table.
    private static let longestName = 63
    private static let viewSuffix = "_live"
    /// Columns that every table of PostgreSQL has (https://www.postgresql.org/docs/current/ddl-system-columns.html).
    private static let systemColumns: Set = ["cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"]

    /// - Throws: ``HubError`` of kind `refused` if no table of PostgreSQL can have such a name or such columns.
    func check() throws(HubError) {
        let longest = Self.longestName - Self.viewSuffix.utf8.count
        guard resource.utf8.count <= longest else {
            throw HubError(
                .refused, "the name of the resource is longer than the \(longest) bytes that the hub's tables allow",
                hint: "give it a shorter name under 'resources'")
        }
        if let long = columns.first(where: { $0.name.utf8.count > Self.longestName }) {
            throw HubError(
                .refused,
                "the name of the column '\(long.name)' is longer than the \(Self.longestName) bytes that PostgreSQL keeps",
                hint: "give it a shorter name under 'columns'")
        }
        if let taken = columns.first(where: { Self.systemColumns.contains($0.name) }) {
            throw HubError(
                .refused, "every table of PostgreSQL has a column '\(taken.name)' of its own",
                hint: "give that column another name under 'columns'")
        }
    }

    /// Creates the table and the view of the records that live.
    var creation: [String] {
        let columns = (Self.own + declared).map { column in
            let isNeeded =
                !["siding_body", "siding_deleted_at"].contains(column.name) && column.name.hasPrefix("siding_")
            return "\(SQLName(column.name)) \(column.type)\(isNeeded ? " NOT NULL" : "")"
        }
        let key = Self.primaryKey.map { "\(SQLName($0))" }.joined(separator: ", ")
        return [
            "CREATE TABLE IF NOT EXISTS \(name) (\(columns.joined(separator: ", ")), PRIMARY KEY (\(key)))",
            viewCreation,
        ]
    }

    var viewCreation: String {
        "CREATE OR REPLACE VIEW \(viewName) AS SELECT * FROM \(name) WHERE siding_deleted_at IS NULL"
    }

    /// Adds a column that was declared since.
    func addition(of column: (name: String, type: String)) -> [String] {
        ["ALTER TABLE \(name) ADD COLUMN IF NOT EXISTS \(SQLName(column.name)) \(column.type)", viewCreation]
    }

    /// Inserts rows none of which is there.
    var copy: String {
        "COPY \(name) (\((Self.own + declared).map { "\(SQLName($0.name))" }.joined(separator: ", "))) FROM STDIN"
    }

    /// Inserts or replaces rows: `$1` is the station, and each other parameter an array of texts, one for each column. An
    /// array of every type would need a driver that knows them; a cast in the server does not.
    var upsert: String {
        let columns = Self.own.dropFirst() + declared
        let names = columns.map { "\(SQLName($0.name))" }
        let arrays = columns.indices.map { "$\($0 - columns.startIndex + 2)::text[]" }
        let rows = columns.indices.map { "v\($0)" }
        let values = zip(rows, columns).map { "\($0)::\($1.type)" }
        let changes = names.dropFirst().map { "\($0) = excluded.\($0)" }
        return """
            INSERT INTO \(name) (siding_station, \(names.joined(separator: ", ")))
            SELECT $1, \(values.joined(separator: ", "))
            FROM unnest(\(arrays.joined(separator: ", "))) AS rows (\(rows.joined(separator: ", ")))
            ON CONFLICT (siding_station, siding_key) DO UPDATE SET \(changes.joined(separator: ", "))
            """
    }
}

/// A name in SQL, in quotes.
struct SQLName: CustomStringConvertible {
    let description: String

    init(_ name: String) {
        description = "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}

extension ColumnType {
    /// The type of such a column in the hub, as `format_type` writes it.
    fileprivate var inHub: String {
        switch self {
        case .any, .text: "text"
        case .integer: "bigint"
        case .real: "double precision"
        case .decimal: "numeric"
        case .boolean: "boolean"
        case .datetime: "timestamp with time zone"
        case .date: "date"
        case .json: "json"
        }
    }
}
