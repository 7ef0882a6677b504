// SPDX-License-Identifier: Apache-2.0
/// Read access, shared by ``Snapshot`` and ``Transaction``, for functions that work in both: `(in: borrowing some
/// Queryable)`.
public protocol Queryable: ~Copyable {
    /// Borrows a compiled statement from the connection's cache.
    func prepare(_ sql: SQL) throws(SQLiteError) -> Statement
}

extension Queryable where Self: ~Copyable {
    /// Returns all rows, each mapped.
    ///
    /// - Throws: ``SQLiteError``, also if the number of arguments differs from the placeholders; or the error of `map`.
    public func query<T>(
        _ sql: SQL, _ arguments: (any SQLiteBindable)?..., map: (borrowing Row) throws -> T
    ) throws -> [T] {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        var results: [T] = []
        while try statement.step() { results.append(try map(statement.row)) }
        return results
    }

    /// Returns the first row, mapped; nil if there is none. Does not compute further rows.
    public func first<T>(
        _ sql: SQL, _ arguments: (any SQLiteBindable)?..., map: (borrowing Row) throws -> T
    ) throws -> T? {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        return try statement.step() ? try map(statement.row) : nil
    }

    /// Calls `body` for each row without keeping the rows.
    public func forEach(
        _ sql: SQL, _ arguments: (any SQLiteBindable)?..., body: (borrowing Row) throws -> Void
    ) throws {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        while try statement.step() { try body(statement.row) }
    }

    /// The views, triggers and indexes with their SQL, so that a caller can reject objects that it did not create.
    ///
    /// Excludes the indexes of PRIMARY KEY and UNIQUE constraints, which have no SQL.
    public func schemaObjects(
        of kinds: Set<SchemaObject.Kind> = [.view, .trigger, .index]
    ) throws -> [SchemaObject] {
        try query("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name") {
            row in
            SchemaObject(kind: .init(row.text(0)), name: row.text(1), table: row.text(2), sql: row.text(3))
        }
        .filter { kinds.contains($0.kind) }
    }
}

extension Statement {
    /// Binds one value to each parameter, in order.
    ///
    /// - Throws: ``SQLiteError`` if the number of values differs from the parameters: SQLite would use NULL for missing ones.
    public mutating func bind(all values: [(any SQLiteBindable)?]) throws(SQLiteError) {
        guard values.count == parameterCount else {
            throw refusal("it has \(parameterCount) parameters, \(values.count) values were given")
        }
        for (offset, value) in values.enumerated() { try bind(offset + 1, value) }
    }
}

/// Read access inside one transaction: all reads see the same state of the database.
///
/// It is valid inside the closure that receives it; statements that could write are refused.
public struct Snapshot: ~Copyable, Queryable {
    let connection: Connection

    init(of connection: Connection) {
        self.connection = connection
    }

    /// Borrows a compiled statement.
    ///
    /// - Throws: ``SQLiteError``, also for a statement that could write, or that begins or ends a transaction.
    public func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
        let statement = try Statement(sql, on: connection)
        guard statement.isReadOnly, !statement.isControl else { throw statement.refusal("a snapshot only reads") }
        return statement
    }
}

/// One row of `sqlite_schema`.
public struct SchemaObject: Sendable, Hashable {
    /// The kinds of schema objects, by their names in the column `type`.
    public enum Kind: String, Sendable, Hashable {
        case table, index, view, trigger
        /// Not a kind of this SQLite version: a damaged or manipulated schema.
        case unknown

        init(_ text: String) {
            self = Kind(rawValue: text) ?? .unknown
        }
    }

    /// The column `type`.
    public let kind: Kind
    /// The column `name`.
    public let name: String
    /// The table of an index or a trigger; for a table or a view its own name.
    public let table: String
    /// The CREATE statement as it was run (sqlite.org/schematab.html).
    public let sql: String
}
