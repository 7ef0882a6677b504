import CSQLite

/// Read and write access inside one transaction, which ends with the closure that gets it: kept if the closure returns,
/// undone if it throws.
public struct Transaction: ~Copyable, Queryable {
    let connection: Connection

    init(on connection: Connection) {
        self.connection = connection
    }

    public func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
        let statement = try Statement(sql, on: connection)
        guard !statement.isControl else {
            throw statement.refusal("beginning and ending transactions is the database's part")
        }
        return statement
    }

    /// Runs one statement to its end.
    ///
    /// - Returns: The rows that it inserted, updated or deleted; 0 for one that changes none.
    /// - Throws: ``SQLiteError``, also where the arguments are not as many as the placeholders.
    @discardableResult
    public func execute(_ sql: SQL, _ arguments: (any SQLiteBindable)?...) throws(SQLiteError) -> Int {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        let before = sqlite3_total_changes64(connection.handle)
        while try statement.step() {}
        // SQLite keeps the last count for a statement that changes no rows, such as CREATE.
        return sqlite3_total_changes64(connection.handle) == before ? 0 : Int(sqlite3_changes64(connection.handle))
    }

    /// Runs several statements, for schema changes: no arguments, no results, nothing is cached.
    public func executeScript(_ sql: SQL) throws(SQLiteError) {
        try connection.runScript(sql.text)
    }

    /// The rowid of the latest row that this connection inserted.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(connection.handle) }
}
