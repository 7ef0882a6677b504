// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

/// The current row of a statement, valid until the next step.
///
/// Columns count from 0. A column of another type is converted by SQLite's rules (sqlite.org/c3ref/column_blob.html): NULL
/// reads as 0, as empty text or as no bytes. Use the optional forms where NULL matters.
public struct Row: ~Copyable {
    let handle: OpaquePointer
    /// The column behind the one that was last found by its name: names are usually read in the order of the columns, so the
    /// search for the next one begins there.
    private let columnAfterLast: UnsafeMutablePointer<Int32>?

    init(of handle: OpaquePointer, columnAfterLast: UnsafeMutablePointer<Int32>? = nil) {
        self.handle = handle
        self.columnAfterLast = columnAfterLast
    }

    /// The number of columns of the result.
    public var columnCount: Int { Int(sqlite3_data_count(handle)) }

    /// Whether the value is NULL.
    public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    /// The value as an integer; 0 for NULL and for non-numbers (https://sqlite.org/c3ref/column_blob.html).
    public func int(_ column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
    }

    /// The integer, or nil for NULL.
    public func optionalInt(_ column: Int) -> Int64? {
        isNull(column) ? nil : int(column)
    }

    /// The value as a number; 0 for NULL and for non-numbers.
    public func double(_ column: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
    }

    /// The complete text, even beyond a NUL; invalid UTF-8 is replaced with U+FFFD.
    public func text(_ column: Int) -> String {
        withTextBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The text, or nil for NULL.
    public func optionalText(_ column: Int) -> String? {
        isNull(column) ? nil : text(column)
    }

    /// A copy of the value's bytes; empty for NULL.
    public func blob(_ column: Int) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    /// The value in its own storage class.
    public func value(_ column: Int) -> SQLiteValue {
        switch sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) {
        case SQLITE_INTEGER: .integer(int(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }

    /// Passes the bytes of a text or blob in SQLite's memory to `body`, without a copy; they are valid only there.
    public func withBytes<T, E: Error>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> T) throws(E) -> T {
        let index = Int32(truncatingIfNeeded: column)
        // Get the pointer before the count: the first call may convert the value.
        let start = sqlite3_column_blob(handle, index)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// The index of a column with this name; names are unique in results that are read by them.
    ///
    /// - Throws: ``SQLiteError`` if the result has no such column.
    private func index(of name: StaticString) throws(SQLiteError) -> Int {
        let wanted = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        let count = sqlite3_data_count(handle)
        var column = columnAfterLast?.pointee ?? 0
        for _ in 0..<count {
            if column >= count { column = 0 }
            if let found = sqlite3_column_name(handle, column), strcmp(found, wanted) == 0 {
                columnAfterLast?.pointee = column + 1
                return Int(column)
            }
            column += 1
        }
        throw SQLiteError(
            code: SQLITE_ERROR, message: "the result has no column '\(name)'", operation: "read a row",
            path: sqlite3_db_filename(sqlite3_db_handle(handle), "main").map { String(cString: $0) } ?? "",
            sql: sqlite3_sql(handle).map { String(cString: $0) })
    }

    private func withTextBytes<T>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
        let index = Int32(truncatingIfNeeded: column)
        let start = UnsafeRawPointer(sqlite3_column_text(handle, index))
        return body(
            UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, index))))
    }
}

/// Columns by their names, for rows with many of them: each throws ``SQLiteError`` if the result has no such column.
extension Row {
    /// As ``int(_:)-(Int)``: 0 for NULL.
    public func int(_ name: StaticString) throws(SQLiteError) -> Int64 { int(try index(of: name)) }
    /// As ``double(_:)-(Int)``: 0 for NULL.
    public func double(_ name: StaticString) throws(SQLiteError) -> Double { double(try index(of: name)) }
    /// As ``blob(_:)-(Int)``: empty for NULL.
    public func blob(_ name: StaticString) throws(SQLiteError) -> [UInt8] { blob(try index(of: name)) }
    /// The integer; nil for NULL.
    public func optionalInt(_ name: StaticString) throws(SQLiteError) -> Int64? { optionalInt(try index(of: name)) }
    /// As ``text(_:)-(Int)``: empty for NULL.
    public func text(_ name: StaticString) throws(SQLiteError) -> String { text(try index(of: name)) }
    /// The text; nil for NULL.
    public func optionalText(_ name: StaticString) throws(SQLiteError) -> String? { optionalText(try index(of: name)) }

    /// A copy of the value's bytes; nil for NULL.
    public func optionalBlob(_ name: StaticString) throws(SQLiteError) -> [UInt8]? {
        let column = try index(of: name)
        return isNull(column) ? nil : blob(column)
    }

    /// The row ids that are packed in the value.
    package func rowIDs(_ name: StaticString) throws(SQLiteError) -> RowIDs {
        try withBytes(try index(of: name)) { bytes throws(SQLiteError) in try RowIDs(packed: bytes) }
    }

    /// The same as ``withBytes(_:_:)-(Int,_)``.
    public func withBytes<T>(_ name: StaticString, _ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
        try withBytes(try index(of: name), body)
    }
}
