public import SidingJSON

/// One column of a resource's view, as it is declared: what it is called, where in the record its value lies, and what it
/// is shown as.
///
/// A column is a way of looking at the stored bodies: declaring, changing or removing one rewrites no record.
public struct RecordColumn: Sendable, Hashable {
    /// Unlike the others of its view by more than case; names that begin with `siding_` are taken.
    public var name: String
    /// One value of the record, without `[*]`.
    public var path: JSONPath
    public var type: ColumnType
    /// Whether an index is kept over the values, so that queries by them do not look at every record. It makes each write
    /// of the resource dearer.
    public var isIndexed: Bool

    /// - Parameter path: the member of the column's name where left out.
    public init(_ name: String, _ type: ColumnType = .any, at path: JSONPath? = nil, isIndexed: Bool = false) {
        self.name = name
        self.path = path ?? JSONPath(member: name)
        self.type = type
        self.isIndexed = isIndexed
    }

    /// The longest name, in bytes.
    static let longestName = 128

    /// - Throws: ``RecordShapeError`` where no view can have such a column.
    public func check() throws(RecordShapeError) {
        try Self.check(name: name)
        if path.components.contains(.each) {
            throw RecordShapeError("the path \(path.shown) means several values", hint: "declare them under children")
        }
        try ReachableName.check(path)
    }

    static func check(name: String) throws(RecordShapeError) {
        if name.isEmpty { throw RecordShapeError("a column has no name") }
        if name.utf8.count > longestName {
            throw RecordShapeError("the name of a column is longer than \(longestName) bytes")
        }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw RecordShapeError("the name of a column holds a control character")
        }
        if name.lowercased().hasPrefix("siding_") {
            throw RecordShapeError(
                "a column cannot be called '\(PlainText.oneLine(name, limit: 80))'",
                hint: "names that begin with siding_ are Siding's own columns")
        }
    }
}

/// What a column's values are shown as. A value that is of another type is shown as it is: nothing is hidden.
public enum ColumnType: Sendable, Hashable {
    /// As they are: SQL values for scalars (true and false are 1 and 0), JSON text for objects and arrays.
    case any
    /// An INTEGER; text that is a whole number, and numbers without a fraction, too. What 64 bits do not hold is shown as
    /// the text of its digits.
    case integer
    /// A REAL; whole numbers, and text that is a number, too.
    case real
    /// TEXT: strings as they are, all else as it is written in the JSON.
    case text
    /// 1 or 0; the strings `true` and `false` too.
    case boolean
    /// A moment in UTC as RFC 3339 with milliseconds, `2024-01-31T09:30:00.000Z`, so that its texts sort by time.
    case datetime(TimeFormat)
    /// The JSON text of any value.
    case json

    /// How an origin writes moments.
    public enum TimeFormat: String, Sendable, Hashable, CaseIterable {
        /// RFC 3339 and its kin: any offset (`Z`, `+02:00`, `+0200`), any fraction, a blank for the `T`; a date alone is its
        /// midnight, a time without offset is UTC.
        case rfc3339
        /// Seconds since 1970, whole or not, as a number or as its digits.
        case epoch
        /// Milliseconds since 1970.
        case epochMilliseconds = "epoch_ms"
        /// Microseconds since 1970.
        case epochMicroseconds = "epoch_us"
    }
}

/// Why a resource's columns, children or contract cannot be as declared.
public struct RecordShapeError: Error, Sendable, Hashable, CustomStringConvertible {
    public var message: String
    public var hint: String?

    init(_ message: String, hint: String? = nil) {
        (self.message, self.hint) = (message, hint)
    }

    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}

extension JSONPath {
    /// The path for a message.
    var shown: String { PlainText.oneLine(description, limit: 80) }
}
