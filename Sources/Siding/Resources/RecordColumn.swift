// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// A declared column of a resource's view: its name, the path of its value, and its type.
///
/// Its values are stored with each record, before the body (``StoredColumn``).
package struct RecordColumn: Sendable, Hashable, Codable {
    /// The name; it must differ from others by more than case, and names that begin with `siding_` are reserved.
    package var name: String
    /// The path of the value in the record, without `[*]`.
    package var path: JSONPath
    package var type: ColumnType
    /// Whether to keep an index over the values, so that queries need not read every record. It slows down each write of the
    /// resource.
    package var isIndexed: Bool

    /// - Parameter path: by default the member of the column's name.
    package init(_ name: String, _ type: ColumnType = .any, at path: JSONPath? = nil, isIndexed: Bool = false) {
        self.name = name
        self.path = path ?? JSONPath(member: name)
        (self.type, self.isIndexed) = (type, isIndexed)
    }

    /// The maximum length of a name in bytes.
    static let longestName = 128

    /// - Throws: ``RecordSchemaError`` if no view can have such a column.
    package func check() throws(RecordSchemaError) {
        try Self.check(name: name)
        if path.isOfSeveral {
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
package enum ColumnType: Sendable, Hashable, Codable {
    /// Unchanged: SQL values for scalars (true and false are 1 and 0), JSON text for objects and arrays.
    case any
    /// An INTEGER, also for whole numbers in texts and numbers without a fraction. Beyond 64 bits, the text of its digits.
    case integer
    /// A REAL, also for whole numbers and numbers in texts.
    case real
    /// In the view a REAL, as ``real``; exports and Siding's own queries have the digits as the origin wrote them, in a number or a
    /// text, and compare them as numbers.
    case decimal
    /// TEXT: strings unchanged, other values as JSON.
    case text
    /// 1 or 0, also for the strings `true` and `false`.
    case boolean
    /// A time in UTC as RFC 3339 with milliseconds, `2024-01-31T09:30:00.000Z`, which sorts by time.
    case datetime(TimeFormat)
    /// A day as RFC 3339, `2024-01-31`, also of a time: the day that it is where it was written.
    case date
    /// JSON text of any value.
    case json

    /// The format of times at the origin.
    package enum TimeFormat: String, Sendable, Hashable, Codable, CaseIterable {
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
package struct RecordSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
    package var message: String
    package var hint: String?

    init(_ message: String, hint: String? = nil) {
        (self.message, self.hint) = (message, hint)
    }

    package var description: String { hint.map { "\(message); \($0)" } ?? message }
}

extension JSONPath {
    /// The path as shown in messages.
    var shown: String { PlainText.oneLine(description, limit: 80) }
}

/// An array inside each record whose elements are rows of their own view: the labels of `issues` are in the view
/// `issues_labels`.
///
/// The view has the element's members as columns, `siding_key` if a key is declared, `siding_parent` with the record's key,
/// and `siding_position` with the element's index, from 0.
package struct RecordChildren: Sendable, Hashable, Codable {
    /// The suffix of the view's name.
    package var name: String
    /// The path of the array in the record, with or without a trailing `[*]`.
    package var path: JSONPath
    /// The path of the key within an element; nil for none.
    package var key: JSONPath?
    /// The declared columns; if empty, columns follow the elements' members.
    package var columns: [RecordColumn]

    package init(_ name: String, at path: JSONPath, key: JSONPath? = nil, columns: [RecordColumn] = []) {
        self.name = name
        self.path = path.withoutEach
        (self.key, self.columns) = (key, columns)
    }

    /// The name of the view.
    package func viewName(of resource: String) -> String { "\(resource)_\(name)" }

    /// - Throws: ``RecordSchemaError`` if no view can be like that.
    package func check() throws(RecordSchemaError) {
        try RecordColumn.check(name: name)
        try ReachableName.check(path)
        if let key {
            if key.isOfSeveral {
                throw RecordSchemaError("the key \(key.shown) means several values")
            }
            try ReachableName.check(key)
        }
        if let indexed = columns.first(where: \.isIndexed) {
            throw RecordSchemaError("the column '\(indexed.name)' of elements cannot have an index")
        }
        try RecordSchema.check(columns)
    }
}

extension ColumnType {
    /// The type's name in the config and in the database.
    package var name: String {
        switch self {
        case .any: "any"
        case .integer: "integer"
        case .real: "real"
        case .decimal: "decimal"
        case .text: "text"
        case .boolean: "boolean"
        case .datetime: "datetime"
        case .date: "date"
        case .json: "json"
        }
    }

    /// The format of a datetime; nil for other types.
    var format: String? {
        if case .datetime(let format) = self { format.rawValue } else { nil }
    }

    init(name: String, format: String?) {
        switch name {
        case "integer": self = .integer
        case "real": self = .real
        case "decimal": self = .decimal
        case "text": self = .text
        case "boolean": self = .boolean
        case "datetime": self = .datetime(format.flatMap(TimeFormat.init) ?? .rfc3339)
        case "date": self = .date
        case "json": self = .json
        default: self = .any
        }
    }
}
