// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSQLite
import Testing

struct SQLTests {
    @Test(arguments: [
        ("plain", "\"plain\""), ("with \"quotes\"", "\"with \"\"quotes\"\"\""), ("a;b -- c", "\"a;b -- c\""),
        ("", "\"\""), ("a\u{0}b", "\"a\u{FFFD}b\""), ("\"\u{301}", "\"\"\"\u{301}\""),
    ])
    func `an identifier is quoted so that it stays one identifier`(name: String, expected: String) {
        let sql: SQL = "\(identifier: name)"
        #expect(sql.text == expected)
    }

    @Test(arguments: ["it's", "''", "", "a\u{0}b", "\u{0}", "'\u{301}", "x'); DROP TABLE t; --", "$.\"a b\"", "🛤\r\n"])
    func `a literal reads back as the text it was made of`(text: String) async throws {
        let scratch = Scratch()
        let database = try await scratch.open()
        let read = try await database.read {
            try $0.first("SELECT \(literal: text), typeof(\(literal: text))") { [$0.text(0), $0.text(1)] }
        }
        #expect(read == [text, "text"])
    }

    @Test(arguments: ["it's", "a\"b", "semi;colon", "-- no", "sp ace", "名前", "[x]", "`tick`"])
    func `a table can have any quoted name`(name: String) async throws {
        let scratch = Scratch()
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.execute("CREATE TABLE \(identifier: name)(\(identifier: name) INTEGER) STRICT")
            try transaction.execute("INSERT INTO \(identifier: name)(\(identifier: name)) VALUES (?)", 7)
        }
        #expect(try await database.integers("SELECT \(identifier: name) FROM \(identifier: name)") == [7])
    }

    @Test func `pieces and integers are put together`() {
        let condition: SQL = "id > \(integer: Int64.min)"
        let sql: SQL = "SELECT 1 WHERE \(condition) LIMIT \(integer: 3)"
        #expect(sql.text == "SELECT 1 WHERE id > -9223372036854775808 LIMIT 3")
        #expect(SQL(verbatim: sql.text) == sql)
    }

    @Test(.enabled(if: compiler != nil, "needs the compiler on the PATH"))
    func `a plain string does not compile into SQL`() throws {
        let scratch = Scratch()
        let source = #filePath.replacing(
            "Tests/SidingSQLiteTests/SQLTests.swift", with: "Sources/SidingSQLite/Statements/SQL.swift")
        let lawful = "let name = \"n\"; let sql: SQL = \"SELECT \\(identifier: name)\""
        let unlawful = "let name = \"n\"; let sql: SQL = \"SELECT \\(name)\""
        try #expect(typechecks(lawful, with: source, in: scratch))
        try #expect(!typechecks(unlawful, with: source, in: scratch))
    }
}

private let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { String($0) + "/swiftc" }.first { access($0, X_OK) == 0 }

private func typechecks(_ snippet: String, with source: String, in scratch: Scratch) throws -> Bool {
    let main = scratch.file("main.swift")
    try snippet.write(toFile: main, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(compiler))
    process.arguments = ["-typecheck", source, main]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
}
