internal import SidingJSON
internal import SidingSQLite

/// An SQL expression over one record, in SQLite's syntax (https://sqlite.org/lang_expr.html).
///
/// A bare name is the declared column of that name, otherwise the member of the record. `record` is the whole record as JSON
/// text, for nested values: `record ->> '$.user.login'`. Texts are in single quotes. It must be deterministic: no subqueries,
/// aggregates or functions with changing results.
public struct RecordExpression: Sendable, Hashable, CustomStringConvertible {
    private let expression: RowExpression

    /// - Throws: ``RecordSchemaError`` with SQLite's message if the text is not such an expression.
    public init(_ text: String) throws(RecordSchemaError) {
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
    public var description: String { expression.text }

    private static let record = "record"

    /// The declared columns that the expression names.
    func columns(among columns: [RecordColumn]) -> [RecordColumn] {
        expression.names.compactMap { column($0, among: columns) }
    }

    private func column(_ name: String, among columns: [RecordColumn]) -> RecordColumn? {
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

    /// The expression where `body` is the record, as in a row of a ``RecordsTable``.
    ///
    /// - Parameter columns: the declared ones.
    func sql(beside columns: [RecordColumn]) -> SQL {
        let values = expression.names.map { name -> SQL in
            let value =
                column(name, among: columns).map { ColumnExpression.member($0.path).sql($0.type) }
                ?? "body ->> \(literal: JSONPath(member: name).description)"
            return "\(value) AS \(identifier: name)"
        }
        let row = (["body AS \(identifier: Self.record)"] + values).joined
        return "(SELECT \(expression: expression) FROM (SELECT \(row)))"
    }
}
