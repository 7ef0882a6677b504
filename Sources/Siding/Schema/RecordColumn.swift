public import SidingJSON

/// A declared column of a resource's view: its name, the path of its value, and its type.
///
/// Columns are computed from stored bodies: declaring, changing or removing one rewrites no record.
public struct RecordColumn: Sendable, Hashable {
    /// The name; it must differ from others by more than case, and names that begin with `siding_` are reserved.
    public var name: String
    /// The path of the value in the record, without `[*]`.
    public var path: JSONPath
    public var type: ColumnType
    /// Whether to keep an index over the values, so that queries need not read every record. It slows down each write of the
    /// resource.
    public var isIndexed: Bool

    /// - Parameter path: by default the member of the column's name.
    public init(_ name: String, _ type: ColumnType = .any, at path: JSONPath? = nil, isIndexed: Bool = false) {
        self.name = name
        self.path = path ?? JSONPath(member: name)
        self.type = type
        self.isIndexed = isIndexed
    }

    /// The maximum length of a name in bytes.
    static let longestName = 128

    /// - Throws: ``RecordSchemaError`` if no view can have such a column.
    public func check() throws(RecordSchemaError) {
        try Self.check(name: name)
        if path.components.contains(.each) {
            throw RecordSchemaError("the path \(path.shown) means several values", hint: "declare them under children")
        }
        try ReachableName.check(path)
    }

    static func check(name: String) throws(RecordSchemaError) {
        if name.isEmpty { throw RecordSchemaError("a column has no name") }
        if name.utf8.count > longestName {
            throw RecordSchemaError("the name of a column is longer than \(longestName) bytes")
        }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw RecordSchemaError("the name of a column holds a control character")
        }
        if name.lowercased().hasPrefix("siding_") {
            throw RecordSchemaError(
                "a column cannot be called '\(PlainText.oneLine(name, limit: 80))'",
                hint: "names that begin with siding_ are Siding's own columns")
        }
    }
}

/// The type of a column. Values of other types are shown unchanged, never hidden.
public enum ColumnType: Sendable, Hashable {
    /// Unchanged: SQL values for scalars (true and false are 1 and 0), JSON text for objects and arrays.
    case any
    /// An INTEGER, also for whole numbers in texts and numbers without a fraction. Beyond 64 bits, the text of its digits.
    case integer
    /// A REAL, also for whole numbers and numbers in texts.
    case real
    /// TEXT: strings unchanged, other values as JSON.
    case text
    /// 1 or 0, also for the strings `true` and `false`.
    case boolean
    /// A time in UTC as RFC 3339 with milliseconds, `2024-01-31T09:30:00.000Z`, which sorts by time.
    case datetime(TimeFormat)
    /// JSON text of any value.
    case json

    /// The format of times at the origin.
    public enum TimeFormat: String, Sendable, Hashable, CaseIterable {
        /// RFC 3339 and similar: any offset (`Z`, `+02:00`, `+0200`), any fraction, a space instead of `T`; a date alone is midnight,
        /// a time without offset is UTC.
        case rfc3339
        /// Seconds since 1970, possibly with a fraction, as a number or text.
        case epoch
        /// Milliseconds since 1970.
        case epochMilliseconds = "epoch_ms"
        /// Microseconds since 1970.
        case epochMicroseconds = "epoch_us"
    }
}

/// Why a record schema (columns, children or contract) is invalid.
public struct RecordSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    public var message: String
    public var hint: String?

    init(_ message: String, hint: String? = nil) {
        (self.message, self.hint) = (message, hint)
    }

    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}

extension JSONPath {
    /// The path as shown in messages.
    var shown: String { PlainText.oneLine(description, limit: 80) }
}
