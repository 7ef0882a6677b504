// SPDX-License-Identifier: Apache-2.0
package import SidingJSON
internal import SidingSQLite

/// An SQL expression over one record, in SQLite's syntax (https://sqlite.org/lang_expr.html).
///
/// A plain name means the declared column of that name, or else the member of the record. `record` is the whole record as JSON
/// text; use it for nested values: `record ->> '$.user.login'`. Strings are in single quotes. The expression must be
/// deterministic: no subqueries, no aggregates, and no functions whose results change between calls.
package struct RecordExpression: Sendable, Hashable, Codable, CustomStringConvertible {
    let expression: RowExpression

    /// - Throws: ``RecordSchemaError`` with SQLite's message if the text is not a valid expression.
    package init(_ text: String) throws(RecordSchemaError) {
        do throws(RowExpressionError) { expression = try RowExpression(text, known: [Self.record]) } catch {
            throw RecordSchemaError(
                "'\(PlainText.oneLine(text, limit: 200))' is not an expression over a record: \(error.message)",
                hint: Self.hint(error.message))
        }
        if let name = expression.names.first(where: { !ReachableName.isReachable($0) }) {
            throw RecordSchemaError("SQLite cannot access a member called '\(PlainText.oneLine(name, limit: 80))'")
        }
    }

    /// Coded as its text.
    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    private static func hint(_ message: String) -> String? {
        let prefix = "no such column: "
        guard message.hasPrefix(prefix) else { return nil }
        let name = message.dropFirst(prefix.count)
        if ["rowid", "oid", "_rowid_"].contains(name.lowercased()) {
            return "SQLite uses that name for row numbers; write record ->> '$.\(name)'"
        }
        return name.contains(".") ? "for a nested value write record ->> '$.user.login'" : nil
    }

    /// The text as given.
    package var description: String { expression.text }

    static let record = "record"

    /// The declared columns that the expression names.
    func columns(among columns: [RecordColumn]) -> [RecordColumn] {
        expression.names.compactMap { column($0, among: columns) }
    }

    func column(_ name: String, among columns: [RecordColumn]) -> RecordColumn? {
        columns.first { $0.name.lowercased() == name.lowercased() }
    }

    /// The members that the expression reads by name.
    func members(beside columns: [RecordColumn]) -> [String] {
        expression.names.filter { column($0, among: columns) == nil }
    }

    /// The paths that the expression reads: members, columns, and paths in its text.
    func paths(beside columns: [RecordColumn]) -> [JSONPath] {
        let literals = expression.text.matches(of: /'(\$(?:[^']|'')*)'/).compactMap { match in
            try? JSONPath(parsing: String(match.1).replacing("''", with: "'"))
        }
        return members(beside: columns).map { JSONPath(member: $0) } + self.columns(among: columns).map(\.path)
            + literals
    }
}

extension RecordExpression {
    /// Compares a value with texts: a string by its text, numbers and Booleans as written.
    package enum Comparison: Sendable, Hashable {
        case equals(String)
        case notEquals(String)
        case isOneOf([String])
        /// Whether there is a value other than null. `exists(true)` is NULL if the member is missing, as an origin may stop sending
        /// it.
        case exists(Bool)
    }

    /// A comparison of the value at `path`. A missing value or null equals no text: `equals` and `isOneOf` are NULL then.
    package init(_ path: JSONPath, _ comparison: Comparison) throws(RecordSchemaError) {
        try ReachableName.check(path)
        let place: SQL = "\(literal: path.description)"
        let kind: SQL = "json_type(record, \(place))"
        // `->` keeps numbers as written, `->>` converts them.
        let text: SQL = """
            CASE WHEN \(kind) IN ('true', 'false', 'integer', 'real') THEN record -> \(place) ELSE record ->> \(place) END
            """
        let sql: SQL =
            switch comparison {
            case .equals(let value): "(\(text)) = \(literal: value)"
            case .notEquals(let value): "(\(text)) IS NOT \(literal: value)"
            case .isOneOf(let values):
                "(\(text)) IN (\(values.map { value -> SQL in "\(literal: value)" }.joined))"
            case .exists(let exists): exists ? "\(kind) <> 'null'" : "COALESCE(\(kind), 'null') = 'null'"
            }
        try self.init(sql.text)
    }
}

/// Checks which member names SQL can reach.
enum ReachableName {
    /// - Throws: ``RecordSchemaError`` for a path that SQL cannot follow.
    static func check(_ path: JSONPath) throws(RecordSchemaError) {
        for case .member(let name) in path.components where !isReachable(name) {
            throw RecordSchemaError(
                "SQLite cannot reach the member '\(PlainText.oneLine(name, limit: 80))'",
                hint: "read such members from the body")
        }
    }

    /// Whether SQL can reach the member: SQLite 3.40 compares names as written, so names that need escapes are out of reach.
    static func isReachable(_ name: String) -> Bool {
        !name.isEmpty && !name.unicodeScalars.contains { $0 == "\"" || $0 == "\\" || $0.value < 0x20 }
    }
}
