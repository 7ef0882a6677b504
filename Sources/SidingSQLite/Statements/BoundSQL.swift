// SPDX-License-Identifier: Apache-2.0
/// A piece of SQL with the values for its placeholders, in order.
package struct BoundSQL {
    package var sql: SQL
    package var arguments: [SQLiteValue]

    package init(sql: SQL, arguments: [SQLiteValue] = []) { (self.sql, self.arguments) = (sql, arguments) }
}

extension Queryable where Self: ~Copyable {
    /// All rows of a compiled statement.
    package func query<T>(_ bound: BoundSQL, map: (borrowing Row) throws -> T) throws -> [T] {
        var statement = try prepare(bound.sql)
        try statement.bind(all: bound.arguments)
        var results: [T] = []
        while try statement.step() { results.append(try map(statement.row)) }
        return results
    }

    /// Whether a statement selects any row.
    package func exists(_ sql: SQL, _ arguments: (any SQLiteBindable)?...) throws -> Bool {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        return try statement.step()
    }

    /// The number that a statement selects; 0 for NULL, and without a row.
    package func count(_ sql: SQL, _ arguments: (any SQLiteBindable)?...) throws -> Int {
        var statement = try prepare(sql)
        try statement.bind(all: arguments)
        return try statement.step() ? Int(statement.int(0)) : 0
    }
}

extension Row {
    package func isTrue(_ name: StaticString) throws -> Bool { try int(name) != 0 }
}
