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

    /// Runs `body` as a part of this transaction that is undone alone where it throws (sqlite.org/lang_savepoint.html).
    ///
    /// - Parameter isKept: false undoes it although it returns: a rehearsal.
    /// - Throws: what `body` throws, and ``SQLiteError`` where SQLite has rolled back the whole transaction by itself.
    @discardableResult
    public func part<T>(isKept: Bool = true, _ body: () throws -> T) throws -> T {
        let operation = "begin or end a part of a transaction"
        try connection.run("SAVEPOINT part", operation: operation)
        let result: T
        do { result = try body() } catch {
            try connection.undoPart(operation)
            throw error
        }
        if isKept {
            try connection.run("RELEASE part", operation: operation)
        } else {
            try connection.undoPart(operation)
        }
        return result
    }

    /// The rowid of the latest row that this connection inserted.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(connection.handle) }
}

extension Connection {
    fileprivate func undoPart(_ operation: String) throws(SQLiteError) {
        // A transaction that SQLite has ended itself has no parts any more, and its statements refuse to run.
        guard isInTransaction else { return }
        try run("ROLLBACK TO part", operation: operation)
        try run("RELEASE part", operation: operation)
    }
}
