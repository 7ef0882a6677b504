/// One cell, in the five storage classes that SQLite has.
///
/// Source: sqlite.org/datatype3.html, section 2.
public enum SQLiteValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}
