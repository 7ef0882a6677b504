// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// A declared column whose values are stored in the row, before the body: `_state` for the column `state`.
///
/// One expression makes the view's column while rows are still to be filled, the values that are written with each row, and
/// those of rows that were there before. What is declared as `json` would only be the body's text once more: it is stored where
/// it has an index, and else stays an expression over the body.
struct StoredColumn: Sendable, Hashable {
    var column: RecordColumn
    /// Whether all rows have its value.
    var isFilled = true

    /// The name in the table: none of the table's own columns begins so.
    var name: String { "_\(column.name)" }

    /// Its value in a row whose body is `body`.
    func value(of body: SQL) -> SQL { ColumnExpression.member(column.path, of: body).sql(column.type) }

    /// Whether `other` has the same values.
    func showsSame(as other: RecordColumn) -> Bool { column.path == other.path && column.type == other.type }
}

extension StoredColumn {
    /// The columns of a resource that are stored and declared.
    static func load(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> [StoredColumn] {
        try all(of: resource, database).filter(\.isDeclared).map(\.column)
    }

    private typealias Known = (column: StoredColumn, isDeclared: Bool)

    private static func all(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> [Known] {
        try database.query(
            """
            SELECT name, path, type, format, is_indexed, is_declared, is_filled FROM siding_stored_columns
            WHERE resource = ?1 ORDER BY name
            """, resource
        ) { row in
            let (name, text) = (try row.text("name"), try row.text("path"))
            guard let path = try? JSONPath(parsing: text) else {
                throw StoreError(.corrupt, "the column '\(PlainText.oneLine(name))' has no path that can be read")
            }
            let type = ColumnType(name: try row.text("type"), format: try row.optionalText("format"))
            let column = RecordColumn(name, type, at: path, isIndexed: try row.isTrue("is_indexed"))
            let isDeclared = try row.isTrue("is_declared")
            return (StoredColumn(column: column, isFilled: try row.isTrue("is_filled")), isDeclared)
        }
    }

    /// Makes `wanted` the stored columns of a table that is there: those that show something else are filled anew, and those that
    /// are declared no more stay unused. A missing one takes the place of an unused one, or is added behind the body: so a table
    /// never nears SQLite's limit of 2,000 columns, whatever was declared over the years.
    static func declare(
        _ wanted: [RecordColumn], in table: RecordsTable, hasRows: Bool, _ transaction: borrowing Transaction
    ) throws {
        let known = try all(of: table.resource, transaction)
        var spare = known.filter { entry in
            !entry.isDeclared && !wanted.contains { $0.name.lowercased() == entry.column.column.name.lowercased() }
        }
        var isNew = false
        for column in wanted {
            let old = known.first { $0.column.column.name.lowercased() == column.name.lowercased() }
            let name = StoredColumn(column: column).name
            let isThere = try transaction.first(
                "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2 COLLATE NOCASE", table.name, name
            ) { _ in true }
            if isThere != true, let unused = spare.popLast()?.column {
                try transaction.execute(
                    """
                    ALTER TABLE \(identifier: table.name) RENAME COLUMN \(identifier: unused.name) TO \(identifier: name)
                    """)
                try transaction.execute(
                    "DELETE FROM siding_stored_columns WHERE resource = ?1 AND name = ?2", table.resource,
                    unused.column.name)
            } else if isThere != true {
                try transaction.execute("ALTER TABLE \(identifier: table.name) ADD COLUMN \(identifier: name) ANY")
            }
            let isSame = old.map { $0.isDeclared && $0.column.showsSame(as: column) } ?? false
            isNew = isNew || !isSame
            var stored = StoredColumn(column: column, isFilled: !hasRows || isSame && old?.column.isFilled == true)
            stored.column.name = old?.column.column.name ?? column.name
            try save(stored, of: table.resource, transaction)
        }
        for old in known where old.isDeclared {
            guard !wanted.contains(where: { $0.name.lowercased() == old.column.column.name.lowercased() }) else {
                continue
            }
            try transaction.execute(
                "UPDATE siding_stored_columns SET is_declared = 0 WHERE resource = ?1 AND name = ?2",
                table.resource, old.column.column.name)
        }
        if isNew, hasRows {
            try ResourcesTable.set(rewriteFrom: RecordsTable.beginning, of: table.resource, transaction)
        }
    }

    /// Fills all columns anew: another version of SQLite may read some values differently.
    static func fillAgain(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_stored_columns SET is_filled = 0 WHERE resource = ?1", resource)
        try ResourcesTable.set(rewriteFrom: RecordsTable.beginning, of: resource, transaction)
    }

    /// Notes the columns of a table that is made with them.
    static func insert(_ columns: [StoredColumn], of resource: Int64, _ transaction: borrowing Transaction) throws {
        for column in columns { try save(column, of: resource, transaction) }
    }

    private static func save(_ stored: StoredColumn, of resource: Int64, _ transaction: borrowing Transaction) throws {
        let column = stored.column
        try transaction.execute(
            """
            INSERT INTO siding_stored_columns (resource, name, path, type, format, is_indexed, is_declared, is_filled)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)
            ON CONFLICT (resource, name) DO UPDATE SET path = excluded.path, type = excluded.type, format = excluded.format,
                is_indexed = excluded.is_indexed, is_declared = 1, is_filled = excluded.is_filled
            """, resource, column.name, column.path.description, column.type.name, column.type.format, column.isIndexed,
            stored.isFilled)
    }

    /// Notes that all rows have the columns' values.
    static func setFilled(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_stored_columns SET is_filled = 1 WHERE resource = ?1", resource)
    }

    /// Forgets the columns that a table with another layout was made without.
    static func forgetUndeclared(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_stored_columns WHERE resource = ?1 AND is_declared = 0", resource)
    }

    /// Forgets the columns of a table that is dropped.
    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_stored_columns WHERE resource = ?1", resource)
    }
}
