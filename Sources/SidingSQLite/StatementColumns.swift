/// The row on which the statement stands, read as ``Row`` reads it.
extension Statement {
    public var row: Row { Row(of: handle) }
    public var columnCount: Int { row.columnCount }

    public func columnName(_ column: Int) -> String { row.columnName(column) }
    public func isNull(_ column: Int) -> Bool { row.isNull(column) }
    public func int(_ column: Int) -> Int64 { row.int(column) }
    public func optionalInt(_ column: Int) -> Int64? { row.optionalInt(column) }
    public func double(_ column: Int) -> Double { row.double(column) }
    public func text(_ column: Int) -> String { row.text(column) }
    public func optionalText(_ column: Int) -> String? { row.optionalText(column) }
    public func blob(_ column: Int) -> [UInt8] { row.blob(column) }
    public func value(_ column: Int) -> SQLiteValue { row.value(column) }

    /// The bytes without a copy, valid inside `body` only.
    public func withBytes<T, E: Error>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> T) throws(E) -> T {
        try row.withBytes(column, body)
    }
}
