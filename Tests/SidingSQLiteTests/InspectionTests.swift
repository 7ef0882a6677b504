// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization
import Testing

@testable import SidingSQLite

struct Result {
    var columns: [String] = []
    var rows: [[SQLiteValue]] = []
}

func collect(_ sql: SQL, by inspection: Inspection) async throws -> Result {
    let result = Mutex(Result())
    try await inspection.run(
        sql, columns: { names in result.withLock { $0.columns = names } },
        row: { row in result.withLock { $0.rows.append(row) } })
    return result.withLock { $0 }
}

struct InspectionTests {
    private let scratch = Scratch()

    private func store() async throws -> Inspection {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                """
                CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT) STRICT;
                INSERT INTO t(body) VALUES ('{"a": 1}'), ('{"a": "two"}'), (NULL);
                CREATE VIRTUAL TABLE words USING fts5(body);
                INSERT INTO words VALUES ('one two'), ('three');
                CREATE VIEW v AS SELECT id, body ->> '$.a' AS a FROM t;
                """)
        }
        await database.close()
        return Inspection(of: scratch.database, timeLimit: .seconds(2))
    }

    @Test func `columns come once, then each row`() async throws {
        let inspection = try await store()
        let result = try await collect("SELECT a, id * 0.5 AS half FROM v ORDER BY id", by: inspection)
        #expect(result.columns == ["a", "half"])
        #expect(result.rows == [[.integer(1), .real(0.5)], [.text("two"), .real(1)], [.null, .real(1.5)]])
    }

    @Test(arguments: [
        "SELECT count(*) FROM t;",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT max(i) FROM n -- all",
        "VALUES (3)", "SELECT value FROM json_each('[3]') /* one */ ; ",
        "SELECT body FROM words WHERE words MATCH 'two'", "SELECT abs(-3) UNION SELECT 3",
        "EXPLAIN QUERY PLAN SELECT 3",
        "SELECT group_concat(upper(a), ',') FROM v WHERE a LIKE '%wo'",
    ])
    func `reading statements are let through`(text: String) async throws {
        let inspection = try await store()
        #expect(try await collect(SQL(verbatim: text), by: inspection).rows.count == 1)
    }

    @Test(
        arguments: [
            ("SELECT * FROM absent", .table), ("SELECT absent FROM t", .column), ("SELECT absent(1)", nil),
        ] as [(String, UnknownName?)])
    func `an error has the kind of an unknown name`(text: String, name: UnknownName?) async throws {
        let inspection = try await store()
        let error = await #expect(throws: SQLiteError.self) {
            try await collect(SQL(verbatim: text), by: inspection)
        }
        #expect(error?.unknownName == name)
    }

    @Test(arguments: [
        "INSERT INTO t(body) VALUES ('x')", "UPDATE t SET body = 'x'", "DELETE FROM t", "DROP TABLE t",
        "CREATE TABLE u(x)",
        "CREATE TEMP TABLE u(x)", "CREATE VIEW w AS SELECT 1", "ALTER TABLE t RENAME TO u", "REINDEX", "ANALYZE",
        "ATTACH 'other.db' AS other", "ATTACH ':memory:' AS other", "DETACH main", "VACUUM", "VACUUM INTO 'other.db'",
        "PRAGMA journal_mode = DELETE", "PRAGMA user_version = 7", "PRAGMA query_only = OFF",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA user_version", "PRAGMA data_version = 2", "SELECT * FROM pragma_user_version",
        "SELECT * FROM pragma_wal_checkpoint", "BEGIN", "COMMIT", "SAVEPOINT s",
        "SELECT load_extension('x.so')", "SELECT fts3_tokenizer('simple')", "SELECT Load_Extension('x.so')",
        "SELECT sqlite_log(1, 'x')",
        "SELECT readfile('/etc/passwd')", "SELECT writefile('other.db', 'x')", "SELECT edit('x')",
        "CREATE VIRTUAL TABLE f USING fts5(x)", "UPDATE sqlite_schema SET sql = ''",
        "WITH n AS (SELECT 1) INSERT INTO t(body) SELECT * FROM n",
        "INSERT INTO t(body) VALUES ('x') RETURNING id", "SELECT 1; DELETE FROM t", "SELECT 1; SELECT 2",
        "SELECT 1; nonsense",
        "", "-- nothing", "EXPLAIN DELETE FROM t", "SELECT zeroblob(1000000000)",
        "SELECT replace(hex(zeroblob(100000000)), '0', '0000000000')",
        "SELECT '' LIKE printf('%.*c', 2000, '%')",
    ])
    func `a statement that could change or load anything is refused, and nothing changes`(text: String) async throws {
        let inspection = try await store()
        let before = scratch.contents.filter { $0.key != "store.db-shm" }
        let error = await failure { try await collect(SQL(verbatim: text), by: inspection) }
        #expect(error != nil)
        #expect(scratch.contents.filter { $0.key != "store.db-shm" } == before)
        #expect(!FileManager.default.fileExists(atPath: "other.db"))
    }

    @Test func `each parameter has the value of its name`() async throws {
        let path = try await store().path
        let values: [String: SQLiteValue] = [
            "a": .integer(1), "b": .real(0.5), "c": .text("it's"), "d": .null, "e": .blob([0, 255]),
        ]
        let inspection = Inspection(of: path, parameters: values)
        let result = try await collect("SELECT :a, @b, $c, :d, :e, $a", by: inspection)
        #expect(
            result.rows == [[.integer(1), .real(0.5), .text("it's"), .null, .blob([0, 255]), .integer(1)]])
    }

    @Test(
        arguments: [
            ("SELECT ?", [], nil, true), ("SELECT :a", [], "a", true), ("SELECT :a, :b", ["a"], "b", true),
            ("SELECT 1", ["a"], "a", false), ("SELECT ':a'", ["a"], "a", false),
        ] as [(String, [String], String?, Bool)])
    func `parameters and values that do not fit are named`(
        _ text: String, _ given: [String], _ name: String?, _ isInStatement: Bool
    ) async throws {
        let values = Dictionary(uniqueKeysWithValues: given.map { ($0, SQLiteValue.integer(1)) })
        let inspection = Inspection(of: try await store().path, parameters: values)
        let mismatch = await #expect(throws: Inspection.ParameterMismatch.self) {
            try await collect(SQL(verbatim: text), by: inspection)
        }
        #expect(mismatch?.name == name && mismatch?.isInStatement == isInStatement)
    }

    @Test(
        arguments: [
            ("SELECT a, id FROM v", [1, 0]), ("SELECT * FROM v", [0, 1]), ("SELECT a AS x, a || '' FROM v", [1, nil]),
            ("WITH x AS (SELECT a FROM v) SELECT x.a, count(*) FROM x GROUP BY 1", [1, nil]),
            ("SELECT y FROM (SELECT a AS y, id FROM v ORDER BY id) LIMIT 1", [1]),
            ("SELECT v.a, t.id FROM v JOIN t USING (id)", [1, nil]),
            ("SELECT max(a), (SELECT a FROM v) FROM v", [nil, 1]),
            ("SELECT value FROM v, json_each('[1]')", [nil]), ("SELECT absent FROM v", []), ("DELETE FROM v", []),
            ("SELECT id FROM t", [nil]),
        ] as [(String, [Int?])])
    func `columns of a result are traced to those of a view`(_ text: String, _ columns: [Int?]) async throws {
        let inspection = try await store()
        let before = scratch.contents.filter { $0.key != "store.db-shm" }
        let origins = await inspection.origins(of: SQL(verbatim: text), in: ["v": ["id", "a"]])
        #expect(origins == columns.map { $0.map { ColumnOrigin(view: "v", column: $0) } })
        #expect(scratch.contents.filter { $0.key != "store.db-shm" } == before)
    }

    @Test(arguments: [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT count(*) FROM n a, n b, n c",
    ])
    func `a statement that does not end is ended`(text: String) async throws {
        _ = try await store()
        let inspection = Inspection(of: scratch.database, timeLimit: .milliseconds(50))
        let error = await failure { try await collect(SQL(verbatim: text), by: inspection) }
        #expect(error?.kind == .timeLimit)
        #expect(error?.description.contains("0.05 seconds") == true)
    }

    @Test func `the time that a reader of the rows takes does not count`() async throws {
        _ = try await store()
        let inspection = Inspection(of: scratch.database, timeLimit: .seconds(1))
        let spin = ContinuousClock()
        try await inspection.run("SELECT id FROM t", columns: { _ in }) { _ in
            let end = spin.now.advanced(by: .milliseconds(400))
            while spin.now < end {}
        }
    }

    @Test func `cancelling the task ends the statement`() async throws {
        let inspection = try await Inspection(of: store().path, timeLimit: .seconds(600))
        let endless: SQL =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i = 1 OR i < 0"
        let (rows, row) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: SQLiteError?.self) { group in
            group.addTask {
                await failure { try await inspection.run(endless, columns: { _ in }, row: { _ in row.yield() }) }
            }
            for await _ in rows { break }
            group.cancelAll()
            #expect(await group.next()??.kind == .cancelled)
        }
    }

    @Test func `an error of the caller ends the listing and is the one thrown`() async throws {
        struct PipeClosed: Error {}
        let inspection = try await store()
        await #expect(throws: PipeClosed.self) {
            try await inspection.run("SELECT 1", columns: { _ in }, row: { _ in throw PipeClosed() })
        }
    }

    @Test func `a missing database is reported and not created`() async throws {
        let error = await failure { try await collect("SELECT 1", by: Inspection(of: scratch.file("none/store.db"))) }
        #expect(error?.kind == .cannotOpen)
        #expect(
            await failure { try await collect("SELECT 1", by: Inspection(of: scratch.database)) }?.kind == .cannotOpen)
        #expect(scratch.names == [])
    }
}
