/// Reading, the same in a ``Snapshot`` and in a ``Transaction``: write a function once, `(in: borrowing some
/// Queryable)`.
public protocol Queryable: ~Copyable {
    /// Borrows a compiled statement from the connection's cache.
    func prepare(_ sql: SQL) throws(SQLiteError) -> Statement
}

extension Queryable where Self: ~Copyable {
    /// All rows, mapped one by one.
    ///
    /// - Throws: ``SQLiteError``, also where the arguments are not as many as the placeholders; or what `map` throws.
    public func query<T>(
        _ sql: SQL, _ arguments: (any SQLiteBindable)?..., map: (borrowing Row) throws -> T
    ) throws -> [T] {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        var results: [T] = []
        while try statement.step() { results.append(try map(statement.row)) }
        return results
    }

    /// The first row, mapped; nil where there is none. Rows after it are not looked for.
    public func first<T>(
        _ sql: SQL, _ arguments: (any SQLiteBindable)?..., map: (borrowing Row) throws -> T
    ) throws -> T? {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        return try statement.step() ? try map(statement.row) : nil
    }

    /// Each row in turn, none kept.
    public func forEach(
        _ sql: SQL, _ arguments: (any SQLiteBindable)?..., body: (borrowing Row) throws -> Void
    ) throws {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        while try statement.step() { try body(statement.row) }
    }

    /// Views, triggers and indexes with the SQL that made them, so that a caller can refuse what it did not make.
    ///
    /// Indexes that SQLite makes for a PRIMARY KEY or UNIQUE have no SQL and are left out.
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
    /// - Throws: ``SQLiteError`` where there are more or fewer values than parameters: SQLite would take NULL for those
    ///   that are missing.
    public mutating func bind(all values: [(any SQLiteBindable)?]) throws(SQLiteError) {
        guard values.count == parameterCount else {
            throw refusal("it has \(parameterCount) parameters, \(values.count) values were given")
        }
        for (offset, value) in values.enumerated() { try bind(offset + 1, value) }
    }
}

/// Read access inside one transaction: everything it reads is of one moment.
///
/// It lives as long as the closure that gets it; a statement that could write is refused.
public struct Snapshot: ~Copyable, Queryable {
    let connection: Connection

    init(of connection: Connection) {
        self.connection = connection
    }

    public func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
        let statement = try Statement(sql, on: connection)
        guard statement.isReadOnly, !statement.isControl else { throw statement.refusal("a snapshot only reads") }
        return statement
    }
}

/// One entry of `sqlite_schema`.
public struct SchemaObject: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case table, index, view, trigger
        /// A kind that this SQLite does not have: only damage or a planted row can make it.
        case unknown

        init(_ text: String) {
            self = Kind(rawValue: text) ?? .unknown
        }
    }

    public let kind: Kind
    public let name: String
    /// The table that an index or a trigger belongs to; its own name for a table or a view.
    public let table: String
    public let sql: String
}
