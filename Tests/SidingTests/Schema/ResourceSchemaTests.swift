// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct ResourceSchemaTests {
    private static func schema(
        _ json: String, _ recordSchema: RecordSchema = RecordSchema(), sample: Int = 0
    ) async throws -> ResourceSchema {
        let bench = try await FileBench()
        try await bench.commit(json, schema: recordSchema)
        return try await bench.store.schema(of: "posts", sample: sample, since: nil)
    }

    @Test func `each member has its types, at any place`() async throws {
        let schema = try await Self.schema(
            #"[{"id":1,"o":{"x":{"y":1.5}}},{"id":"2","o":null},{"id":3,"o":{"x":true}}]"#)
        #expect(schema.fields.map(\.path.description) == ["$.id", "$.o", "$.o.x", "$.o.x.y"])
        #expect(schema.fields[0].types.map(\.type) == [.integer] && schema.fields[0].present == 2)
        #expect(schema.fields[2].types.map(\.count) == [1, 1] && schema.fields[2].missing == 0)
        #expect(schema.records == 2, "the record with a key of another type is in quarantine")
    }

    @Test func `values that the view cannot show are reported`() async throws {
        let recordSchema = RecordSchema(columns: [
            RecordColumn("n", .integer), RecordColumn("r", .real), RecordColumn("t", .text),
        ])
        let schema = try await Self.schema(
            #"[{"id":1,"n":"x","r":18446744073709551616,"t":"a\u0000b","\u0065":1},{"id":2,"n":18446744073709551616}]"#,
            recordSchema)
        let problems = Dictionary(uniqueKeysWithValues: schema.fields.map { ($0.path.description, $0.problems) })
        #expect(problems["$.id"] == [])
        #expect(problems["$.n"] == ["1 of its values are not integer, and shown as they are"])
        #expect(problems["$.r"]?.first?.contains("beyond 64 bits") == true)
        #expect(problems["$.t"]?.first?.contains("U+0000") == true)
        #expect(problems["$.e"]?.first?.contains("escapes") == true)
    }

    @Test func `a member behind the 200th has no column, and that is reported`() async throws {
        let members = (0..<250).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
        let schema = try await Self.schema(#"[{"id":1,\#(members)}]"#)
        #expect(schema.fields.count == 251)
        #expect(
            schema.fields.filter { $0.column == nil }.allSatisfy { $0.problems.first?.contains("200 columns") == true })
    }

    @Test func `at most a thousand fields are listed`() async throws {
        let members = (0..<1_500).map { #""m\#($0)":1"# }.joined(separator: ",")
        let schema = try await Self.schema(#"[{"id":1,\#(members)}]"#)
        #expect(schema.isCut && schema.fields.count == ResourceSchema.maxFields)
    }

    @Test(arguments: [(0, 2_500), (100, 100), (2_500, 2_500), (2_499, 1_250)])
    func `a sample is spread over all records`(_ sample: Int, _ scanned: Int) async throws {
        let records = (0..<2_500).map { #"{"id":\#($0),"\#($0 < 2_400 ? "a" : "b")":1}"# }
        let schema = try await Self.schema("[\(records.joined(separator: ","))]", sample: sample)
        #expect(schema.scanned == scanned && schema.records == 2_500)
        #expect(schema.fields.map(\.path.description) == ["$.id", "$.a", "$.b"])
    }

    @Test func `members and types of the newest run are new, also where they are no longer the newest`() async throws {
        var bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"v":1}]"#)
        let first = bench.bench.run
        try await bench.bench.nextSync()
        try await bench.commit(#"[{"id":2,"v":"x","w":1}]"#)
        let schema = try await bench.store.schema(of: "posts", sample: 0, since: nil)
        #expect(schema.since == first)
        #expect(schema.fields.filter(\.isNew).map(\.path.description) == ["$.w"])
        #expect(schema.fields.filter(\.hasNewType).map(\.path.description) == ["$.v"])
        try await bench.bench.nextSync()
        try await bench.commit(#"[{"id":2,"v":"x","w":1}]"#)
        #expect(try await bench.store.schema(of: "posts", sample: 0, since: nil).fields.allSatisfy { !$0.isNew })
        #expect(try await bench.store.schema(of: "posts", sample: 0, since: first).fields.filter(\.isNew).count == 1)
    }

    @Test func `days and times are suggested as such`() async throws {
        let schema = try await Self.schema(
            #"""
            [{"id":1,"day":"2024-01-31","at":"2024-01-31T09:30:00Z","mixed":"2024-01-31","no":"2024-02-30"},
             {"id":2,"day":null,"at":"2024-02-01 00:00","mixed":"2024-02-01T00:00:00Z","no":"2024-02-30"}]
            """#)
        #expect(
            schema.suggestion == """
                columns:
                  id: integer
                  day: { type: date, index: true }
                  at: { type: datetime, index: true }
                  mixed: text
                  'no': text

                """)
    }

    @Test func `suggested names are unlike each other and text for YAML`() async throws {
        let schema = try await Self.schema(
            #"[{"id":1,"no":true,"a b":"x","a_b":1,"A":{"b":2.5},"it's":1,"mixed":[1],"siding_key":1},{"id":2,"mixed":"x"}]"#
        )
        #expect(
            schema.suggestion == """
                columns:
                  id: integer
                  'no': boolean
                  'a b': text
                  a_b: integer
                  A_b_2: { type: real, path: '$.A.b' }
                  'it''s': integer
                  mixed: '$.mixed'
                  of_siding_key: { type: integer, path: '$.siding_key' }

                """)
    }

    @Test func `columns are listed and suggested as set and rename make them`() async throws {
        let bench = try await FileBench()
        let transforms = RecordTransforms(
            computed: [ComputedColumn("total", try RecordExpression("price * 2"))], renamed: ["html_url": "url"])
        try await bench.commit(
            #"[{"id":1,"price":2,"html_url":"u","total":"own"}]"#, schema: RecordSchema(transforms: transforms))
        let schema = try await bench.store.schema(of: "posts", sample: 0, since: nil)
        #expect(schema.fields.map(\.column) == ["id", "price", "url", nil])
        #expect(schema.fields[3].problems == ["a column of 'set' or 'rename' has its name: read it from the body"])
        #expect(
            schema.suggestion == """
                columns:
                  id: integer
                  price: integer
                  url: { type: text, path: '$.html_url' }
                  total_2: { type: text, path: '$.total' }

                """)
    }
}
