// SPDX-License-Identifier: Apache-2.0
/// A value of a cell, in one of SQLite's five storage classes.
///
/// Source: sqlite.org/datatype3.html, section 2.
public enum SQLiteValue: Sendable, Hashable {
    /// No value.
    case null
    /// A signed integer of up to eight bytes.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Text in UTF-8.
    case text(String)
    /// Bytes as they were bound.
    case blob([UInt8])
}

/// A type that can be bound to a `?` in a statement: values are passed beside the SQL, never inside it.
public protocol SQLiteBindable: Sendable {
    /// What SQLite stores for this value.
    var sqliteValue: SQLiteValue { get }
}

extension SQLiteValue: SQLiteBindable {
    /// Itself.
    public var sqliteValue: SQLiteValue { self }
}

extension Int: SQLiteBindable {
    /// An INTEGER.
    public var sqliteValue: SQLiteValue { .integer(Int64(self)) }
}

extension Int64: SQLiteBindable {
    /// An INTEGER.
    public var sqliteValue: SQLiteValue { .integer(self) }
}

extension Double: SQLiteBindable {
    /// SQLite has no NaN and stores NULL instead.
    public var sqliteValue: SQLiteValue { .real(self) }
}

extension Bool: SQLiteBindable {
    /// SQLite has no boolean type; stored as 1 and 0.
    public var sqliteValue: SQLiteValue { .integer(self ? 1 : 0) }
}

extension String: SQLiteBindable {
    /// A TEXT.
    public var sqliteValue: SQLiteValue { .text(self) }
}

extension [UInt8]: SQLiteBindable {
    /// A BLOB.
    public var sqliteValue: SQLiteValue { .blob(self) }
}

extension Optional: SQLiteBindable where Wrapped: SQLiteBindable {
    /// NULL for nil, otherwise what the value gives.
    public var sqliteValue: SQLiteValue { self?.sqliteValue ?? .null }
}
