public import SidingJSON
internal import SidingSQLite

extension RecordExpression {
    /// How a value is compared with texts: a string as it is, numbers and truth values as they are written.
    public enum Comparison: Sendable, Hashable {
        case equals(String)
        case notEquals(String)
        case isOneOf([String])
        /// Whether there is a value other than null. That there is one is neither true nor false where the member is missing, as
        /// an origin may leave it out from one day on.
        case exists(Bool)
    }

    /// A comparison of the value at `path`; nothing and null equal no text. Whether they equal one is not said of them: the
    /// comparison is neither true nor false then.
    public init(_ path: JSONPath, _ comparison: Comparison) throws(RecordShapeError) {
        try ReachableName.check(path)
        let place: SQL = "\(literal: path.description)"
        let kind: SQL = "json_type(record, \(place))"
        // `->` leaves numbers as they are written, `->>` makes a value of them.
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
