// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// A compiled statement, borrowed from its connection's cache until the value is destroyed: bind, step, read, reset.
///
/// ```swift
/// var insert = try transaction.prepare("INSERT INTO records(key, body) VALUES (?, ?)")
/// for record in page {
///     try insert.bind(1, record.key)
///     try insert.bindTextBytes(2, record.body)
///     try insert.step()
/// }
/// ```
/// Parameters count from 1 (`?1`), columns from 0, as in SQLite. It works only inside the transaction that prepared it.
public struct Statement: ~Copyable {
    let handle: OpaquePointer
    let connection: Connection
    private let sql: String
    private let transactionNumber: Int

    init(_ sql: SQL, on connection: Connection) throws(SQLiteError) {
        handle = try connection.prepare(sql.text)
        self.connection = connection
        self.sql = sql.text
        transactionNumber = connection.transactionNumber
    }

    deinit {
        connection.giveBack(handle, for: sql)
    }

    /// Whether the statement does not change the file.
    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Whether it is BEGIN, COMMIT, SAVEPOINT, ATTACH or the like, which neither write nor return rows.
    var isControl: Bool { isReadOnly && sqlite3_column_count(handle) == 0 }

    func refusal(_ reason: String) -> SQLiteError {
        connection.refusal(reason, sql: sql)
    }

    /// The number of values to bind: the largest number of a parameter.
    public var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    // MARK: Running

    /// Moves to the next row; false if there is none. After the last row the statement is reset, ready for new values.
    ///
    /// - Throws: ``SQLiteError``; also if the transaction in which it was prepared has ended, as the statement would then run and
    ///   commit on its own. If SQLite rolled that transaction back, the error is the one that made it do so.
    @discardableResult
    public mutating func step() throws(SQLiteError) -> Bool {
        guard connection.isInTransaction, transactionNumber == connection.transactionNumber else {
            throw connection.endedTransaction(sql: sql)
        }
        switch sqlite3_step(handle) {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        case let code:
            throw failure(code)
        }
    }

    /// Resets the statement to run again; bound values stay.
    public mutating func reset() {
        sqlite3_reset(handle)
    }

    private func failure(_ code: Int32) -> SQLiteError {
        let message = String(cString: sqlite3_errmsg(connection.handle))
        let error = SQLiteError(
            code: code, message: code & 0xFF == SQLITE_ERROR ? SQLiteError.withoutQuotedValues(message) : message,
            operation: "run a statement", path: connection.path, sql: sql,
            systemCode: sqlite3_system_errno(connection.handle))
        sqlite3_reset(handle)
        if !connection.isInTransaction { connection.lostTransaction = error }
        return error
    }

    // MARK: Binding

    /// Binds an integer. As all calls of this kind it throws if there is no such parameter.
    public mutating func bind(_ index: Int, _ value: Int64) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds an integer.
    public mutating func bind(_ index: Int, _ value: Int) throws(SQLiteError) {
        try bind(index, Int64(value))
    }

    /// Binds a copy of the text, which may contain a NUL.
    public mutating func bind(_ index: Int, _ value: String) throws(SQLiteError) {
        var value = value
        let code = value.withUTF8 { bytes in
            bindText(index, UnsafeRawBufferPointer(bytes), siding_sqlite_transient())
        }
        try check(code)
    }

    /// Binds a value of any type; nil binds NULL.
    public mutating func bind(_ index: Int, _ value: (any SQLiteBindable)?) throws(SQLiteError) {
        switch value?.sqliteValue ?? .null {
        case .null: try bindNull(index)
        case .integer(let integer): try bind(index, integer)
        case .real(let real): try check(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), real))
        case .text(let text): try bind(index, text)
        case .blob(let bytes):
            try check(bytes.withUnsafeBytes { bindBlob(index, $0) })
        }
    }

    /// Binds NULL; parameters that were never bound are NULL too.
    public mutating func bindNull(_ index: Int) throws(SQLiteError) {
        try check(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Binds UTF-8 text without a copy: the bytes must stay valid until the next step has returned false, the parameter is
    /// bound again or the statement ends. Invalid UTF-8 is stored unchanged.
    public mutating func bindTextBytes(_ index: Int, _ bytes: UnsafeRawBufferPointer) throws(SQLiteError) {
        try check(bindText(index, bytes, siding_sqlite_static()))
    }

    private func bindText(_ index: Int, _ bytes: UnsafeRawBufferPointer, _ owner: sqlite3_destructor_type?) -> Int32 {
        let index = Int32(truncatingIfNeeded: index)
        // A nil pointer would bind NULL instead of an empty text.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_text64(handle, index, "", 0, siding_sqlite_transient(), UInt8(SQLITE_UTF8))
        }
        let text = start.assumingMemoryBound(to: CChar.self)
        return sqlite3_bind_text64(handle, index, text, UInt64(bytes.count), owner, UInt8(SQLITE_UTF8))
    }

    private func bindBlob(_ index: Int, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        let index = Int32(truncatingIfNeeded: index)
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
        return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), siding_sqlite_transient())
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw connection.error(code, "bind a value", sql: sql) }
    }
}

/// Access to the statement's current row, as in ``Row``.
extension Statement {
    /// The current row; its values are valid until the next step.
    public var row: Row { Row(of: handle, columnAfterLast: connection.columnAfterLast) }

    /// Whether the value is NULL.
    public func isNull(_ column: Int) -> Bool { row.isNull(column) }
    /// The value as an integer; 0 for NULL.
    public func int(_ column: Int) -> Int64 { row.int(column) }
    /// The integer; nil for NULL.
    public func optionalInt(_ column: Int) -> Int64? { row.optionalInt(column) }
    /// The value as text; empty for NULL.
    public func text(_ column: Int) -> String { row.text(column) }

    /// Passes the bytes to `body` without a copy; they are valid only there.
    public func withBytes<T, E: Error>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> T) throws(E) -> T {
        try row.withBytes(column, body)
    }
}

/// A cache of unused compiled statements by their text: compiling usually costs more than running.
///
/// It stores pointers, since a noncopyable ``Statement`` cannot be a dictionary's value; borrowed statements are not in it.
struct StatementCache {
    private struct Entry {
        let handle: OpaquePointer
        let lastUse: Int
    }

    /// A statement's text. Its hash is of its end alone, as texts are long, are looked up twice per run, and seldom end alike.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) {
            hasher.combine(sql.utf8.count)
            var end = sql
            end.withUTF8 {
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0).suffix(24)))
            }
        }
    }

    static let capacity = 128
    private var entries: [Text: Entry] = [:]
    private var uses = 0

    /// The texts of the cached statements; tests check their query plans.
    var texts: [String] { entries.keys.map(\.sql) }

    mutating func take(_ sql: String) -> OpaquePointer? {
        entries.removeValue(forKey: Text(sql: sql))?.handle
    }

    /// Returns a statement that was reset and cleared.
    mutating func giveBack(_ handle: OpaquePointer, for sql: String) {
        uses += 1
        if let twin = entries.updateValue(Entry(handle: handle, lastUse: uses), forKey: Text(sql: sql)) {
            sqlite3_finalize(twin.handle)
        }
        guard entries.count > Self.capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        else {
            return
        }
        entries.removeValue(forKey: oldest.key)
        sqlite3_finalize(oldest.value.handle)
    }

    mutating func removeAll() {
        for entry in entries.values { sqlite3_finalize(entry.handle) }
        entries = [:]
    }
}
