public import SidingJSON
internal import SidingSQLite

extension RecordExpression {
    /// How a value is compared with texts: a string as it is, numbers and truth values as they are written.
    public enum Comparison: Sendable, Hashable {
        case equals(String)
        case notEquals(String)
        case isOneOf([String])
        /// Whether there is a value other than null.
        case exists(Bool)
    }

    /// A comparison of the value at `path`; nothing and null equal no text. Whether they equal one is not said of them: the
    /// comparison is neither true nor false then.
    public init(_ path: JSONPath, _ comparison: Comparison) throws(RecordShapeError) {
        try ReachableName.check(path)
        let place: SQL = "\(literal: path.description)"
        let text: SQL = """
            CASE json_type(record, \(place)) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' \
            ELSE CAST(record ->> \(place) AS TEXT) END
            """
        let sql: SQL =
            switch comparison {
            case .equals(let value): "(\(text)) = \(literal: value)"
            case .notEquals(let value): "(\(text)) IS NOT \(literal: value)"
            case .isOneOf(let values):
                "(\(text)) IN (\(values.map { value -> SQL in "\(literal: value)" }.joined))"
            case .exists(let exists): exists ? "(\(text)) IS NOT NULL" : "(\(text)) IS NULL"
            }
        try self.init(sql.text)
    }
}
