// SPDX-License-Identifier: Apache-2.0
/// SQL text that cannot contain a value by accident: a literal in the source code, plus names and constants quoted here.
///
/// Only these interpolations exist, so `"… WHERE key = '\(key)'"` with a plain string does not compile; bind values:
/// ```swift
/// let view = "issues"
/// let sql: SQL = "SELECT count(*) FROM \(identifier: view) WHERE key = ?"
/// ```
public struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The statement as SQLite gets it, with `?` for bound values.
    public var text: String

    /// Takes text unchanged. Only for migrations and for the statement that the user typed into `siding query`.
    public init(verbatim text: String) {
        self.text = text
    }

    /// Text from the source code, unchanged.
    public init(stringLiteral value: String) {
        text = value
    }

    /// The pieces of a literal with interpolations, which the compiler calls.
    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// The interpolations that SQL text allows.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        /// Room for the pieces; the compiler calls it.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        /// Adds text from the source code, unchanged.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        /// Inserts a name of a table, view, index or column in double quotes, with those inside doubled.
        ///
        /// No SQLite name can contain a NUL; it becomes U+FFFD, so that the name matches nothing instead of another name.
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

        /// Inserts a text constant where nothing can be bound (a view's JSON path): in single quotes, with those inside doubled.
        ///
        /// A NUL would end the statement's text, so such a constant becomes an expression with `char(0)`.
        public mutating func appendInterpolation(literal: String) {
            let pieces = literal.unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false)
            let quoted = pieces.map { piece in
                "'" + piece.reduce(into: "") { $0 += $1 == "'" ? "''" : String($1) } + "'"
            }
            text += quoted.count == 1 ? quoted[0] : "(" + quoted.joined(separator: "||char(0)||") + ")"
        }

        /// Inserts the digits of a number, for places where nothing can be bound, such as PRAGMA.
        public mutating func appendInterpolation(integer: Int64) {
            text += String(integer)
        }

        /// Inserts the digits of a number, for places where nothing can be bound, such as PRAGMA.
        public mutating func appendInterpolation(integer: Int) {
            text += String(integer)
        }

        /// Inserts another piece of SQL unchanged.
        public mutating func appendInterpolation(_ sql: SQL) {
            text += sql.text
        }
    }
}
