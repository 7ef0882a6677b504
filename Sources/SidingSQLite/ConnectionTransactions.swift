import CSQLite

/// Transactions are begun and ended here and nowhere else.
///
/// After SQLite rolled back by itself (a full disk, an I/O error), statements would run and commit one by one: a
/// ``Statement`` refuses to, and ``Connection/commit()`` does not take the body's success for its own.
/// Source: sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction".
extension Connection {
    /// One write transaction around `body`: kept if it returns, undone if it throws.
    func write<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
        try begin("BEGIN IMMEDIATE")
        defer { transactionNumber += 1 }
        let transaction = Transaction(on: self)
        let result: T
        do {
            result = try body(transaction)
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return result
    }

    /// One read transaction around `body`.
    func read<T>(_ body: (borrowing Snapshot) throws -> T) throws -> T {
        try begin("BEGIN")
        defer { transactionNumber += 1 }
        let snapshot = Snapshot(of: self)
        let result: T
        do {
            result = try body(snapshot)
        } catch {
            rollBack()
            throw error
        }
        try commit()
        return result
    }

    func begin(_ sql: String) throws(SQLiteError) {
        guard !isInTransaction else {
            throw SQLiteError(.other, "a transaction is open already", operation: "begin a transaction", path: path)
        }
        try run(sql, operation: "begin a transaction")
        lostTransaction = nil
        transactionNumber += 1
    }

    func commit() throws(SQLiteError) {
        guard isInTransaction else { throw endedTransaction(sql: nil) }
        do {
            try run("COMMIT", operation: "commit")
        } catch {
            rollBack()
            throw error
        }
    }

    /// Never reports a fault of its own: the error that led here is the one to tell, and whatever ROLLBACK leaves
    /// behind is undone by the next opener of the file.
    func rollBack() {
        guard isInTransaction else { return }
        _ = try? run("ROLLBACK", operation: "roll back")
    }

    /// Runs the statements of a text inside the current transaction, each compiled after the one before it has run.
    func runScript(_ sql: String) throws(SQLiteError) {
        try compileEach(sql) { handle throws(SQLiteError) in
            defer { sqlite3_finalize(handle) }
            guard sqlite3_stmt_readonly(handle) == 0 || sqlite3_column_count(handle) > 0 else {
                throw self.refusal("beginning and ending transactions is the database's part", sql: sql)
            }
            var code = SQLITE_ROW
            while code == SQLITE_ROW {
                guard self.isInTransaction else { throw self.endedTransaction(sql: sql) }
                code = sqlite3_step(handle)
            }
            guard code == SQLITE_DONE else {
                let error = self.error(code, "run a script", sql: sql)
                if !self.isInTransaction { self.lostTransaction = error }
                throw error
            }
        }
    }

    /// The error for a statement whose transaction is over.
    func endedTransaction(sql: String?) -> SQLiteError {
        lostTransaction
            ?? SQLiteError(.other, "its transaction has ended", operation: "run a statement", path: path, sql: sql)
    }
}
