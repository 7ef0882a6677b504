// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Testing

@testable import SidingSQLite

struct StatementTests {
    private let scratch = Scratch()

    private func table() async throws -> Database {
        let database = try await scratch.open()
        try await database.write { try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY, v ANY) STRICT") }
        return database
    }

    @Test(arguments: [
        SQLiteValue.null, .integer(.min), .integer(.max), .real(-0.1), .real(.infinity), .text(""), .text("a\u{0}b🛤"),
        .blob([]), .blob([0, 255, 1]),
    ])
    func `every value comes back as it was bound`(value: SQLiteValue) async throws {
        let database = try await table()
        let read = try await database.write { transaction in
            try transaction.execute("INSERT INTO t(v) VALUES (?)", value)
            return try transaction.first("SELECT v FROM t") { $0.value(0) }
        }
        #expect(read == value)
    }

    @Test func `optionals, booleans and NaN bind as SQLite knows them`() async throws {
        let database = try await table()
        let missing: String? = nil
        let values = try await database.read { snapshot in
            try snapshot.first(
                "SELECT ?, ?, ?, ?, ?, ?", missing, nil, true, Double.nan, Optional("x"), Optional<Int64>(3)
            ) {
                row in (0..<6).map { row.value($0) }
            }
        }
        #expect(values == [.null, .null, .integer(1), .null, .text("x"), .integer(3)])
    }

    @Test func `a row reads NULL as nil on request, as empty otherwise`() async throws {
        let database = try await table()
        try await database.read { snapshot in
            try snapshot.forEach("SELECT NULL, 5, 'five', x'05', 0.5") { row in
                #expect(row.columnCount == 5)
                #expect(row.isNull(0) && !row.isNull(1))
                #expect(row.optionalInt(0) == nil && row.optionalInt(1) == 5)
                #expect(row.optionalText(0) == nil && row.optionalText(2) == "five")
                #expect(row.int(0) == 0 && row.text(0) == "" && row.blob(0) == [])
                #expect(row.double(4) == 0.5 && row.blob(3) == [5])
                #expect(row.withBytes(2) { $0.count } == 4)
                #expect(row.value(99) == .null)
            }
        }
    }

    @Test func `bytes bound without a copy are stored as they are, also where they are not UTF-8`() async throws {
        let database = try await table()
        let bodies: [[UInt8]] = [
            Array("{\"a\":1}".utf8), [], [0xFF, 0x00, 0xC3], Array(repeating: 65, count: 100_000),
        ]
        let read = try await database.write { transaction in
            var insert = try transaction.prepare("INSERT INTO t(id, v) VALUES (?, ?)")
            for (id, body) in bodies.enumerated() {
                try body.withUnsafeBytes { bytes in
                    try insert.bind(1, id)
                    try insert.bindTextBytes(2, bytes)
                    try insert.step()
                }
            }
            return try transaction.query("SELECT v FROM t WHERE typeof(v) = 'text' ORDER BY id") { $0.blob(0) }
        }
        #expect(read == bodies)
    }

    @Test func `a finished statement is ready for new values, and the ones before stay bound`() async throws {
        let database = try await table()
        try await database.write { transaction in
            var insert = try transaction.prepare("INSERT INTO t(id, v) VALUES (?1, ?2)")
            try insert.bind(2, "same")
            for id in 1...3 {
                try insert.bind(1, id)
                let hasRow = try insert.step()
                #expect(!hasRow)
            }
            var select = try transaction.prepare("SELECT id, v FROM t WHERE id >= ? ORDER BY id")
            try select.bind(1, 2)
            var hasRow = try select.step()
            #expect(hasRow)
            #expect(select.int(0) == 2 && select.text(1) == "same" && select.row.columnCount == 2)
            select.reset()
            try select.bind(1, 3)
            hasRow = try select.step()
            #expect(hasRow)
            #expect(select.int(0) == 3)
            hasRow = try select.step()
            #expect(!hasRow)
        }
    }

    @Test func `a statement that ends is given back without its values and used again`() async throws {
        let database = try await table()
        try await database.read { snapshot in
            var handles: Set<OpaquePointer> = []
            for _ in 0..<3 {
                var statement = try snapshot.prepare("SELECT ?")
                try statement.step()
                let isNull = statement.isNull(0)
                #expect(isNull)
                statement.reset()
                try statement.bind(1, "left behind")
                handles.insert(statement.handle)
            }
            #expect(handles.count == 1)
        }
    }

    @Test func `the same statement can be used twice at once`() async throws {
        let database = try await table()
        let pairs = try await database.read { snapshot in
            try snapshot.query("SELECT value FROM json_each('[1,2]')") { outer in
                let left = outer.int(0)
                return try snapshot.query("SELECT value FROM json_each('[1,2]')") { left * 10 + $0.int(0) }
            }
        }
        #expect(pairs == [[11, 12], [21, 22]])
    }

    @Test func `the cache of statements does not grow without end`() async throws {
        let database = try await table()
        let open = try await database.read { snapshot in
            for number in 0..<(StatementCache.capacity * 3) {
                _ = try snapshot.first("SELECT \(integer: number)") { $0.int(0) }
            }
            var count = 0
            var statement = sqlite3_next_stmt(snapshot.connection.handle, nil)
            while let current = statement {
                count += 1
                statement = sqlite3_next_stmt(snapshot.connection.handle, current)
            }
            return count
        }
        #expect(open == StatementCache.capacity)
    }

    @Test(arguments: [[], [1, 2]])
    func `values and parameters have to be equal in number`(values: [Int]) async throws {
        let database = try await table()
        let error = await failure {
            try await database.read { snapshot in
                var statement = try snapshot.prepare("SELECT ?")
                try statement.bind(all: values)
            }
        }
        #expect(error?.message.contains("1 parameters") == true)
    }

    @Test(arguments: [
        "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "ATTACH ':memory:' AS other", "DETACH other",
        "PRAGMA foreign_keys = OFF",
    ])
    func `a transaction is not begun or ended by SQL text`(text: String) async throws {
        let database = try await table()
        for isScript in [true, false] {
            let error = await failure {
                try await database.write { transaction in
                    try transaction.execute("INSERT INTO t(v) VALUES (1)")
                    let sql = SQL(verbatim: text)
                    if isScript { try transaction.executeScript(sql) } else { try transaction.execute(sql) }
                }
            }
            #expect(error?.message.contains("database's part") == true)
        }
        #expect(try await database.integers("SELECT count(*) FROM t") == [0])
    }

    @Test(arguments: ["", "  -- only a comment", "SELECT 1; SELECT 2", "SELECT 1\u{0}", "SELECT", "SELECT \"unknown\""])
    func `a text other than exactly one sound statement is refused`(text: String) async throws {
        let database = try await table()
        let error = await failure { try await database.integers(SQL(verbatim: text)) }
        #expect(error?.operation == "prepare a statement")
        #expect(error?.sql == text)
    }

    @Test(arguments: ["SELECT 1;", "SELECT 1 ; -- done", "SELECT 1 /* done */ ; ;"])
    func `blanks and comments may follow a statement`(text: String) async throws {
        let database = try await table()
        #expect(try await database.integers(SQL(verbatim: text)) == [1])
    }
}
