// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// Read and write access inside one transaction, valid inside the closure that receives it. It commits if the closure
/// returns and rolls back if it throws.
public struct Transaction: ~Copyable, Queryable {
    let connection: Connection

    init(on connection: Connection) {
        self.connection = connection
    }

    /// Borrows a compiled statement.
    ///
    /// - Throws: ``SQLiteError``, also for a statement that begins or ends a transaction.
    public func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
        let statement = try Statement(sql, on: connection)
        guard !statement.isControl else {
            throw statement.refusal("beginning and ending transactions is the database's part")
        }
        return statement
    }

    /// Runs one statement to completion.
    ///
    /// - Returns: the number of inserted, updated or deleted rows; 0 for a statement that changes none.
    /// - Throws: ``SQLiteError``, also if the number of arguments differs from the placeholders.
    @discardableResult
    public func execute(_ sql: SQL, _ arguments: (any SQLiteBindable)?...) throws(SQLiteError) -> Int {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        let before = sqlite3_total_changes64(connection.handle)
        while try statement.step() {}
        // After a statement that changes no rows, such as CREATE, SQLite still reports the previous count.
        return sqlite3_total_changes64(connection.handle) == before ? 0 : Int(sqlite3_changes64(connection.handle))
    }

    /// Runs several statements, for schema changes: without arguments, results or caching.
    package func executeScript(_ sql: SQL) throws(SQLiteError) {
        try connection.runScript(sql.text)
    }

    /// Runs `body` in a savepoint, which is rolled back alone if it throws (sqlite.org/lang_savepoint.html).
    ///
    /// - Parameter isKept: false rolls back even if `body` returns, for a dry run.
    /// - Throws: the error of `body`, and ``SQLiteError`` if SQLite has rolled back the whole transaction by itself.
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

    /// The rowid of this connection's last inserted row.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(connection.handle) }
}

extension Connection {
    fileprivate func undoPart(_ operation: String) throws(SQLiteError) {
        // If SQLite ended the transaction itself, there is no savepoint left and its statements refuse to run.
        guard isInTransaction else { return }
        try run("ROLLBACK TO part", operation: operation)
        try run("RELEASE part", operation: operation)
    }
}
