internal import SidingJSON
internal import SidingSQLite

/// An SQL expression over one record, in SQLite's own words (https://sqlite.org/lang_expr.html).
///
/// A bare name is the declared column of that name, else the member of the record; `record` is the record itself, as JSON
/// text, for what lies deeper: `record ->> '$.user.login'`. Texts stand in single quotes. It computes and does no more: no
/// subqueries, no sums over records, nothing that gives something else the next time.
public struct RecordExpression: Sendable, Hashable, CustomStringConvertible {
    private let expression: RowExpression

    /// - Throws: ``RecordShapeError`` in SQLite's words, where the text is no such expression.
    public init(_ text: String) throws(RecordShapeError) {
        do throws(RowExpressionError) { expression = try RowExpression(text, known: [Self.record]) } catch {
            let isNested = error.message.hasPrefix("no such column: ") && error.message.contains(".")
            throw RecordShapeError(
                "'\(PlainText.oneLine(text, limit: 200))' is no expression over a record: \(error.message)",
                hint: isNested ? "what lies deeper is reached by record ->> '$.user.login'" : nil)
        }
        if let name = expression.names.first(where: { !ReachableName.isReachable($0) }) {
            throw RecordShapeError("SQLite cannot reach a member called '\(PlainText.oneLine(name, limit: 80))'")
        }
    }

    /// As it was given.
    public var description: String { expression.text }

    private static let record = "record"

    /// The expression where `body` is the record, as in a row of `siding_records`.
    ///
    /// - Parameter columns: the declared ones.
    func sql(beside columns: [RecordColumn]) -> SQL {
        let values = expression.names.map { name -> SQL in
            let column = columns.first { $0.name.lowercased() == name.lowercased() }
            let value =
                column.map { ColumnExpression.member($0.path).sql($0.type) }
                ?? "body ->> \(literal: JSONPath(member: name).description)"
            return "\(value) AS \(identifier: name)"
        }
        let row = (["body AS \(identifier: Self.record)"] + values).joined
        return "(SELECT \(expression: expression) FROM (SELECT \(row)))"
    }
}
