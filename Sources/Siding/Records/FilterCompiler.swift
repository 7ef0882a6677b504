// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Compiles a ``RecordFilter`` to SQL: values are bound, paths are quoted by ``SQL``.
///
/// The result is never NULL in effect: `NOT` is written `IS NOT TRUE`, and at the top level NULL selects nothing, like false.
enum FilterCompiler {
    /// The maximum nesting. SQLite refuses expressions deeper than 100 (``Connection`` sets the limit); a level takes up to three.
    static let deepest = 25

    static func condition(_ filter: RecordFilter, depth: Int = 0) throws(StoreError) -> BoundSQL {
        guard depth < deepest else {
            throw StoreError(.invalidQuery, "the filter is nested deeper than \(deepest)")
        }
        switch filter {
        case .compare(let path, let comparison, let value):
            return try compare(path, comparison, value)
        case .isOneOf(let path, let values):
            return try isOneOf(path, values, depth)
        case .text(let path, let comparison, let text):
            return try self.text(path, comparison, text)
        case .all(let parts):
            return try joined(parts, "AND", whenEmpty: "1", depth)
        case .any(let parts):
            return try joined(parts, "OR", whenEmpty: "0", depth)
        case .not(let part):
            let inner = try condition(part, depth: depth + 1)
            return BoundSQL(sql: "(\(inner.sql)) IS NOT TRUE", arguments: inner.arguments)
        }
    }

    /// The SQL for a member's value.
    ///
    /// - Throws: for members that SQLite 3.40 cannot reach, as it compares names as written in the body.
    static func member(_ path: JSONPath, asJSON: Bool = false) throws(StoreError) -> SQL {
        for case .member(let name) in path.components where !ReachableName.isReachable(name) {
            throw StoreError(
                .invalidQuery, "SQLite cannot reach the member '\(PlainText.oneLine(name, limit: 80))'",
                hint: "read the records and compare in the program")
        }
        let literal = SQL("\(literal: path.description)")
        return asJSON ? "body -> \(literal)" : "body ->> \(literal)"
    }

    private static func compare(
        _ path: JSONPath, _ comparison: RecordFilter.Comparison, _ value: RecordValue
    ) throws(StoreError) -> BoundSQL {
        // `->>` turns such an integer into a REAL, `->` keeps its digits.
        if case .digits(let digits) = value, comparison == .isEqual || comparison == .isNotEqual {
            let member = try member(path, asJSON: true)
            let sign: SQL = comparison == .isEqual ? "=" : "IS NOT"
            return BoundSQL(sql: "\(member) \(sign) ?", arguments: [.text(digits)])
        }
        let member = try member(path)
        if value == .null {
            switch comparison {
            case .isEqual: return BoundSQL(sql: "\(member) IS NULL")
            case .isNotEqual: return BoundSQL(sql: "\(member) IS NOT NULL")
            default: return BoundSQL(sql: "0")
            }
        }
        return BoundSQL(sql: "\(member) \(comparison.sql) ?", arguments: [value.sqlite])
    }

    private static func isOneOf(
        _ path: JSONPath, _ values: [RecordValue], _ depth: Int
    ) throws(StoreError) -> BoundSQL {
        let digits = values.filter { if case .digits = $0 { true } else { false } }
        let plain = values.filter { $0 != .null && !digits.contains($0) }
        let list = try BoundSQL(
            sql: "\(member(path)) IN (SELECT value FROM json_each(?))", arguments: [.text(json(plain))])
        var parts = digits.map { RecordFilter.compare(path, .isEqual, $0) }
        if values.contains(.null) { parts.append(.compare(path, .isEqual, .null)) }
        guard !parts.isEmpty else { return list }
        let rest = try joined(parts, "OR", whenEmpty: "0", depth)
        return BoundSQL(sql: "(\(list.sql) OR \(rest.sql))", arguments: list.arguments + rest.arguments)
    }

    /// The values as one JSON parameter, so that the statement does not depend on their number.
    static func json(_ values: [RecordValue]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for value in values {
            switch value {
            case .null, .digits: break
            case .integer(let integer): writer.integer(integer)
            case .real(let real): writer.double(real)
            case .text(let text): writer.string(text)
            }
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func text(
        _ path: JSONPath, _ comparison: RecordFilter.TextComparison, _ text: String
    ) throws(StoreError) -> BoundSQL {
        let member = try member(path)
        switch comparison {
        case .contains:
            return BoundSQL(sql: "instr(\(member), ?) > 0", arguments: [.text(text)])
        case .hasPrefix:
            return BoundSQL(sql: "substr(\(member), 1, length(?)) = ?", arguments: [.text(text), .text(text)])
        case .isLike:
            return BoundSQL(sql: "\(member) LIKE ? ESCAPE '\\'", arguments: [.text(text)])
        }
    }

    /// Joins the parts as a balanced tree: a chain of a hundred would be a hundred levels deep.
    private static func joined(
        _ parts: [RecordFilter], _ word: SQL, whenEmpty: SQL, _ depth: Int
    ) throws(StoreError) -> BoundSQL {
        guard parts.count > 1 else {
            guard let only = parts.first else { return BoundSQL(sql: whenEmpty) }
            return try condition(only, depth: depth + 1)
        }
        let middle = parts.count / 2
        let left = try joined(Array(parts[..<middle]), word, whenEmpty: whenEmpty, depth)
        let right = try joined(Array(parts[middle...]), word, whenEmpty: whenEmpty, depth)
        return BoundSQL(sql: "(\(left.sql) \(word) \(right.sql))", arguments: left.arguments + right.arguments)
    }
}

extension RecordFilter.Comparison {
    var sql: SQL {
        switch self {
        case .isEqual: "="
        case .isNotEqual: "IS NOT"
        case .isLess: "<"
        case .isLessOrEqual: "<="
        case .isGreater: ">"
        case .isGreaterOrEqual: ">="
        }
    }
}

extension RecordValue {
    var sqlite: SQLiteValue {
        switch self {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .digits(let digits): .real(Double(digits) ?? 0)
        case .real(let real): .real(real)
        case .text(let text): .text(text)
        }
    }
}
