// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingSQLite

struct SQLiteErrorTests {
    private let scratch = Scratch()
    static let header = "/usr/include/sqlite3.h"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: header), "needs SQLite's header"))
    func `every result code of SQLite's header has its name`() throws {
        let text = try String(contentsOfFile: Self.header, encoding: .utf8)
        let primary = #/#define SQLITE_([A-Z]+) +([0-9]+) +\/\* /#
        let extended = #/#define SQLITE_([A-Z_]+) +\(SQLITE_([A-Z]+) *\| *\(([0-9]+)<<8\)\)/#
        let from = try #require(text.firstRange(of: "#define SQLITE_OK ")?.lowerBound)
        let to = try #require(text.firstRange(of: "#define SQLITE_OPEN_READONLY")?.lowerBound)
        var codes: [Substring: Int32] = [:]
        for match in text[from..<to].matches(of: primary) { codes[match.1] = Int32(match.2) }
        #expect(codes.count >= 31)
        for (name, code) in codes { #expect(SQLiteResultCode.symbol(code) == "SQLITE_" + name) }
        let details = text[from..<to].matches(of: extended)
        #expect(details.count >= 70)
        for match in details {
            let code = try #require(codes[match.2]) | ((Int32(match.3) ?? 0) << 8)
            #expect(SQLiteResultCode.symbol(code) == "SQLITE_" + match.1)
        }
        #expect(SQLiteResultCode.symbol(77) == "SQLITE_RESULT_77")
    }

    @Test(
        arguments: [
            (5, 0, .busy), (6, 0, .busy), (5 | 2 << 8, 0, .busy), (13, 0, .full), (10 | 3 << 8, ENOSPC, .full),
            (10 | 3 << 8, EIO, .ioError), (8, 0, .readOnly), (23, 0, .readOnly), (11 | 3 << 8, 0, .corrupt),
            (26, 0, .notADatabase),
            (14, 0, .cannotOpen), (14, EACCES, .permission), (3, 0, .permission), (9, 0, .interrupted), (1, 0, .other),
            (7, 0, .other),
        ] as [(Int32, Int32, SQLiteError.Kind)])
    func `a result code has its kind`(code: Int32, systemCode: Int32, kind: SQLiteError.Kind) {
        #expect(SQLiteError(code: code, message: "", operation: "x", path: "p", systemCode: systemCode).kind == kind)
    }

    @Test(arguments: [
        SQLiteError.Kind.busy, .full, .readOnly, .ioError, .corrupt, .notADatabase, .cannotOpen, .permission,
        .constraint("c"),
        .timeLimit, .tooNewSchema(found: 2, supported: 1), .foreignFile(applicationID: 7), .networkFileSystem("NFS"),
        .unsafeFile("x"),
    ])
    func `a description has the operation, the file, the cause and the remedy`(kind: SQLiteError.Kind) {
        let text = SQLiteError(kind, "the reason", operation: "open the database", path: "/x/store.db").description
        let start = "Could not open the database (/x/store.db): the reason. "
        #expect(text.hasPrefix(start))
        #expect(text.dropFirst(start.count).hasSuffix(".") && text.count > start.count + 20)
    }

    @Test func `constraints are reported by their names`() async throws {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                """
                CREATE TABLE t(a INTEGER NOT NULL, b TEXT UNIQUE, CONSTRAINT t_positive CHECK (a > 0)) STRICT;
                INSERT INTO t VALUES (1, 'x');
                """)
        }
        let cases: [(SQL, String)] = [
            ("INSERT INTO t VALUES (0, 'y')", "t_positive"), ("INSERT INTO t VALUES (1, 'x')", "t.b"),
            ("INSERT INTO t VALUES (NULL, 'y')", "t.a"),
        ]
        for (sql, name) in cases {
            #expect(await failure { try await database.write { try $0.execute(sql) } }?.kind == .constraint(name))
        }
    }

    @Test(arguments: [
        "INSERT INTO t VALUES (?, 'x')", "INSERT INTO t VALUES (1, ?), (1, ?1)", "SELECT json_extract('{}', ?)",
        "SELECT json(?)",
        "SELECT * FROM words WHERE words MATCH ?", "SELECT 'a' LIKE 'b' ESCAPE ?",
        "SELECT abs(?), abs(-9223372036854775808)",
        "SELECT zeroblob(1000000000) || ?", "SELECT '{}' ->> ('$[' || ?)", "SELECT load_extension(?)",
        "SELECT ? FROM nowhere",
        "SELECT json_set('{}', ?, 1)",
    ])
    func `an error never shows a bound value`(text: String) async throws {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                "CREATE TABLE t(a INTEGER, b TEXT UNIQUE) STRICT; CREATE VIRTUAL TABLE words USING fts5(x)")
        }
        let secret = "hunter2\"'["
        let error = try #require(
            await failure { try await database.write { _ = try $0.query(SQL(verbatim: text), secret) { $0.value(0) } } }
        )
        #expect(!error.description.contains("hunter2") && !"\(error.kind)".contains("hunter2"), "\(error)")
        #expect(error.sql == nil || error.sql == text)
    }
}
