// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Foundation
import Testing

@testable import SidingSQLite

struct DatabaseOpeningTests {
    private let scratch = Scratch()

    @Test func `a new file carries our application id and page size`() async throws {
        try await scratch.open().close()
        let bytes = try #require(scratch.contents["store.db"])
        #expect(bytes[68..<72].elementsEqual([0x53, 0x69, 0x64, 0x67]))
        #expect(bytes[16..<18].elementsEqual([0x20, 0x00]))
        #expect(bytes[18..<20].elementsEqual([2, 2]), "write-ahead logging")
    }

    static let foreign: [(name: String, script: String?)] = [
        ("text", nil),
        ("another id", "PRAGMA application_id = 7; CREATE TABLE t(x); INSERT INTO t VALUES (1)"),
        ("no id", "CREATE TABLE t(x); INSERT INTO t VALUES (1)"),
        ("no id, WAL", "PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)"),
    ]

    @Test(arguments: 0..<foreign.count)
    func `a file that is not ours is refused and not touched`(index: Int) async throws {
        if let script = Self.foreign[index].script {
            try foreignProgram(scratch.database, script)
        } else {
            try
                "Dear diary, this is long enough to be mistaken for a header of one hundred bytes, which it is not. Yours"
                .write(
                    toFile: scratch.database, atomically: false, encoding: .utf8)
        }
        let before = scratch.contents
        let attempts: [@Sendable () async throws -> Void] = [
            { [scratch] in _ = try await scratch.open() },
            { [scratch] in _ = try await DatabaseReader.open(at: scratch.database) },
            { [scratch] in try await Inspection(of: scratch.database).run("SELECT 1", columns: { _ in }, row: { _ in })
            },
        ]
        for attempt in attempts {
            switch await failure(attempt)?.kind {
            case .notADatabase?: #expect(index == 0)
            case .foreignFile(let id)?: #expect(id == (index == 1 ? 7 : 0))
            case let kind: Issue.record("\(String(describing: kind))")
            }
            #expect(scratch.contents == before)
        }
    }

    @Test func `an empty file becomes a database`() async throws {
        try Data().write(to: URL(fileURLWithPath: scratch.database))
        let database = try await scratch.open()
        #expect(
            try await database.integers("PRAGMA application_id") == [Int64(DatabaseConfiguration.sidingApplicationID)])
    }

    @Test func `a file whose making was cut short after its first page is completed`() async throws {
        let id = DatabaseConfiguration.sidingApplicationID
        try foreignProgram(scratch.database, "PRAGMA page_size = 8192; PRAGMA application_id = \(id)")
        let database = try await scratch.open()
        let mode = try await database.withWriter { connection throws(SQLiteError) in
            try connection.run("PRAGMA journal_mode", operation: "read the journal mode")
        }
        #expect(mode == .text("wal"))
    }

    @Test func `a file that was left between the steps of its making is completed`() async throws {
        try foreignProgram(scratch.database, "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL")
        #expect(scratch.contents["store.db"]?.count == 8_192)
        let error = await failure { try await DatabaseReader.open(at: scratch.database) }
        #expect(error?.kind == .cannotOpen, "a reader finds no database yet")
        let database = try await scratch.open()
        #expect(
            try await database.integers("PRAGMA application_id") == [Int64(DatabaseConfiguration.sidingApplicationID)])
        #expect(try await database.integers("PRAGMA auto_vacuum") == [2])
        await database.close()
        #expect(try #require(scratch.contents["store.db"])[18..<20].elementsEqual([2, 2]), "write-ahead logging")
    }

    @Test(arguments: [
        "PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA page_size = 8192; PRAGMA user_version = 1",
        "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA user_version = 1",
        "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t(x)",
        "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL",
    ])
    func `a file that differs from one of ours that is half made is another program's`(script: String) async throws {
        try foreignProgram(scratch.database, script)
        let before = scratch.contents
        let error = await failure { try await scratch.open() }
        #expect(error?.kind == .foreignFile(applicationID: 0))
        #expect(scratch.contents == before)
    }

    @Test func `a process that opens a new file while another makes it never finds it half made`() async throws {
        for _ in 0..<50 {
            let scratch = Scratch()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await scratch.open().close() } }
                try await group.waitForAll()
            }
        }
    }

    @Test func `many openers of a new file at once all get the same database`() async throws {
        let databases = try await withThrowingTaskGroup(of: Database.self) { group in
            for _ in 0..<8 { group.addTask { [scratch] in try await scratch.open() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (number, database) in databases.enumerated() {
            try await database.write { transaction in
                try transaction.execute("CREATE TABLE IF NOT EXISTS t(id INTEGER) STRICT")
                try transaction.execute("INSERT INTO t VALUES (?)", number)
            }
        }
        #expect(try await databases[0].integers("SELECT count(*) FROM t") == [8])
    }

    @Test func `every switch and limit has our value, on writer and reader`() async throws {
        let database = try await scratch.open()
        try await database.withWriter { connection throws(SQLiteError) in checkSettings(of: connection) }
        let file = try DatabaseFile(at: scratch.database, createDirectory: false)
        checkSettings(of: try Connection.openReader(file, database.configuration))
    }

    private func checkSettings(of connection: Connection) {
        let switches: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0), (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 1), (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1),
        ]
        for (verb, expected) in switches {
            var state: Int32 = -1
            #expect(siding_sqlite_switch(connection.handle, verb, -1, &state) == SQLITE_OK)
            #expect(state == expected, "switch \(verb)")
        }
        let limits: [(Int32, Int32)] = [
            (SQLITE_LIMIT_LENGTH, 256 << 20), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20), (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_EXPR_DEPTH, 100), (SQLITE_LIMIT_COMPOUND_SELECT, 20),
        ]
        for (limit, expected) in limits { #expect(sqlite3_limit(connection.handle, limit, -1) == expected) }
    }

    @Test func `every pragma has our value`() async throws {
        let database = try await scratch.open()
        let reader = try await DatabaseReader.open(at: scratch.database)
        let shared: [(SQL, Int64)] = [
            ("PRAGMA wal_autocheckpoint", 0), ("PRAGMA cell_size_check", 1), ("PRAGMA mmap_size", 0),
            ("PRAGMA cache_size", -16_384), ("PRAGMA busy_timeout", 5_000), ("PRAGMA page_size", 8_192),
        ]
        let writing: [(SQL, Int64)] = [
            ("PRAGMA synchronous", 2), ("PRAGMA foreign_keys", 1), ("PRAGMA secure_delete", 1),
            ("PRAGMA journal_size_limit", 64 << 20), ("PRAGMA query_only", 0),
        ]
        for (pragma, expected) in shared + writing {
            #expect(try await database.integers(pragma) == [expected], "\(pragma.text)")
        }
        for (pragma, expected) in shared + [("PRAGMA query_only", 1)] {
            #expect(try await reader.read { try $0.query(pragma) { $0.int(0) } } == [expected], "\(pragma.text)")
        }
        let relaxed = try await scratch.open { $0.synchronous = .normal }
        #expect(try await relaxed.integers("PRAGMA synchronous") == [1])
    }

    @Test func `the schema cannot be written by hand, nor a trigger run`() async throws {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                """
                CREATE TABLE t(x INTEGER) STRICT;
                CREATE TRIGGER planted AFTER INSERT ON t BEGIN DELETE FROM t; END;
                """)
            try transaction.execute("INSERT INTO t VALUES (1)")
        }
        #expect(try await database.integers("SELECT count(*) FROM t") == [1])
        for text in ["UPDATE sqlite_schema SET sql = ''", "PRAGMA writable_schema = ON"] {
            let error = await failure { try await database.write { try $0.execute(SQL(verbatim: text)) } }
            #expect(error != nil, "\(text)")
        }
    }

    @Test func `views, triggers and indexes are listed with their SQL, tables on request`() async throws {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                """
                CREATE TABLE t(x INTEGER PRIMARY KEY, y TEXT UNIQUE) STRICT;
                CREATE INDEX t_y ON t(y ->> '$.a');
                CREATE VIEW v AS SELECT y ->> '$.a' AS a FROM t;
                CREATE TRIGGER planted AFTER INSERT ON t BEGIN DELETE FROM t; END;
                """)
        }
        let objects = try await database.read { try $0.schemaObjects() }
        #expect(objects.map(\.name) == ["t_y", "planted", "v"])
        #expect(objects.map(\.kind) == [.index, .trigger, .view])
        #expect(objects.map(\.table) == ["t", "t", "v"])
        #expect(objects[2].sql == "CREATE VIEW v AS SELECT y ->> '$.a' AS a FROM t")
        #expect(try await database.read { try $0.schemaObjects(of: [.table]).map(\.name) } == ["t"])
    }

    @Test func `a view of 200 JSON columns works within the limits`() async throws {
        let database = try await scratch.open()
        let columns = (0..<200).map { "body ->> \(literal: "$.field\($0)") AS \(identifier: "field\($0)")" as SQL }
        let list = SQL(verbatim: columns.map(\.text).joined(separator: ", "))
        let body = "{" + (0..<200).map { "\"field\($0)\":\($0)" }.joined(separator: ",") + "}"
        try await database.write { transaction in
            try transaction.execute("CREATE TABLE t(body TEXT) STRICT")
            try transaction.execute("CREATE VIEW wide AS SELECT \(list) FROM t")
            try transaction.execute("INSERT INTO t VALUES (?)", body)
        }
        #expect(try await database.integers("SELECT field199 FROM wide WHERE field0 = 0 AND field7 = 7") == [199])
        let inspection = Inspection(of: scratch.database)
        let rows = try await collect("SELECT * FROM wide", by: inspection)
        #expect(rows.columns.count == 200)
        #expect(rows.rows == [(0..<200).map { .integer($0) }])
    }
}
