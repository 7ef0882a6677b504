// SPDX-License-Identifier: Apache-2.0
@testable import Siding
import SidingJSON
import SidingSQLite
import Testing

@testable import SidingTesting

@Suite struct DeclaredColumnsTests {
    /// A bench whose resource has `columns`, and the records of `json`.
    private static func bench(_ columns: [RecordColumn], _ json: String = "[]") async throws -> FileBench {
        let bench = try await FileBench()
        try await bench.commit(json, schema: RecordSchema(columns: columns))
        return bench
    }

    private static func shown(_ type: ColumnType, _ value: String) async throws -> [String?] {
        let bench = try await bench([RecordColumn("v", type)], #"[{"id":1,"v":\#(value)}]"#)
        return try #require(try await bench.rows("SELECT typeof(v), v FROM posts").first)
    }

    @Test func `a view shows the declared columns in their order, and the key`() async throws {
        let bench = try await Self.bench(
            [
                RecordColumn("who", .text, at: try JSONPath(parsing: "$.user.login")), RecordColumn("title"),
                RecordColumn("first", .any, at: try JSONPath(parsing: "$.tags[0]")),
            ], #"[{"id":7,"title":"one","user":{"login":"ada"},"tags":["x"],"more":1}]"#)
        #expect(try await bench.columns("posts") == ["who", "title", "first", "siding_key"])
        #expect(try await bench.rows("SELECT * FROM posts") == [["ada", "one", "x", "7"]])
    }

    @Test(arguments: [
        ("12", "integer", "12"), ("\"12\"", "integer", "12"), ("12.0", "integer", "12"), ("true", "text", "true"),
        ("12.5", "real", "12.5"), ("\"abc\"", "text", "abc"), ("\"\"", "text", ""),
        ("9223372036854775807", "integer", "9223372036854775807"),
        ("18446744073709551616", "text", "18446744073709551616"),
        ("\"18446744073709551616\"", "text", "18446744073709551616"), ("{\"a\":1}", "text", "{\"a\":1}"),
    ])
    func `an integer is shown as one where nothing is lost, all else as it is`(
        _ value: String, _ type: String, _ text: String
    ) async throws {
        #expect(try await Self.shown(.integer, value) == [type, text])
    }

    @Test(arguments: [
        ("1.5", "real", "1.5"), ("2", "real", "2.0"), ("\"12.50\"", "real", "12.5"), ("\"1e3\"", "real", "1000.0"),
        ("9007199254740993", "integer", "9007199254740993"), ("\"1,5\"", "text", "1,5"), ("false", "text", "false"),
    ])
    func `a real is shown as one where nothing is lost`(_ value: String, _ type: String, _ text: String) async throws {
        #expect(try await Self.shown(.real, value) == [type, text])
    }

    @Test(arguments: [
        ("9.50", "real", "9.5"), ("\"9.50\"", "real", "9.5"), ("\"-10.00\"", "real", "-10.0"), ("10", "real", "10.0"),
        ("\"1,5\"", "text", "1,5"), ("\"12.5 EUR\"", "text", "12.5 EUR"), ("true", "text", "true"),
        ("{\"a\":1}", "text", "{\"a\":1}"),
    ])
    func `a decimal is a number in the view of the file`(_ value: String, _ type: String, _ text: String) async throws {
        #expect(try await Self.shown(.decimal, value) == [type, text])
    }

    @Test(arguments: [
        ("\"2024-01-31\"", "2024-01-31"), ("\"2024-01-31T23:30:00+02:00\"", "2024-01-31"),
        ("\"2024-01-31 10:00\"", "2024-01-31"), ("\"2024-01-31t10:00:00z\"", "2024-01-31"),
        ("\"2024-02-30\"", "2024-02-30"), ("\"2024-02-30T10:00:00Z\"", "2024-02-30T10:00:00Z"),
        ("\"2024-01-31 or so\"", "2024-01-31 or so"), ("\"2024-01-31x\"", "2024-01-31x"), ("\"soon\"", "soon"),
        ("\"\"", ""), ("\"31.1.2024\"", "31.1.2024"),
    ])
    func `a date is a day of the calendar; other values are shown unchanged`(_ value: String, _ text: String)
        async throws
    {
        #expect(try await Self.shown(.date, value) == ["text", text])
    }

    @Test(arguments: [
        ("\"a\"", "a"), ("1.10", "1.10"), ("18446744073709551616", "18446744073709551616"), ("true", "true"),
        ("[1, 2]", "[1,2]"), ("\"null\"", "null"),
    ])
    func `text keeps what stands in the JSON`(_ value: String, _ text: String) async throws {
        #expect(try await Self.shown(.text, value) == ["text", text])
    }

    @Test(arguments: [
        ("true", "integer", "1"), ("\"false\"", "integer", "0"), ("0", "integer", "0"), ("\"no\"", "text", "no"),
    ])
    func `a boolean is 1 or 0`(_ value: String, _ type: String, _ text: String) async throws {
        #expect(try await Self.shown(.boolean, value) == [type, text])
    }

    @Test(arguments: [
        ("2024-01-31T10:00:00Z", "2024-01-31T10:00:00.000Z"), ("2024-01-31t10:00:00z", "2024-01-31T10:00:00.000Z"),
        ("2024-01-31T10:00:00.5+02:00", "2024-01-31T08:00:00.500Z"),
        ("2024-01-31T23:30:00-01:45", "2024-02-01T01:15:00.000Z"),
        ("2024-01-31T10:00:00.123456789+0530", "2024-01-31T04:30:00.123Z"),
        ("2024-01-31 10:00", "2024-01-31T10:00:00.000Z"), ("2024-01-31", "2024-01-31T00:00:00.000Z"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000Z"), ("now", "now"), ("2024", "2024"), ("", ""),
        ("yesterday", "yesterday"), ("2024-13-01T00:00:00Z", "2024-13-01T00:00:00Z"),
        ("2024-01-31T10:00:60Z", "2024-01-31T10:00:60Z"), ("2024-01-31 or so", "2024-01-31 or so"),
        ("2024-02-30", "2024-02-30"), ("2024-02-29", "2024-02-29T00:00:00.000Z"),
        ("2023-02-29T10:00:00Z", "2023-02-29T10:00:00Z"), ("2024-01-31T24:00:00Z", "2024-01-31T24:00:00Z"),
    ])
    func `a moment is shown in UTC; other values are shown unchanged`(_ value: String, _ text: String) async throws {
        #expect(try await Self.shown(.datetime(.rfc3339), "\"\(value)\"") == ["text", text])
    }

    @Test(arguments: [
        (ColumnType.TimeFormat.epoch, "1700000000", "2023-11-14T22:13:20.000Z"),
        (.epoch, "1700000000.25", "2023-11-14T22:13:20.250Z"), (.epoch, "\"1700000000\"", "2023-11-14T22:13:20.000Z"),
        (.epoch, "-1", "1969-12-31T23:59:59.000Z"), (.epochMilliseconds, "1700000000123", "2023-11-14T22:13:20.123Z"),
        (.epochMicroseconds, "1700000000123456", "2023-11-14T22:13:20.123Z"), (.epoch, "\"soon\"", "soon"),
        (.epoch, "true", "true"),
    ])
    func `seconds since 1970 are shown as moments`(
        _ format: ColumnType.TimeFormat, _ value: String, _ text: String
    ) async throws {
        #expect(try await Self.shown(.datetime(format), value) == ["text", text])
    }

    @Test func `views and indexes of an older version's expressions are rebuilt`() async throws {
        let bench = try await Self.bench([RecordColumn("a", .integer, isIndexed: true)], #"[{"id":1,"a":true}]"#)
        try await bench.execute(
            """
            UPDATE siding_resources SET schema_made = sqlite_version(); DROP VIEW posts;
            CREATE VIEW posts AS SELECT 7 AS a FROM siding_records_posts
            """)
        try await bench.store.close()
        let kind = try await storeErrorKind { _ = try await Store.open(at: bench.path, access: .readOnly) }
        #expect(kind == .inaccessible)
        let again = try await Store.open(at: bench.path)
        let shown = try await again.read { snapshot in try snapshot.query("SELECT a FROM posts") { $0.text(0) } }
        #expect(shown == ["true"])
        await again.close()
    }

    @Test func `null and missing members are NULL, for any type`() async throws {
        let types: [ColumnType] = [
            .any, .integer, .real, .decimal, .text, .boolean, .datetime(.rfc3339), .datetime(.epoch), .date, .json,
        ]
        let columns = types.indices.map { RecordColumn("c\($0)", types[$0], at: JSONPath(member: "v")) }
        let bench = try await Self.bench(columns, #"[{"id":1,"v":null},{"id":2}]"#)
        let nulls = [String?](repeating: nil, count: types.count)
        #expect(try await bench.rows("SELECT * FROM posts") == [nulls + ["1"], nulls + ["2"]])
        #expect(try await Self.shown(.json, "\"null\"") == ["text", "\"null\""])
    }

    @Test(arguments: [
        ColumnType.any, .integer, .real, .decimal, .text, .boolean, .datetime(.rfc3339), .datetime(.epochMilliseconds),
        .date, .json,
    ])
    func `a query by an indexed column uses the index and finds the same`(_ type: ColumnType) async throws {
        let records = (0..<50).map { #"{"id":\#($0),"v":"2024-01-\#(10 + $0 % 20)T00:00:00+01:00"}"# }
        let json = "[\(records.joined(separator: ","))]"
        let plain = try await Self.bench([RecordColumn("v", type)], json)
        let indexed = try await Self.bench([RecordColumn("v", type, isIndexed: true)], json)
        for condition in ["v = '2024-01-14T23:00:00.000Z'", "v > '2024-01-15'", "v BETWEEN '2024' AND '2024-01-12'"] {
            let query = "SELECT siding_key FROM posts WHERE \(condition)"
            #expect(try await Set(indexed.rows(query)) == Set(plain.rows(query)))
            let plan = try await indexed.plan(query)
            #expect(plan.contains("INDEX siding_index_1_v (_v"), "\(plan)")
        }
        let newest = try await indexed.plan("SELECT v FROM posts ORDER BY v DESC LIMIT 1")
        #expect(newest.contains("siding_index_1_v") && !newest.contains("TEMP B-TREE"), "\(newest)")
    }

    @Test func `an index follows inserts, changes and tombstones`() async throws {
        let columns = [RecordColumn("v", .integer, isIndexed: true)]
        let bench = try await Self.bench(columns, #"[{"id":1,"v":1},{"id":2,"v":2}]"#)
        try await bench.commit(#"[{"id":1,"v":5},{"id":3,"v":"3"}]"#, schema: RecordSchema(columns: columns))
        #expect(try await bench.rows("SELECT siding_key FROM posts WHERE v >= 3 ORDER BY v") == [["3"], ["1"]])
        try await bench.execute("UPDATE siding_records_posts SET deleted_at = 1 WHERE key = '3'")
        #expect(try await bench.rows("SELECT siding_key FROM posts WHERE v >= 3") == [["1"]])
        #expect(try await bench.rows("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func `changed columns take effect with the next listing, and are stored afterwards`() async throws {
        let bench = try await Self.bench([RecordColumn("a", isIndexed: true)], #"[{"id":1,"a":1,"b":2}]"#)
        let own = "SELECT key, body, run, revision, changed_at FROM siding_records_posts"
        let before = try await bench.rows(own)
        _ = try await bench.bench.open(schema: RecordSchema(columns: [RecordColumn("b", isIndexed: true)]))
        #expect(try await bench.columns("posts") == ["b", "siding_key"])
        #expect(try await bench.rows("SELECT b FROM posts WHERE b = 2") == [["2"]])
        let indexes = "SELECT name FROM sqlite_schema WHERE name GLOB 'siding_index_*'"
        #expect(try await bench.rows(indexes) == [["siding_index_1_b"]])
        #expect(try await bench.store.rewriteRecords(of: "posts") == 1)
        #expect(try await bench.plan("SELECT * FROM posts WHERE b = 2").contains("siding_index_1_b"))
        #expect(try await bench.rows("SELECT b FROM posts WHERE b = 2") == [["2"]])
        _ = try await bench.bench.open()
        #expect(try await bench.columns("posts") == ["id", "a", "b"])
        #expect(try await bench.rows(indexes) == [])
        #expect(try await bench.rows(own) == before)
    }

    @Test func `members that came while columns were declared are shown when they are no longer declared`()
        async throws
    {
        let bench = try await Self.bench([RecordColumn("a")], #"[{"id":1,"a":1},{"id":2,"late":2}]"#)
        _ = try await bench.bench.open()
        #expect(try await bench.columns("posts") == ["id", "a", "late"])
    }

    @Test func `an ad-hoc listing leaves the columns unchanged`() async throws {
        let bench = try await Self.bench([RecordColumn("a")], #"[{"id":1,"a":1}]"#)
        _ = try await bench.bench.open(isAdHoc: true)
        #expect(try await bench.columns("posts") == ["a", "siding_key"])
    }

    @Test func `names of any kind are columns, and none of them is SQL`() async throws {
        let names = [
            "select", "a b", "a.b", "it's", "größe", "$", "\"; DROP TABLE siding_records_posts; --", "😀", "'||1||'",
        ]
        let columns = names.map { RecordColumn($0, .integer, isIndexed: true) }
        let reachable = columns.filter { !$0.name.contains("\"") }
        let bench = try await Self.bench(
            reachable + [RecordColumn(names[6], .text, at: try JSONPath(parsing: "$.id"))], #"[{"id":1,"it's":5}]"#)
        #expect(try await bench.columns("posts").count == names.count + 1)
        #expect(
            try await bench.rows("SELECT \"it's\", \"\"\"; DROP TABLE siding_records_posts; --\" FROM posts") == [
                ["5", "1"]
            ])
        try await bench.store.close()
        try await Store.open(at: bench.path, access: .readOnly).close()
    }

    @Test(arguments: [
        [RecordColumn("")], [RecordColumn("siding_key")], [RecordColumn("Siding_x")], [RecordColumn("a\nb")],
        [RecordColumn("a"), RecordColumn("A")], [RecordColumn("q", at: JSONPath(member: "a\"b"))],
        [RecordColumn("each", at: JSONPath.root.appending(.each))], [RecordColumn(String(repeating: "x", count: 129))],
        (0...200).map { RecordColumn("c\($0)") },
    ])
    func `an invalid column is refused, and the view stays`(_ columns: [RecordColumn]) async throws {
        let bench = try await Self.bench([RecordColumn("a")])
        let kind = try await storeErrorKind { _ = try await bench.bench.open(schema: RecordSchema(columns: columns)) }
        #expect(kind == .invalidName)
        #expect(try await bench.columns("posts") == ["a", "siding_key"])
    }

    @Test func `the file opens again with its columns and indexes, and a planted index is refused`() async throws {
        let bench = try await Self.bench(
            [RecordColumn("a", .datetime(.rfc3339), isIndexed: true)], #"[{"id":1,"a":1}]"#)
        try await bench.store.close()
        let again = try await Store.open(at: bench.path)
        try await again.write {
            try $0.executeScript(
                "DROP INDEX siding_index_1_a; CREATE INDEX siding_index_1_a ON siding_records_posts (abs(body))")
        }
        await again.close()
        let kind = try await storeErrorKind { _ = try await Store.open(at: bench.path, access: .readOnly) }
        #expect(kind == .foreign)
    }

    @Test func `views and indexes that another SQLite made are rebuilt before anything is written`() async throws {
        let bench = try await Self.bench([RecordColumn("a", .integer, isIndexed: true)], #"[{"id":1,"a":1}]"#)
        try await bench.execute("UPDATE siding_resources SET schema_made = '3.1.0'")
        try await bench.store.close()
        let again = try await Store.open(at: bench.path, access: .readWrite)
        let made = try await again.read { snapshot in
            try snapshot.query("SELECT schema_made LIKE sqlite_version() || ' %' FROM siding_resources") { $0.int(0) }
        }
        #expect(made == [1])
        await again.close()
    }

    @Test func `a stored schema that cannot be read refuses local saves, and the next sync stores it again`()
        async throws
    {
        let bench = try await Self.bench([RecordColumn("a")], #"[{"id":1,"a":1}]"#)
        try await bench.execute("UPDATE siding_resources SET schema = '{}'")
        let error = await #expect(throws: StoreError.self) { try await bench.bench.apply(#"[{"id":2,"a":2}]"#) }
        #expect(error?.kind == .corrupt && error?.hint == "'siding sync posts' stores it again")
        #expect(try await bench.rows("SELECT a FROM posts") == [["1"]])
        try await bench.commit(#"[{"id":1,"a":1}]"#, schema: RecordSchema(columns: [RecordColumn("a")]))
        try await bench.bench.apply(#"[{"id":2,"a":2}]"#)
        #expect(try await bench.rows("SELECT * FROM posts ORDER BY a") == [["1", "1"], ["2", "2"]])
    }

    @Test func `an unreadable schema is replaced even where the config declares none`() async throws {
        let bench = try await Self.bench([RecordColumn("a")], #"[{"id":1,"a":1,"b":2}]"#)
        try await bench.execute("UPDATE siding_resources SET schema = '{}'")
        try await bench.commit(#"[{"id":1,"a":1,"b":2}]"#)
        #expect(try await bench.columns("posts") == ["id", "a", "b"])
    }

    @Test func `edits show in a declared view`() async throws {
        let bench = try await Self.bench([RecordColumn("a")], #"[{"id":1,"a":1}]"#)
        try await bench.store.write { try ResourceView.addPendingColumn(to: "posts", $0) }
        #expect(try await bench.columns("posts") == ["a", "siding_key", "siding_pending"])
        try await bench.store.close()
        try await Store.open(at: bench.path, access: .readOnly).close()
    }
}
