/// SQL text that cannot carry a value by accident: it is a literal of the program, or names and constants quoted here.
///
/// Only these interpolations exist, so `"… WHERE key = '\(key)'"` with a plain string does not compile; bind it
/// instead:
/// ```swift
/// let view = "issues"
/// let sql: SQL = "SELECT count(*) FROM \(identifier: view) WHERE key = ?"
/// ```
public struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
    public var text: String

    /// Takes text as it is: for migrations, and for the statement that a person typed into `siding query`. Nothing
    /// else.
    public init(verbatim text: String) {
        self.text = text
    }

    public init(stringLiteral value: String) {
        text = value
    }

    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// A name of a table, view, index or column: in double quotes, those inside doubled.
        ///
        /// No SQLite name can hold a NUL; it becomes U+FFFD, so that the name matches nothing instead of another name.
        public mutating func appendInterpolation(identifier: String) {
            text += "\""
            for character in identifier.unicodeScalars {
                switch character {
                case "\0": text += "\u{FFFD}"
                case "\"": text += "\"\""
                default: text.unicodeScalars.append(character)
                }
            }
            text += "\""
        }

        /// A text constant where nothing can be bound (a view's JSON path): in single quotes, those inside doubled.
        ///
        /// A NUL would end the statement's text; the constant is then an expression that makes it with `char(0)`.
        public mutating func appendInterpolation(literal: String) {
            let pieces = literal.unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false)
            let quoted = pieces.map { piece in
                "'" + piece.reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) } + "'"
            }
            text += quoted.count == 1 ? quoted[0] : "(" + quoted.joined(separator: "||char(0)||") + ")"
        }

        public mutating func appendInterpolation(integer: Int64) {
            text += String(integer)
        }

        public mutating func appendInterpolation(integer: Int) {
            text += String(integer)
        }

        /// Another piece of SQL, as it is.
        public mutating func appendInterpolation(_ sql: SQL) {
            text += sql.text
        }
    }
}
