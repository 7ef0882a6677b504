// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// One SQLite connection. It has no mutex and is not Sendable: the actor that owns it serializes its use.
final class Connection {
    /// The purpose of a connection: writing, reading, or receiving a backup.
    enum Role {
        case writer, reader, destination
    }

    let handle: OpaquePointer
    let path: String
    /// The number of transactions so far; a statement compares it to find out whether its transaction is still open.
    var transactionNumber = 0
    /// The error on which SQLite itself rolled the current transaction back.
    var lostTransaction: SQLiteError?
    /// Pages in the WAL after the latest commit of this connection.
    var pagesInWAL = 0
    /// The file as it was when it was opened without locks; nil where locks keep others from writing into what is read.
    var unlocked: (file: DatabaseFile, content: DatabaseFile.Content)?
    private(set) var cache = StatementCache()
    /// See ``Row``.
    let columnAfterLast: UnsafeMutablePointer<Int32> = {
        let column = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
        column.initialize(to: 0)
        return column
    }()
    private var isClosed = false

    /// Only opens the file; ``openWriter(_:_:_:)`` and ``openReader(_:_:)`` then configure the connection.
    init(opening path: String, role: Role, _ mode: ReadingMode = .plain) throws(SQLiteError) {
        var opened: OpaquePointer?
        let access = role == .reader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
        // A path is read as an address only if it is one of ours: `file:` may begin the name of a file.
        let form = mode == .plain ? 0 : SQLITE_OPEN_URI
        let flags = access | form | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
        let code = sqlite3_open_v2(mode.name(of: path), &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = String(cString: sqlite3_errstr(code))
            let systemCode = opened.map(sqlite3_system_errno) ?? 0
            sqlite3_close_v2(opened)
            throw SQLiteError(
                code: code, message: message, operation: "open the database", path: path, systemCode: systemCode)
        }
        handle = opened
        self.path = path
    }

    deinit {
        close()
        columnAfterLast.deallocate()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        cache.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Whether a transaction is open in SQLite; false also after SQLite rolled it back by itself.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func error(_ code: Int32, _ operation: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(
            code: code, message: String(cString: sqlite3_errmsg(handle)), operation: operation, path: path, sql: sql,
            systemCode: sqlite3_system_errno(handle))
    }

    // MARK: Statements

    /// A statement from the cache, or compiled now.
    func prepare(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let cached = cache.take(sql) { return cached }
        var compiled: [OpaquePointer] = []
        do throws(SQLiteError) {
            try compileEach(sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT)) { handle throws(SQLiteError) in
                compiled.append(handle)
                guard compiled.count == 1 else { throw self.refusal("it is more than one statement", sql: sql) }
            }
            guard let only = compiled.first else { throw refusal("it is not a statement", sql: sql) }
            return only
        } catch {
            for handle in compiled { sqlite3_finalize(handle) }
            throw error
        }
    }

    func giveBack(_ handle: OpaquePointer, for sql: String) {
        sqlite3_reset(handle)
        guard !isClosed else {
            sqlite3_finalize(handle)
            return
        }
        sqlite3_clear_bindings(handle)
        cache.giveBack(handle, for: sql)
    }

    /// Compiles the statements of a script one after the other. `use` owns each statement; the next is compiled after it returns.
    func compileEach(
        _ sql: String, flags: UInt32 = 0, _ use: (OpaquePointer) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        var rest = sql[...].utf8
        while !rest.isEmpty {
            var handle: OpaquePointer?
            var consumed = 0
            let count = Int32(clamping: rest.count)
            let text = Substring(rest)
            let code = text.withCString { start in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(self.handle, start, count, flags, &handle, &tail)
                consumed = tail.map { $0 - start } ?? 0
                return code
            }
            guard code == SQLITE_OK else { throw error(code, "prepare a statement", sql: sql) }
            if let handle { try use(handle) }
            guard consumed > 0 else { throw refusal("its text holds a NUL", sql: sql) }
            rest = rest.dropFirst(consumed)
        }
    }

    func refusal(_ reason: String, sql: String) -> SQLiteError {
        SQLiteError(.other, reason, operation: "prepare a statement", path: path, sql: sql)
    }

    // MARK: Outside transactions

    /// Runs a statement of this library's own, and answers the first column of its last row.
    @discardableResult
    func run(_ sql: String, operation: String) throws(SQLiteError) -> SQLiteValue {
        let statement: OpaquePointer
        do { statement = try prepare(sql) } catch { throw error.during(operation) }
        defer { giveBack(statement, for: sql) }
        var value = SQLiteValue.null
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: value = Row(of: statement).value(0)
            case SQLITE_DONE: return value
            case let code: throw error(code, operation, sql: sql)
            }
        }
    }
}

/// Transactions begin and end only here.
///
/// SQLite may roll back by itself (a full disk, an I/O error). Later statements would then run and commit one by one, so
/// ``Statement`` refuses to run and ``Connection/commit()`` throws even if the body succeeded.
/// Source: sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction".
extension Connection {
    /// Runs `body` in a write transaction: commits if it returns, rolls back if it throws.
    func write<T>(_ body: (borrowing Transaction) throws -> T) throws -> T {
        try inTransaction("BEGIN IMMEDIATE") { try body(Transaction(on: self)) }
    }

    /// Runs `body` in a read transaction.
    func read<T>(_ body: (borrowing Snapshot) throws -> T) throws -> T {
        let result: T
        do { result = try inTransaction("BEGIN") { try body(Snapshot(of: self)) } } catch {
            try checkUnchanged("read the database")
            throw error
        }
        try checkUnchanged("read the database")
        return result
    }

    private func inTransaction<T>(_ beginning: String, _ body: () throws -> T) throws -> T {
        try begin(beginning)
        defer { transactionNumber += 1 }
        let result: T
        do { result = try body() } catch {
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

    /// Rolls back and ignores errors: the caller throws the original error, and the next connection to the file undoes whatever
    /// a failed ROLLBACK leaves behind.
    func rollBack() {
        guard isInTransaction else { return }
        _ = try? run("ROLLBACK", operation: "roll back")
    }

    /// Runs a script inside the current transaction; each statement is compiled after the previous one has run.
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

    /// The error for a statement whose transaction has ended.
    func endedTransaction(sql: String?) -> SQLiteError {
        lostTransaction
            ?? SQLiteError(.other, "its transaction has ended", operation: "run a statement", path: path, sql: sql)
    }
}
