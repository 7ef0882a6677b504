// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingSQLite

struct TransactionTests {
    private let scratch = Scratch()
    private struct Stop: Error {}

    private func table() async throws -> Database {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                """
                CREATE TABLE parent(id INTEGER PRIMARY KEY) STRICT;
                CREATE TABLE t(
                    id INTEGER PRIMARY KEY, v TEXT UNIQUE,
                    parent INTEGER REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED,
                    CONSTRAINT t_not_bad CHECK (v <> 'bad')) STRICT;
                """)
        }
        return database
    }

    private func values(_ database: Database) async throws -> [String] {
        try await database.read { try $0.query("SELECT v FROM t ORDER BY id") { $0.text(0) } }
    }

    @Test func `a body that returns is kept, one that throws is undone and its error is thrown`() async throws {
        let database = try await table()
        let rowID = try await database.write { transaction in
            try transaction.execute("INSERT INTO t(v) VALUES (?)", "kept")
            return transaction.lastInsertedRowID
        }
        #expect(rowID == 1)
        await #expect(throws: Stop.self) {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO t(v) VALUES (?)", "undone")
                throw Stop()
            }
        }
        #expect(try await values(database) == ["kept"])
    }

    @Test func `execute counts the rows it changed, and none for a change of the schema`() async throws {
        let database = try await table()
        try await database.write { transaction in
            let counts = try [
                transaction.execute("INSERT INTO t(v) VALUES ('a'), ('b'), ('c')"),
                transaction.execute("CREATE TABLE more(x INTEGER) STRICT"),
                transaction.execute("UPDATE t SET v = v || '!' WHERE v > ?", "a"),
                transaction.execute("DELETE FROM t WHERE v = 'none'"),
                transaction.execute("INSERT INTO t(v) VALUES ('d') RETURNING id"),
            ]
            #expect(counts == [3, 0, 2, 0, 1])
        }
    }

    @Test func `a part that throws, or is a rehearsal, is undone alone`() async throws {
        let database = try await table()
        try await database.write { transaction in
            try transaction.execute("INSERT INTO t(v) VALUES ('before')")
            try? transaction.part {
                try transaction.execute("INSERT INTO t(v) VALUES ('thrown')")
                throw Stop()
            }
            let seen = try transaction.part(isKept: false) {
                try transaction.execute("INSERT INTO t(v) VALUES ('rehearsed')")
                return try transaction.part { try transaction.first("SELECT COUNT(*) FROM t") { $0.int(0) } }
            }
            #expect(seen == 2)
            try transaction.part { try transaction.execute("INSERT INTO t(v) VALUES ('kept')") }
        }
        #expect(try await values(database) == ["before", "kept"])
    }

    @Test func `after SQLite rolled back by itself nothing runs in autocommit`() async throws {
        let database = try await table()
        let error = await failure {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO t(v) VALUES ('one')")
                // OR ROLLBACK ends the transaction as a full disk does.
                _ = try? transaction.execute("INSERT OR ROLLBACK INTO t(v) VALUES ('one')")
                try transaction.execute("INSERT INTO t(v) VALUES ('alone')")
            }
        }
        #expect(error?.kind == .constraint("t.v"))
        #expect(try await values(database) == [])
    }

    @Test func `a body that hides SQLite's rollback does not count as done`() async throws {
        let database = try await table()
        let error = await failure {
            try await database.write { transaction in
                try transaction.execute("INSERT INTO t(v) VALUES ('one')")
                _ = try? transaction.execute("INSERT OR ROLLBACK INTO t(v) VALUES ('one')")
            }
        }
        #expect(error?.symbol == "SQLITE_CONSTRAINT_UNIQUE")
        try await database.write { _ = try $0.execute("INSERT INTO t(v) VALUES ('next')") }
        #expect(try await values(database) == ["next"])
    }

    @Test func `a script stops where SQLite rolled back`() async throws {
        let database = try await table()
        let error = await failure {
            try await database.write { transaction in
                try transaction.executeScript("INSERT INTO t(v) VALUES ('one')")
                _ = try? transaction.executeScript("INSERT OR ROLLBACK INTO t(v) VALUES ('one')")
                try transaction.executeScript("INSERT INTO t(v) VALUES ('alone')")
            }
        }
        #expect(error?.symbol == "SQLITE_CONSTRAINT_UNIQUE")
        #expect(try await values(database) == [])
    }

    @Test func `an error at COMMIT rolls back, is thrown, and the next transaction works`() async throws {
        let database = try await table()
        let error = await failure {
            try await database.write { _ = try $0.execute("INSERT INTO t(v, parent) VALUES ('orphan', 99)") }
        }
        #expect(error?.symbol == "SQLITE_CONSTRAINT_FOREIGNKEY")
        #expect(error?.operation == "commit")
        try await database.write { _ = try $0.execute("INSERT INTO t(v) VALUES ('next')") }
        #expect(try await values(database) == ["next"])
    }

    @Test func `a failed statement does not end the transaction if SQLite did not`() async throws {
        let database = try await table()
        try await database.write { transaction in
            do throws(SQLiteError) {
                try transaction.execute("INSERT INTO t(v) VALUES ('bad')")
                Issue.record("the constraint was not checked")
            } catch {
                #expect(error.kind == .constraint("t_not_bad"))
            }
            try transaction.execute("INSERT INTO t(v) VALUES ('good')")
        }
        #expect(try await values(database) == ["good"])
    }

    @Test func `a statement does not outlive its transaction`() async throws {
        let database = try await table()
        let error = try await database.withWriter { connection throws(SQLiteError) -> SQLiteError? in
            try connection.begin("BEGIN IMMEDIATE")
            var statement = try Transaction(on: connection).prepare("INSERT INTO t(v) VALUES ('late')")
            try connection.commit()
            try connection.begin("BEGIN IMMEDIATE")
            defer { connection.rollBack() }
            do throws(SQLiteError) { try statement.step() } catch { return error }
            return nil
        }
        #expect(error?.message == "its transaction has ended")
    }

    @Test(arguments: [
        "INSERT INTO t(v) VALUES ('x')", "DELETE FROM t", "CREATE TABLE u(x)", "COMMIT", "PRAGMA user_version = 9",
    ])
    func `a snapshot only reads`(text: String) async throws {
        let database = try await table()
        let error = await failure { try await database.integers(SQL(verbatim: text)) }
        #expect(error?.message == "a snapshot only reads")
    }

    @Test func `writes of many tasks come one after the other`() async throws {
        let database = try await table()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await database.write { transaction in
                        let count = try transaction.first("SELECT count(*) FROM parent") { $0.int(0) } ?? 0
                        try transaction.execute("INSERT INTO parent(id) VALUES (?)", count + 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.integers("SELECT max(id) FROM parent") == [50])
    }

    @Test func `a closed database is reported`() async throws {
        let database = try await table()
        await database.close()
        let error = await failure { try await values(database) }
        #expect(error?.message == "it is closed")
    }

    @Test func `a function that reads takes a snapshot or a transaction`() async throws {
        let database = try await table()
        #expect(try await database.read { try count(in: $0) } == 0)
        #expect(try await database.write { try count(in: $0) } == 0)
    }
}

private func count(in source: borrowing some Queryable & ~Copyable) throws -> Int64? {
    try source.first("SELECT count(*) FROM t") { $0.int(0) }
}
