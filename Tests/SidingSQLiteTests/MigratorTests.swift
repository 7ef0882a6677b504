// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingSQLite

struct MigratorTests {
    private let scratch = Scratch()
    private let first = Migration(
        version: 1, name: "records", sql: "CREATE TABLE records(id INTEGER PRIMARY KEY) STRICT;")
    private let second = Migration(
        version: 2, name: "bodies",
        sql: "ALTER TABLE records ADD COLUMN body TEXT; INSERT INTO records VALUES (1, 'one');")
    private let broken = Migration(
        version: 3, name: "broken", sql: "INSERT INTO records VALUES (2, 'two'); INSERT INTO nowhere VALUES (1);")

    @Test func `a new file gets all migrations and no copy`() async throws {
        let database = try await scratch.open()
        let applied = try await Migrator(migrations: [first, second]).migrate(database)
        #expect(applied == [first, second])
        #expect(try await database.integers("PRAGMA user_version") == [2])
        #expect(try await database.integers("SELECT count(*) FROM records") == [1])
        #expect(!scratch.names.contains { $0.contains("before") })
    }

    @Test func `a file that is up to date is left alone`() async throws {
        let database = try await scratch.open()
        let migrator = Migrator(migrations: [first, second])
        try await migrator.migrate(database)
        let held = try hold(scratch.database + ".writer")
        #expect(try await migrator.migrate(database) == [], "not even the writer lock is needed")
        held.remove()
    }

    @Test func `an older file is copied first, under a name that describes it`() async throws {
        let database = try await scratch.open()
        try await Migrator(migrations: [first]).migrate(database)
        let applied = try await Migrator(migrations: [first, second]).migrate(database, at: 1_767_323_045)
        #expect(applied == [second])
        let copy = scratch.database + ".before-v002-20260102T030405Z"
        #expect(mode(copy) == "600")
        let before = try await DatabaseReader.open(at: copy)
        #expect(try await before.read { try $0.query("PRAGMA user_version") { $0.int(0) } } == [1])
    }

    @Test func `a migration that fails leaves the file as it was, names itself, and leaves no copy`() async throws {
        let database = try await scratch.open()
        try await Migrator(migrations: [first, second]).migrate(database)
        let error = await failure { try await Migrator(migrations: [first, second, broken]).migrate(database) }
        #expect(error?.operation == "apply migration 3 (broken)")
        #expect(error?.message == "no such table: nowhere")
        #expect(try await database.integers("PRAGMA user_version") == [2])
        #expect(try await database.integers("SELECT count(*) FROM records") == [1])
        #expect(!scratch.names.contains { $0.contains("before") })
    }

    @Test func `migrations applied before a failure stay, and so does the copy`() async throws {
        let database = try await scratch.open()
        try await Migrator(migrations: [first]).migrate(database)
        let error = await failure { try await Migrator(migrations: [first, second, broken]).migrate(database) }
        #expect(error?.operation == "apply migration 3 (broken)")
        #expect(try await database.integers("PRAGMA user_version") == [2])
        #expect(scratch.names.filter { $0.contains("before-v002") }.count == 1)
    }

    @Test func `a file of a newer program is refused and not touched`() async throws {
        let newer = try await scratch.open()
        try await Migrator(migrations: [first, second]).migrate(newer)
        try await newer.checkpointIfNeeded(over: 0)
        await newer.close()
        let before = scratch.contents.filter { $0.key != "store.db-shm" }
        let database = try await scratch.open()
        let error = await failure { try await Migrator(migrations: [first]).migrate(database) }
        #expect(error?.kind == .tooNewSchema(found: 2, supported: 1))
        await database.close()
        #expect(scratch.contents.filter { $0.key != "store.db-shm" } == before)
    }

    @Test(arguments: [[2], [1, 3], [1, 1], [0, 1], [2, 1]])
    func `versions are 1, 2, 3 and so on`(versions: [Int]) async throws {
        let database = try await scratch.open()
        let migrations = versions.map { Migration(version: $0, name: "m", sql: "SELECT 1") }
        let error = await failure { try await Migrator(migrations: migrations).migrate(database) }
        #expect(error?.message.contains("not 1, 2, 3") == true)
        #expect(try await database.integers("PRAGMA user_version") == [0])
    }

    @Test func `a table can be built anew without losing the rows that refer to it`() async throws {
        let tables = Migration(
            version: 1, name: "tables",
            sql: """
                CREATE TABLE p(id INTEGER PRIMARY KEY) STRICT;
                CREATE TABLE c(p INTEGER REFERENCES p(id) ON DELETE CASCADE) STRICT;
                INSERT INTO p VALUES (1); INSERT INTO c VALUES (1);
                """)
        let rebuild = Migration(
            version: 2, name: "rebuild",
            sql: """
                CREATE TABLE new(id INTEGER PRIMARY KEY, name TEXT) STRICT; INSERT INTO new(id) SELECT id FROM p;
                DROP TABLE p; ALTER TABLE new RENAME TO p;
                """)
        let orphaning = Migration(version: 3, name: "orphaning", sql: "DELETE FROM p")
        let database = try await scratch.open()
        try await Migrator(migrations: [tables, rebuild]).migrate(database)
        #expect(try await database.integers("SELECT count(*) FROM c") == [1])
        #expect(try await database.integers("PRAGMA foreign_keys") == [1])
        let error = await failure { try await Migrator(migrations: [tables, rebuild, orphaning]).migrate(database) }
        #expect(error?.kind == .constraint("foreign keys"))
        #expect(try await database.integers("SELECT count(*) FROM p") == [1])
    }

    @Test func `many processes that migrate at once do it once`() async throws {
        let databases = [try await scratch.open(), try await scratch.open(), try await scratch.open()]
        let migrator = Migrator(migrations: [first, second])
        let applied = try await withThrowingTaskGroup(of: Int.self) { group in
            for database in databases { group.addTask { try await migrator.migrate(database).count } }
            return try await group.reduce(0, +)
        }
        #expect(applied == 2)
        #expect(try await databases[0].integers("SELECT count(*) FROM records") == [1])
    }

    @Test func `a migration cannot end its transaction`() async throws {
        let database = try await scratch.open()
        let escape = Migration(version: 1, name: "escape", sql: "CREATE TABLE t(x); COMMIT; CREATE TABLE u(x)")
        let error = await failure { try await Migrator(migrations: [escape]).migrate(database) }
        #expect(error?.message.contains("database's part") == true)
        #expect(try await database.read { try $0.schemaObjects(of: [.table]) } == [])
    }
}
