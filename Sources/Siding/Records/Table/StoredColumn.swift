internal import SidingJSON
internal import SidingSQLite

/// A declared column whose values are stored in the row, before the body: `_state` for the column `state`.
///
/// One expression makes the view's column while rows are still to be filled, the values that are written with each row, and
/// those of rows that were there before. What is declared as `json` would only be the body's text once more: it is stored where
/// it has an index, and else stays an expression over the body.
struct StoredColumn: Sendable, Hashable {
    var column: RecordColumn
    /// Rows from this one on are still to be filled; nil where all are.
    var fillFrom: Int64?

    /// Before every row.
    static let beginning = Int64.min

    /// The name in the table: none of the table's own columns begins so.
    var name: String { "_\(column.name)" }

    /// Its value in a row whose body is `body`.
    func value(of body: SQL) -> SQL { ColumnExpression.member(column.path, of: body).sql(column.type) }

    /// Whether `other` has the same values.
    func showsSame(as other: RecordColumn) -> Bool { column.path == other.path && column.type == other.type }

}

extension StoredColumn {
    /// The columns of a resource that are stored and declared.
    static func load(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [StoredColumn] {
        try all(of: resource, database).filter(\.isDeclared).map(\.column)
    }

    private typealias Known = (column: StoredColumn, isDeclared: Bool)

    private static func all(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [Known] {
        try database.query(
            """
            SELECT name, path, type, format, is_indexed, is_declared, fill_from FROM siding_stored_columns
            WHERE resource = ?1 ORDER BY name
            """, resource
        ) { row in
            guard let path = try? JSONPath(parsing: row.text(1)) else {
                throw StoreError(
                    .corrupt, "the column '\(PlainText.oneLine(row.text(0)))' has no path that can be read")
            }
            let column = RecordColumn(
                row.text(0), ColumnType(name: row.text(2), format: row.optionalText(3)), at: path,
                isIndexed: row.int(4) == 1)
            return (column: StoredColumn(column: column, fillFrom: row.optionalInt(6)), isDeclared: row.int(5) == 1)
        }
    }

    /// Makes `wanted` the stored columns of a table that is there: missing ones are added behind the body, those that show
    /// something else are filled anew, and those that are declared no more stay unused.
    static func declare(
        _ wanted: [RecordColumn], in table: RecordsTable, hasRows: Bool, _ transaction: borrowing Transaction
    ) throws {
        let known = try all(of: table.resource, transaction)
        let isFilling = known.contains { $0.isDeclared && $0.column.fillFrom != nil }
        var isNew = false
        for column in wanted {
            let old = known.first { $0.column.column.name.lowercased() == column.name.lowercased() }
            let name = StoredColumn(column: column).name
            let isThere = try transaction.first(
                "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE", table.name, name
            ) { _ in true }
            if isThere != true {
                try transaction.execute("ALTER TABLE \(identifier: table.name) ADD COLUMN \(identifier: name) ANY")
            }
            let isSame = old.map { $0.isDeclared && $0.column.showsSame(as: column) } ?? false
            isNew = isNew || !isSame
            let from = hasRows ? (isSame ? old?.column.fillFrom : beginning) : nil
            var stored = StoredColumn(column: column, fillFrom: from)
            stored.column.name = old?.column.column.name ?? column.name
            try save(stored, of: table.resource, transaction)
        }
        for old in known where old.isDeclared {
            guard !wanted.contains(where: { $0.name.lowercased() == old.column.column.name.lowercased() }) else {
                continue
            }
            try transaction.execute(
                "UPDATE siding_stored_columns SET is_declared = 0, fill_from = NULL WHERE resource = ?1 AND name = ?2",
                table.resource, old.column.column.name)
        }
        // Columns that are filled together are filled up to the same row.
        if isNew, isFilling { try fillAgain(table.resource, where: "fill_from IS NOT NULL", transaction) }
    }

    /// Fills all columns anew: another version of SQLite may read some values differently.
    static func fillAgain(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try fillAgain(resource, where: "is_declared = 1", transaction)
    }

    private static func fillAgain(
        _ resource: Int64, where condition: SQL, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_stored_columns SET fill_from = ?2 WHERE resource = ?1 AND \(condition)", resource, beginning)
    }

    /// Notes the columns of a table that is made with them.
    static func insert(
        _ columns: [StoredColumn], of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        for column in columns { try save(column, of: resource, transaction) }
    }

    private static func save(
        _ stored: StoredColumn, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        let column = stored.column
        try transaction.execute(
            """
            INSERT INTO siding_stored_columns (resource, name, path, type, format, is_indexed, is_declared, fill_from)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)
            ON CONFLICT (resource, name) DO UPDATE SET path = excluded.path, type = excluded.type, format = excluded.format,
                is_indexed = excluded.is_indexed, is_declared = 1, fill_from = excluded.fill_from
            """, resource, column.name, column.path.description, column.type.name, column.type.format, column.isIndexed,
            stored.fillFrom)
    }

    /// Notes up to where the columns of a resource are filled; nil where all rows are.
    static func setFilled(_ resource: Int64, from row: Int64?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_stored_columns SET fill_from = ?2 WHERE resource = ?1 AND fill_from IS NOT NULL", resource,
            row)
    }

    /// Forgets the columns that a table with another layout was made without.
    static func forgetUndeclared(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "DELETE FROM siding_stored_columns WHERE resource = ?1 AND is_declared = 0", resource)
    }

    /// Forgets the columns of a table that is dropped.
    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_stored_columns WHERE resource = ?1", resource)
    }
}
