public import SidingJSON
internal import SidingSQLite

extension RecordExpression {
    /// Compares a value with texts: a string by its text, numbers and Booleans as written.
    public enum Comparison: Sendable, Hashable {
        case equals(String)
        case notEquals(String)
        case isOneOf([String])
        /// Whether there is a value other than null. `exists(true)` is NULL if the member is missing, as an origin may stop sending
        /// it.
        case exists(Bool)
    }

    /// A comparison of the value at `path`. A missing value or null equals no text: `equals` and `isOneOf` are NULL then.
    public init(_ path: JSONPath, _ comparison: Comparison) throws(RecordSchemaError) {
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
