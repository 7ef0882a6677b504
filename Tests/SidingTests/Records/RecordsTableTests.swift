// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct RecordsTableTests {
    // MARK: Keys

    @Test func `integer keys are the rowid, and a look-up through the view is one in the table`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":7,"n":"a"},{"id":-3,"n":"b"},{"id":10,"n":"c"}]"#)
        #expect(try await bench.rows("SELECT typeof(id), n FROM posts WHERE id = 7") == [["integer", "a"]])
        for query in ["SELECT * FROM posts WHERE id = 7", "SELECT * FROM posts WHERE id BETWEEN 1 AND 8"] {
            let plan = try await bench.plan(query)
            #expect(plan.contains("SEARCH") && plan.contains("INTEGER PRIMARY KEY"), "\(plan)")
        }
        let listed = try await bench.store.records(of: "posts", after: nil, limit: 9, deleted: false).map(\.key)
        #expect(listed == ["-3", "7", "10"])
        let rest = try await bench.store.records(of: "posts", after: "7", limit: 9, deleted: false).map(\.key)
        #expect(rest == ["10"])
        #expect(try await bench.store.record(of: "posts", key: "-3") != nil)
        for key in ["07", "7.0", " 7", "", "9223372036854775808", "-0"] {
            #expect(try await bench.store.record(of: "posts", key: key) == nil, "\(key)")
        }
    }

    @Test func `texts are keys as they are, and are found by their index`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"10"},{"id":"9"},{"id":"b"}]"#)
        #expect(try await bench.rows("SELECT typeof(id), id FROM posts WHERE id = '9'") == [["text", "9"]])
        #expect(try await bench.rows("SELECT id FROM posts WHERE id = 9") == [])
        #expect(try await bench.plan("SELECT * FROM posts WHERE id = '9'").contains("siding_key_posts (key=?)"))
        let listed = try await bench.store.records(of: "posts", after: nil, limit: 9, deleted: false).map(\.key)
        #expect(listed == ["10", "9", "b"])
    }

    @Test func `siding_key has the type of the keys, and joins find it`() async throws {
        let bench = try await FileBench()
        let columns = [RecordColumn("title", .text)]
        try await bench.commit(#"[{"id":7,"title":"x"}]"#, schema: RecordSchema(columns: columns))
        #expect(try await bench.rows("SELECT typeof(siding_key) FROM posts WHERE siding_key = 7") == [["integer"]])
        let plan = try await bench.plan("SELECT p.title FROM (SELECT 7 AS id) o JOIN posts p ON p.siding_key = o.id")
        #expect(plan.contains("INTEGER PRIMARY KEY"), "\(plan)")
    }

    @Test func `an integer beyond 64 bits gives the keys a column of their own, and every row keeps its number`()
        async throws
    {
        let bench = try await FileBench()
        let schema = RecordSchema(columns: [RecordColumn("n", .integer, isIndexed: true)], history: HistoryRetention())
        try await bench.commit(#"[{"id":7,"n":1},{"id":-2,"n":2}]"#, schema: schema)
        #expect(try await bench.rows("SELECT layout FROM siding_resources") == [["rowid"]])
        bench.bench.time.advance(by: .seconds(1))
        try await bench.commit(#"[{"id":7,"n":3},{"id":99999999999999999999,"n":4}]"#, schema: schema)
        #expect(try await bench.rows("SELECT layout FROM siding_resources") == [["indexed"]])
        #expect(
            try await bench.rows("SELECT id, key, typeof(key) FROM siding_records_posts ORDER BY key")
                == [["-2", "-2", "integer"], ["7", "7", "integer"], ["8", "99999999999999999999", "text"]])
        #expect(try await bench.rows("SELECT n FROM posts WHERE siding_key = 7 AND n = 3") == [["3"]])
        #expect(try await bench.plan("SELECT * FROM posts WHERE n = 3").contains("siding_index_1_n"))
        #expect(try await bench.store.record(of: "posts", key: "99999999999999999999") != nil)
        bench.bench.time.advance(by: .seconds(1))
        try await bench.commit(#"[{"id":7,"n":5}]"#, schema: schema)
        let history = try #require(try await bench.store.history(of: "posts", key: "7", limit: nil))
        #expect(history.versions.count == 3)
        #expect(try await bench.store.check() == [])
        try await bench.store.close()
        try await Store.open(at: bench.path, access: .readOnly).close()
    }

    @Test(arguments: ["7", "-7", "0", "9223372036854775807", "-9223372036854775808"])
    func `an integer is its own digits and nothing else`(_ text: String) {
        #expect(RecordsTable.integer(text.utf8) == Int64(text))
        for other in ["+\(text)", "0\(text)", " \(text)", "\(text).", "--\(text)", "9223372036854775808"] {
            #expect(RecordsTable.integer(other.utf8) == nil, "\(other)")
        }
    }

    @Test func `row ids of any integer are packed and unpacked`() throws {
        let ids: [Int64] = [.min, -5, -1, 0, 3, .max]
        for count in 0...ids.count {
            let set = RowIDs(Array(ids.suffix(count)))
            #expect(try set.packed.withUnsafeBytes { try RowIDs(packed: $0) } == set)
        }
    }

    // MARK: Declared columns over stored records

    private static func filled(_ columns: [RecordColumn]) async throws -> FileBench {
        let bench = try await FileBench()
        let records = (1...20).map { #"{"id":\#($0 - 10),"v":"\#($0)","w":{"x":\#($0 % 3)}}"# }
        try await bench.commit("[\(records.joined(separator: ","))]", schema: RecordSchema(columns: columns))
        return bench
    }

    @Test func `a column that is declared over stored records is filled in steps, and right all the time`() async throws
    {
        let bench = try await Self.filled([])
        let columns = [
            RecordColumn("v", .integer, isIndexed: true),
            RecordColumn("x", .integer, at: try JSONPath(parsing: "$.w.x")),
        ]
        _ = try await bench.bench.open(schema: RecordSchema(columns: columns))
        let query = "SELECT siding_key, v, x FROM posts ORDER BY siding_key"
        let wanted = (1...20).map { ["\($0 - 10)", "\($0)", "\($0 % 3)"] }
        #expect(try await bench.rows(query) == wanted)
        #expect(try await bench.rewriteNext(7) == RowStep(rows: 7, isDone: false))
        #expect(try await bench.rows(#"SELECT count("_v") FROM siding_records_posts"#) == [["7"]])
        // Whoever writes in between writes the columns too.
        try await bench.commit(#"[{"id":-9,"v":"100"},{"id":9,"v":"900"}]"#, schema: RecordSchema(columns: columns))
        #expect(
            try await bench.rows("SELECT v, x FROM posts WHERE siding_key IN (-9, 9)") == [
                ["100", nil], ["900", nil],
            ])
        try await bench.store.close()
        let again = try await Store.open(at: bench.path)
        #expect(try await again.rewriteRecords(of: "posts") == 13)
        #expect(try await again.rewriteRecords(of: "posts") == 0)
        #expect(try await again.check() == [])
        let rows = try await again.read { snapshot in
            try snapshot.query("SELECT siding_key FROM posts WHERE v >= 100 ORDER BY v") { $0.int(0) }
        }
        #expect(rows == [-9, 9])
        let view = try await again.read { snapshot in
            try snapshot.first("SELECT sql FROM sqlite_schema WHERE name = 'posts'") { $0.text(0) }
        }
        #expect(view?.contains("body") == false)
        await again.close()
    }

    @Test func `a column that is declared otherwise is filled anew, a removed one leaves the view`() async throws {
        let bench = try await Self.filled([RecordColumn("v", .text), RecordColumn("w", .any)])
        #expect(try await bench.store.rewriteRecords(of: "posts") == 0)
        _ = try await bench.bench.open(
            schema: RecordSchema(columns: [RecordColumn("V", .integer, at: JSONPath(member: "v"))]))
        #expect(try await bench.columns("posts") == ["V", "siding_key"])
        #expect(try await bench.rows("SELECT typeof(V) FROM posts WHERE V = 20") == [["integer"]])
        #expect(try await bench.store.rewriteRecords(of: "posts") == 20)
        #expect(try await bench.rows("SELECT typeof(V) FROM posts WHERE V = 20") == [["integer"]])
        // What was left unused is filled anew where it is declared again.
        try await bench.commit(#"[{"id":1,"v":"1","w":5}]"#, schema: RecordSchema(columns: [RecordColumn("w", .any)]))
        #expect(try await bench.rows("SELECT w FROM posts WHERE siding_key = 1") == [["5"]])
        #expect(try await bench.store.rewriteRecords(of: "posts") == 20)
        #expect(try await bench.rows("SELECT w FROM posts WHERE siding_key = 1") == [["5"]])
        #expect(try await bench.store.check() == [])
        try await bench.store.close()
        try await Store.open(at: bench.path, access: .readOnly).close()
    }

    @Test func `a column that is declared while others are filled begins with them`() async throws {
        let bench = try await Self.filled([])
        _ = try await bench.bench.open(schema: RecordSchema(columns: [RecordColumn("v", .integer)]))
        _ = try await bench.rewriteNext(5)
        _ = try await bench.bench.open(
            schema: RecordSchema(columns: [RecordColumn("v", .integer), RecordColumn("w", .any)]))
        #expect(try await bench.store.rewriteRecords(of: "posts") == 20)
        #expect(try await bench.store.check() == [])
    }

    @Test func `a new column replaces one that is no longer declared`() async throws {
        let bench = try await Self.filled([RecordColumn("v", .integer, isIndexed: true)])
        func count() async throws -> Int {
            try await bench.rows("SELECT name FROM pragma_table_info('siding_records_posts')").count
        }
        let before = try await count()
        for name in ["a", "b", "c", "d"] {
            let column = RecordColumn(name, .integer, at: JSONPath(member: "v"), isIndexed: true)
            _ = try await bench.bench.open(schema: RecordSchema(columns: [column]))
            #expect(try await bench.rows("SELECT count(\(name)), sum(\(name)) FROM posts") == [["20", "210"]])
            #expect(try await bench.store.rewriteRecords(of: "posts") == 20)
            #expect(try await bench.rows("SELECT count(\(name)), sum(\(name)) FROM posts") == [["20", "210"]])
            #expect(try await bench.plan("SELECT * FROM posts WHERE \(name) = 3").contains("siding_index_1_\(name)"))
        }
        #expect(try await count() == before + 1)
        #expect(try await bench.store.check() == [])
        try await bench.store.close()
        try await Store.open(at: bench.path, access: .readOnly).close()
    }

    @Test func `dropped members leave stored records in steps, and a killed process loses one`() async throws {
        let bench = try await Self.filled([RecordColumn("v", .integer)])
        var schema = RecordSchema(columns: [RecordColumn("v", .integer)])
        schema.transforms.dropped = [JSONPath(member: "w")]
        let revision = try await bench.rows("SELECT revision FROM siding_resources")
        _ = try await bench.bench.open(schema: schema)
        let left = "SELECT count(*) FROM siding_records_posts WHERE body LIKE '%\"w\"%'"
        #expect(try await bench.rows(left) == [["20"]])
        #expect(try await bench.rewriteNext(7) == RowStep(rows: 7, isDone: false))
        #expect(try await bench.rows(left) == [["13"]])
        #expect(try await bench.rows("SELECT revision FROM siding_resources") != revision)
        try await bench.commit(#"[{"id":-9,"v":"100"},{"id":9,"v":"900"}]"#, schema: schema)
        try await bench.store.close()
        let again = try await Store.open(at: bench.path)
        #expect(try await again.rewriteRecords(of: "posts") == 12)
        #expect(try await again.rewriteRecords(of: "posts") == 0)
        let rest = try await again.read { try $0.first(SQL(verbatim: left)) { $0.int(0) } }
        #expect(rest == 0)
        #expect(try await again.check() == [])
        await again.close()
    }

    @Test func `a name with an accent on its quote is a name, for the file and for the next process that opens it`()
        async throws
    {
        let bench = try await FileBench()
        let store = try bench.store
        let name = "it\"\u{301}"
        _ = try await store.apply(bench.bench.changes(#"[{"id":"a"}]"#, resource: name))
        let again = try await Store.open(at: bench.path)
        #expect(try await again.count(RecordSelection(resource: name)) == 1)
        await again.close()
    }

    @Test func `a table may hold columns and nothing that runs SQL`() async throws {
        let bench = try await Self.filled([RecordColumn("it's \"x\" CHECK", .text, at: JSONPath(member: "v"))])
        let sql = try await bench.rows("SELECT sql FROM sqlite_schema WHERE name = 'siding_records_posts'")[0][0] ?? ""
        #expect(RecordsTable.isPlain(sql))
        for column in ["a ANY DEFAULT (abs(1))", "b ANY AS (key + 1)", "CHECK (key > 0)", "c ANY COLLATE mine"] {
            #expect(!RecordsTable.isPlain(sql.replacing("body TEXT NOT NULL", with: "body TEXT NOT NULL, \(column)")))
        }
        try await bench.execute(
            "ALTER TABLE siding_records_posts ADD COLUMN planted INTEGER GENERATED ALWAYS AS (abs(key)) VIRTUAL")
        try await bench.store.close()
        #expect(try await storeErrorKind { _ = try await Store.open(at: bench.path, access: .readOnly) } == .foreign)
    }

    @Test func `a query that runs out of time is answered with the columns to declare`() async throws {
        let bench = try await Self.filled([])
        let (sql, other) = ("SELECT a.w FROM Posts a JOIN posts b ON b.id = a.v", "SELECT id FROM posts")
        let hints = try await bench.store.read { [try SlowQuery(sql).hint($0), try SlowQuery(other).hint($0)] }
        #expect(hints[0]?.contains("declare 'v', 'w' under 'columns' of 'posts'") == true, "\(hints)")
        #expect(hints[1] == nil)
        _ = try await bench.bench.open(schema: RecordSchema(columns: [RecordColumn("v", .integer), RecordColumn("w")]))
        #expect(try await bench.store.read { try SlowQuery(sql).hint($0) } != nil)
        _ = try await bench.store.rewriteRecords(of: "posts")
        #expect(try await bench.store.read { try SlowQuery(sql).hint($0) } == nil)
    }

    // MARK: Forgetting

    @Test func `each record of a forgotten parent is due again for the resources that list by it`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"v":1}]"#)
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO siding_resources (name, source, definition, parent) VALUES ('comments', 's', '{}', 'posts')
                """)
            try transaction.execute(
                """
                INSERT INTO siding_listings (resource, scope, listing, state, started_at, checkpoint_at, run, parent_revision)
                SELECT id, '1', 1, 'complete', 1, 1, 1, 4 FROM siding_resources WHERE name = 'comments'
                """)
        }
        try await bench.store.releaseLease(bench.bench.lease)
        try await bench.store.forget(resource: "posts")
        #expect(try await bench.rows("SELECT count(*), parent_revision FROM siding_listings") == [["1", nil]])
    }

    @Test func `a forgotten resource loses all its stored data, and begins anew`() async throws {
        let bench = try await FileBench()
        let schema = RecordSchema(
            columns: [RecordColumn("v", .integer, isIndexed: true)],
            children: [RecordChildren("tags", at: JSONPath(member: "tags"))], history: HistoryRetention())
        try await bench.commit(#"[{"id":1,"v":1,"tags":["a"]},{"id":2,"v":2}]"#, schema: schema)
        try await bench.commit(#"[{"id":1,"v":3,"tags":["a"]},{"id":2,"v":2}]"#, schema: schema)
        #expect(try await storeErrorKind { _ = try await bench.store.forget(resource: "posts") } == .leaseLost)
        try await bench.store.releaseLease(bench.bench.lease)
        #expect(try await bench.store.forget(resource: "posts") == 2)
        #expect(try await bench.store.resourceStates() == [])
        #expect(try await bench.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%posts%'") == [])
        let tables = try await bench.rows(
            """
            SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.name = 'resource' AND m.name <> 'siding_run_resources' AND m.name <> 'siding_outbox'
            """
        ).compactMap { $0[0] }
        #expect(tables.count > 10)
        for table in tables { #expect(try await bench.rows("SELECT * FROM \(table)") == [], "\(table)") }
        // Whatever refers to a resource goes with it, tables that come later included.
        let others = try await bench.rows(
            """
            SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.name = 'resource' AND c.type = 'INTEGER' AND NOT EXISTS (
                SELECT 1 FROM pragma_foreign_key_list(m.name) f
                WHERE f."from" = 'resource' AND f."table" = 'siding_resources' AND f.on_delete = 'CASCADE')
            """)
        #expect(others == [])
        #expect(try await storeErrorKind { _ = try await bench.store.forget(resource: "posts") } == .notFound)
        var next = bench
        try await next.bench.nextSync()
        try await next.commit(#"[{"id":"x"}]"#)
        #expect(try await next.rows("SELECT id FROM posts") == [["x"]])
        #expect(try await next.rows("SELECT id FROM siding_resources") == [["2"]])
        #expect(try await next.store.check() == [])
    }

    @Test func `changes since a run before a resource was forgotten are not complete`() async throws {
        var bench = try await FileBench()
        try await bench.commit(#"[{"id":1},{"id":2}]"#)
        let run = bench.bench.run
        try await bench.store.endRun(run, outcome: .saved)
        try await bench.bench.nextSync()
        try await bench.store.releaseLease(bench.bench.lease)
        try await bench.store.forget(resource: "posts")
        try await bench.bench.nextSync()
        try await bench.commit(#"[{"id":1}]"#)
        #expect(try await storeErrorKind { _ = try await bench.store.changes(of: "posts", since: run) } == .notFound)
        try await bench.store.endRun(bench.bench.run, outcome: .saved)
        let now = try await bench.store.changes(of: "posts", since: 0)
        #expect(now.changes.map(\.key) == ["1"] && now.run == bench.bench.run)
        #expect(try await bench.store.changes(of: "posts", since: now.run).changes == [])
    }

    @Test func `a resource that another process forgot gets its columns again`() async throws {
        var bench = try await FileBench()
        let pages = [#"[{"id":1,"a":1}]"#, #"[{"id":2,"b":1}]"#]
        for page in pages { try await bench.commit(page) }
        try await bench.store.releaseLease(bench.bench.lease)
        let other = try await Store.open(at: bench.path)
        try await other.forget(resource: "posts")
        await other.close()
        try await bench.bench.nextSync()
        for page in pages { try await bench.commit(page) }
        #expect(try await bench.columns("posts") == ["id", "a", "b"])
    }

    @Test func `a column that was declared before the table got its other layout may be declared again`() async throws {
        let bench = try await FileBench()
        let (one, two) = (RecordColumn("a"), RecordColumn("b", .integer, isIndexed: true))
        try await bench.commit(#"[{"id":1,"a":"x","b":2}]"#, schema: RecordSchema(columns: [one, two]))
        let fewer = RecordSchema(columns: [one])
        try await bench.commit(#"[{"id":1,"a":"x","b":2},{"id":99999999999999999999,"b":3}]"#, schema: fewer)
        #expect(try await bench.rows("SELECT layout FROM siding_resources") == [["indexed"]])
        try await bench.commit(#"[{"id":1,"a":"x","b":4}]"#, schema: RecordSchema(columns: [one, two]))
        _ = try await bench.store.rewriteRecords(of: "posts")
        #expect(try await bench.rows("SELECT b FROM posts ORDER BY b") == [["3"], ["4"]])
        #expect(try await bench.store.check() == [])
    }
}
