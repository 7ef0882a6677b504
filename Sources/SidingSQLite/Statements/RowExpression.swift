// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// A checked SQL expression over the values of one row, written by the user: a single, deterministic expression that reads no
/// table.
///
/// It exists only after the check, so it may be inserted into the program's own statements.
public struct RowExpression: Sendable, Hashable {
    /// The expression as the user wrote it.
    public let text: String
    /// The names that it uses, as spelled there, apart from the given ones.
    public let names: [String]

    /// The maximum number of names in one expression.
    public static let mostNames = 100

    /// Checks an expression by compiling it against an empty database.
    ///
    /// - Parameter known: names that are already defined.
    /// - Throws: ``RowExpressionError`` with SQLite's message if it is not one expression or does more than compute.
    public init(_ text: String, known: [String] = []) throws(RowExpressionError) {
        guard !text.utf8.contains(0) else { throw RowExpressionError("it holds a NUL") }
        let bench = try ExpressionBench()
        var names: [String] = []
        while let missing = try bench.missingName(in: text, names: known + names) {
            guard names.count < Self.mostNames else {
                throw RowExpressionError("it uses more than \(Self.mostNames) names")
            }
            names.append(missing)
        }
        try bench.checkThatItOnlyComputes(text, names: known + names)
        self.text = text
        self.names = names
    }
}

/// Why a text is not an expression over a row.
public struct RowExpressionError: Error, Sendable, Hashable {
    /// What is wrong, in SQLite's words if it found the fault.
    public let message: String

    init(_ message: String) { self.message = message }
}

extension SQL.StringInterpolation {
    /// Inserts a checked expression in parentheses. The line break ends a comment at its end.
    public mutating func appendInterpolation(expression: RowExpression) {
        text += "(\(expression.text)\n)"
    }
}

/// An empty in-memory database that compiles expressions to check them.
struct ExpressionBench: ~Copyable {
    private let handle: OpaquePointer

    init() throws(RowExpressionError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close(handle)
            throw RowExpressionError("SQLite has no memory left")
        }
        self.handle = handle
        sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 20_000)
        sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 100)
        // Double quotes always mean a name, never a text, as in the connections that will run the expression.
        for verb in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL] {
            _ = siding_sqlite_switch(handle, verb, 0, nil)
        }
    }

    deinit { sqlite3_close(handle) }

    /// - Returns: a name in the expression that is not yet defined; nil if there is none.
    /// - Throws: ``RowExpressionError`` if the text is not exactly one expression.
    func missingName(in text: String, names: [String]) throws(RowExpressionError) -> String? {
        let values = names.map { name -> SQL in "NULL AS \(identifier: name)" }
        let row = values.dropFirst().reduce(values.first ?? "NULL") { "\($0), \($1)" as SQL }
        // The second column is missing if the text has swallowed it, for instance with a comment.
        let statement = "SELECT (\(text)\n), 7 FROM (SELECT \(row.text))"
        do throws(RowExpressionError) { try run(statement, columns: 2, steps: false) } catch {
            let prefix = "no such column: "
            guard error.message.hasPrefix(prefix) else { throw error }
            let name = String(error.message.dropFirst(prefix.count))
            // A name that is defined and still missing belongs to another table: `user.login`.
            guard !names.contains(name), !name.contains(".") else { throw error }
            return name
        }
        return nil
    }

    /// Checks that the expression is deterministic and reads no table, by creating an index over it: SQLite refuses others, and
    /// aggregates (https://sqlite.org/expridx.html).
    func checkThatItOnlyComputes(_ text: String, names: [String]) throws(RowExpressionError) {
        let columns = names.map { name -> SQL in "\(identifier: name)" }
        let list = columns.reduce("\(identifier: " no name ")" as SQL) { "\($0), \($1)" as SQL }
        try run("CREATE TABLE expression_row (\(list.text))", columns: 0, steps: true)
        try run("CREATE INDEX expression_index ON expression_row ((\(text)\n))", columns: 0, steps: true)
        // 'now' is detected only when the expression is evaluated.
        try run("INSERT INTO expression_row DEFAULT VALUES", columns: 0, steps: true)
    }

    private func run(_ sql: String, columns: Int32, steps: Bool) throws(RowExpressionError) {
        var statement: OpaquePointer?
        var isWhole = true
        let code = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(handle, text, -1, &statement, &tail)
            isWhole = tail.map { $0.pointee == 0 } ?? true
            return code
        }
        defer { sqlite3_finalize(statement) }
        guard code == SQLITE_OK else { throw RowExpressionError(String(cString: sqlite3_errmsg(handle))) }
        guard isWhole, sqlite3_column_count(statement) == columns, sqlite3_bind_parameter_count(statement) == 0 else {
            throw RowExpressionError("it is not one expression")
        }
        guard steps, sqlite3_step(statement) != SQLITE_DONE else { return }
        throw RowExpressionError(String(cString: sqlite3_errmsg(handle)))
    }
}
