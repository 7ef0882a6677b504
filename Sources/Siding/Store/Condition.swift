internal import SidingSQLite

/// A piece of SQL with the values for its placeholders, in order.
struct Condition {
    var sql: SQL
    var arguments: [SQLiteValue] = []
}

extension Queryable where Self: ~Copyable {
    /// All rows of a compiled statement.
    func query<T>(_ condition: Condition, map: (borrowing Row) throws -> T) throws -> [T] {
        var statement = try prepare(condition.sql)
        try statement.bind(all: condition.arguments)
        var results: [T] = []
        while try statement.step() { results.append(try map(statement.row)) }
        return results
    }
}
