// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct ChildViewTests {
    private static func schema(_ path: String, key: String? = nil, columns: [RecordColumn] = []) throws -> RecordSchema
    {
        let child = RecordChildren(
            "labels", at: try JSONPath(parsing: path), key: key.map { JSONPath(member: $0) }, columns: columns)
        return RecordSchema(children: [child])
    }

    private static func bench(_ schema: RecordSchema, _ json: String) async throws -> FileBench {
        let bench = try await FileBench()
        try await bench.commit(json, schema: schema)
        return bench
    }

    @Test func `elements are rows with their members, key, parent and position`() async throws {
        let bench = try await Self.bench(
            Self.schema("$.labels[*]", key: "name"),
            #"[{"id":7,"labels":[{"name":"bug","n":1},{"name":"ui","color":"red"}]},{"id":8,"labels":[]},{"id":9}]"#)
        #expect(
            try await bench.columns("posts_labels")
                == ["name", "n", "color", "siding_key", "siding_parent", "siding_position"])
        #expect(
            try await bench.rows("SELECT * FROM posts_labels")
                == [["bug", "1", nil, "bug", "7", "0"], ["ui", nil, "red", "ui", "7", "1"]])
        let joined = """
            SELECT p.id FROM posts p JOIN posts_labels l ON l.siding_parent = p.siding_key WHERE l.name = 'ui'
            """
        #expect(try await bench.rows(joined) == [["7"]])
    }

    @Test func `elements that are not objects are values`() async throws {
        let bench = try await Self.bench(
            Self.schema("$.t.labels"), #"[{"id":1,"t":{"labels":["a",2,null,[3],{"value":4}]}}]"#)
        #expect(
            try await bench.rows("SELECT value, value_2, siding_position FROM posts_labels ORDER BY siding_position")
                == [
                    ["a", nil, "0"], ["2", nil, "1"], [nil, nil, "2"], ["[3]", nil, "3"], [nil, "4", "4"],
                ])
    }

    @Test func `arrays in an array are values, where there is nothing else, too`() async throws {
        let bench = try await Self.bench(Self.schema("$.k[*]"), #"[{"id":1,"k":[[1,2.0],[]]}]"#)
        #expect(
            try await bench.rows("SELECT value, siding_position FROM posts_labels ORDER BY siding_position")
                == [["[1,2.0]", "0"], ["[]", "1"]])
    }

    @Test func `declared columns of elements are shown with their types`() async throws {
        let columns = [
            RecordColumn("n", .integer), RecordColumn("when", .datetime(.rfc3339)),
            RecordColumn("deep", .text, at: try JSONPath(parsing: "$.x.y")), RecordColumn("whole", .json, at: .root),
        ]
        let bench = try await Self.bench(
            Self.schema("$.labels", columns: columns),
            #"[{"id":1,"labels":[{"n":"5","when":"2024-01-01T00:00:00+01:00","x":{"y":1.10}},"x",18446744073709551616]}]"#
        )
        #expect(
            try await bench.rows(#"SELECT n, "when", deep, whole FROM posts_labels ORDER BY siding_position"#)
                == [
                    [
                        "5", "2023-12-31T23:00:00.000Z", "1.10",
                        #"{"n":"5","when":"2024-01-01T00:00:00+01:00","x":{"y":1.10}}"#,
                    ],
                    [nil, nil, nil, #""x""#], [nil, nil, nil, "18446744073709551616"],
                ])
    }

    @Test func `a member that is not an array has no children, and tombstones have none`() async throws {
        let bench = try await Self.bench(
            Self.schema("$.labels"),
            #"[{"id":1,"labels":{"a":1}},{"id":2,"labels":"x"},{"id":3,"labels":null},{"id":4,"labels":["y"]},{"id":5,"labels":["z"]}]"#
        )
        try await bench.execute("UPDATE siding_records_posts SET deleted_at = 1 WHERE key = '5'")
        #expect(try await bench.rows("SELECT siding_parent, value FROM posts_labels") == [["4", "y"]])
    }

    @Test func `members that come later become columns, also in records of a known schema`() async throws {
        let schema = try Self.schema("$.labels")
        let bench = try await Self.bench(schema, #"[{"id":1,"labels":[{"a":1}]}]"#)
        try await bench.commit(#"[{"id":1,"labels":[{"a":1}]},{"id":2,"labels":[{"a":1},{"b":2}]}]"#, schema: schema)
        #expect(
            try await bench.rows("SELECT a, b, siding_parent FROM posts_labels ORDER BY siding_parent, siding_position")
                == [["1", nil, "1"], ["1", nil, "2"], [nil, "2", "2"]])
    }

    @Test func `children that are declared over stored records have their columns at once`() async throws {
        let bench = try await Self.bench(
            RecordSchema(), #"[{"id":1,"labels":[{"a":1,"A":2}]},{"id":2,"labels":[{"b":3}]}]"#)
        let before = try await bench.rows("SELECT * FROM siding_records_posts")
        _ = try await bench.bench.open(schema: Self.schema("$.labels"))
        #expect(try await bench.rows("SELECT a, A_2, b FROM posts_labels") == [["1", "2", nil], [nil, nil, "3"]])
        #expect(try await bench.columns("posts") == ["id", "labels", "siding_key"])
        _ = try await bench.bench.open()
        #expect(
            try await bench.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'view' AND name <> 'siding_outbox_entries'") == [["posts"]]
        )
        #expect(try await bench.rows("SELECT * FROM siding_records_posts") == before)
    }

    @Test func `an array elsewhere has columns of its own`() async throws {
        let bench = try await Self.bench(Self.schema("$.labels"), #"[{"id":1,"labels":[{"a":1}],"tags":[{"b":2}]}]"#)
        _ = try await bench.bench.open(schema: Self.schema("$.tags"))
        #expect(try await bench.columns("posts_labels") == ["b", "siding_parent", "siding_position"])
    }

    @Test func `a view shows at most 200 members of elements`() async throws {
        let members = (0..<250).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
        let bench = try await Self.bench(Self.schema("$.labels"), #"[{"id":1,"labels":[{\#(members)}]}]"#)
        #expect(try await bench.columns("posts_labels").count == 202)
    }

    @Test func `a view that is there already is not taken over`() async throws {
        let bench = try await Self.bench(Self.schema("$.labels"), #"[{"id":1,"labels":[1]}]"#)
        await #expect(throws: StoreError.self) { _ = try await bench.bench.add("POSTS_labels") }
        _ = try await bench.bench.add("posts_tags")
        let child = RecordChildren("tags", at: JSONPath(member: "tags"))
        let kind = try await storeErrorKind { _ = try await bench.bench.open(schema: RecordSchema(children: [child])) }
        #expect(kind == .invalidName)
        #expect(try await bench.rows("SELECT value FROM posts_labels") == [["1"]])
        try await bench.store.close()
        try await Store.open(at: bench.path, access: .readOnly).close()
    }
}
