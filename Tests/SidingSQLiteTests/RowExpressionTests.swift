// SPDX-License-Identifier: Apache-2.0
import SidingSQLite
import Testing

struct RowExpressionTests {
    @Test(
        arguments: [
            ("state <> 'spam'", ["state"]), ("price * quantity", ["price", "quantity"]), ("1", []),
            ("record ->> '$.a.b' IS NOT NULL", []), (#""odd name" || 'x'"#, ["odd name"]),
            ("CASE WHEN a THEN lower(b) ELSE coalesce(c, 'x') END -- why", ["a", "b", "c"]),
            ("a IN (1, 2) AND b BETWEEN 3 AND 4 OR c LIKE 'x%'", ["a", "b", "c"]),
            ("strftime('%Y', created)", ["created"]), ("a /* b */ + 1", ["a"]),
        ] as [(String, [String])])
    func `an expression is taken with the names that it uses`(text: String, names: [String]) throws {
        let expression = try RowExpression(text, known: ["record"])
        #expect(expression.text == text)
        #expect(Set(expression.names) == Set(names))
    }

    @Test(arguments: [
        "", "1, 2", "1), (2", "1) --", "1) /*", "1) FROM (SELECT 2", "1) UNION SELECT (2", "a; DROP TABLE b", "?1",
        ":a",
        "(SELECT 1)", "EXISTS (SELECT 1)", "a IN (SELECT name FROM sqlite_schema)", "count(*)", "max(a)",
        "row_number() OVER ()", "random()", "datetime('now')", "CURRENT_TIMESTAMP", "load_extension('x')", "SELECT 1",
        "user.login", "nosuch(a)", "a = ", "*", "a\0b", "1) WHERE (1", "last_insert_rowid()",
    ])
    func `text that is not an expression, or does more than compute, is refused`(text: String) {
        #expect(throws: RowExpressionError.self) { try RowExpression(text, known: ["record"]) }
    }

    @Test func `an expression with too many names is refused`() {
        let text = (0...RowExpression.mostNames).map { "a\($0)" }.joined(separator: " + ")
        #expect(throws: RowExpressionError.self) { try RowExpression(text) }
    }

    @Test func `in a statement it stands in parentheses, and ends its comment`() throws {
        let expression = try RowExpression("1 + 1 -- two")
        let sql: SQL = "SELECT \(expression: expression) * 2"
        #expect(sql.text == "SELECT (1 + 1 -- two\n) * 2")
    }
}
