package import SidingJSON
internal import SidingSQLite

/// An SQL expression over one record, in SQLite's syntax (https://sqlite.org/lang_expr.html).
///
/// A bare name is the declared column of that name, otherwise the member of the record. `record` is the whole record as JSON
/// text, for nested values: `record ->> '$.user.login'`. Texts are in single quotes. It must be deterministic: no subqueries,
/// aggregates or functions with changing results.
package struct RecordExpression: Sendable, Hashable, CustomStringConvertible {
    let expression: RowExpression

    /// - Throws: ``RecordSchemaError`` with SQLite's message if the text is not such an expression.
    package init(_ text: String) throws(RecordSchemaError) {
        do throws(RowExpressionError) { expression = try RowExpression(text, known: [Self.record]) } catch {
            throw RecordSchemaError(
                "'\(PlainText.oneLine(text, limit: 200))' is no expression over a record: \(error.message)",
                hint: Self.hint(error.message))
        }
        if let name = expression.names.first(where: { !ReachableName.isReachable($0) }) {
            throw RecordSchemaError("SQLite cannot reach a member called '\(PlainText.oneLine(name, limit: 80))'")
        }
    }

    private static func hint(_ message: String) -> String? {
        let prefix = "no such column: "
        guard message.hasPrefix(prefix) else { return nil }
        let name = message.dropFirst(prefix.count)
        if ["rowid", "oid", "_rowid_"].contains(name.lowercased()) {
            return "SQLite keeps that name for the numbers of rows: the member is record ->> '$.\(name)'"
        }
        return name.contains(".") ? "what lies deeper is reached by record ->> '$.user.login'" : nil
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
