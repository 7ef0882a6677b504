// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct RecordContractTests {
    private typealias Response = RecordContract.Response

    private static func schema(
        newFields: Response = .allow, typeChange: Response = .allow, missingKey: Response = .quarantine,
        columns: [RecordColumn] = []
    ) -> RecordSchema {
        RecordSchema(
            columns: columns,
            contract: RecordContract(newFields: newFields, missingKey: missingKey, typeChange: typeChange))
    }

    /// Why records are in quarantine, in the order of their places.
    private static func reasons(_ bench: FileBench) async throws -> [String] {
        try await bench.rows("SELECT code || ': ' || reason FROM siding_quarantine ORDER BY position")
            .compactMap { $0[0] }
    }

    @Test func `a new member is quarantined once a listing was complete`() async throws {
        let bench = try await FileBench()
        let schema = Self.schema(newFields: .quarantine)
        try await bench.commit(#"[{"id":1,"a":1},{"id":2,"b":1}]"#, schema: schema)
        let counters = try await bench.commit(
            #"[{"id":1,"a":2},{"id":3,"c":1},{"b":3,"id":4},{"id":5,"c":2}]"#, schema: schema)
        #expect(counters.quarantined == 2 && counters.inserted == 1 && counters.updated == 1)
        #expect(
            try await Self.reasons(bench) == ["new_field: the member 'c' is new", "new_field: the member 'c' is new"])
        #expect(try await bench.columns("posts") == ["id", "a", "b"])
        #expect(try await bench.rows("SELECT key FROM siding_quarantine ORDER BY 1") == [["3"], ["5"]])
    }

    @Test func `members of declared columns are not new`() async throws {
        let bench = try await FileBench()
        let schema = Self.schema(
            newFields: .quarantine, columns: [RecordColumn("who", at: try JSONPath(parsing: "$.user.login"))])
        try await bench.commit(#"[{"id":1}]"#, schema: schema)
        let counters = try await bench.commit(#"[{"id":2,"user":{"login":"ada"}},{"id":3,"x":1}]"#, schema: schema)
        #expect(counters.inserted == 1 && counters.quarantined == 1)
    }

    @Test func `a value of another type than before is quarantined, null is not`() async throws {
        let bench = try await FileBench()
        let schema = Self.schema(typeChange: .quarantine)
        let counters = try await bench.commit(
            #"[{"id":1,"v":null},{"id":2,"v":5},{"id":3,"v":"5"},{"id":4,"v":5.5},{"id":5,"v":null},{"id":6}]"#,
            schema: schema)
        #expect(counters.inserted == 5 && counters.quarantined == 1)
        #expect(try await Self.reasons(bench) == ["type_change: 'v' is a string, before it was a number"])
        #expect(try await bench.commit(#"[{"id":7,"v":[]}]"#, schema: schema).quarantined == 1)
    }

    @Test func `an integer column takes numbers without a fraction, in any notation`() async throws {
        let bench = try await FileBench()
        let schema = Self.schema(typeChange: .quarantine, columns: [RecordColumn("v", .integer)])
        let whole = ["1.0", "1e3", "-0.0", "1.50e1", "2E+2", "100e-2", "0e-5", "-12.00", "99999999999999999999"]
        let broken = ["1.5", "15e-1", "1.05e1", "1e-400", "-0.1", "10e-99999999999999999999"]
        let records = (whole + broken).enumerated().map { #"{"id":\#($0),"v":\#($1)}"# }
        let counters = try await bench.commit("[\(records.joined(separator: ","))]", schema: schema)
        #expect(counters.inserted == whole.count && counters.quarantined == broken.count)
        #expect(
            try await Set(Self.reasons(bench))
                == ["type_change: $.v is a number with a fraction, the column 'v' is declared as integer"])
        #expect(
            try await bench.rows("SELECT v FROM posts ORDER BY siding_key").compactMap { $0[0] }
                == ["1", "1000", "0", "15", "200", "1", "0", "-12", "99999999999999999999"])
    }

    @Test(arguments: [
        (ColumnType.integer, "1", ["1.5", "\"1\"", "true", "[]"]), (.real, "1.5", ["\"1\"", "false"]),
        (.decimal, "\"9.50\"", ["true", "{}"]), (.decimal, "9.50", ["[]"]), (.date, "\"2024-01-31\"", ["1700000000"]),
        (.text, "\"a\"", ["1", "{}"]), (.boolean, "true", ["1", "\"true\""]),
        (.datetime(.rfc3339), "\"2024-01-01\"", ["1700000000"]), (.datetime(.epoch), "1700000000", ["\"2024-01-01\""]),
    ])
    func `a value of another type than its column is quarantined, at any depth`(
        _ type: ColumnType, _ good: String, _ bad: [String]
    ) async throws {
        for path in ["$.v", "$.o.v"] {
            let bench = try await FileBench()
            let schema = Self.schema(
                typeChange: .quarantine, columns: [RecordColumn("c", type, at: try JSONPath(parsing: path))])
            let values = [good, "null"] + bad
            let records = values.enumerated().map { index, value in
                path == "$.v" ? #"{"id":\#(index),"v":\#(value)}"# : #"{"id":\#(index),"o":{"v":\#(value)}}"#
            }
            let counters = try await bench.commit("[\(records.joined(separator: ","))]", schema: schema)
            #expect(counters.inserted == 2 && counters.quarantined == bad.count, "\(path)")
            let reasons = try await Self.reasons(bench)
            #expect(reasons.allSatisfy { $0.contains("the column 'c' is declared as \(type.name)") }, "\(reasons)")
        }
    }

    @Test func `a contract over stored records knows their members and types`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"a":1,"q\"x":1},{"id":2,"b":"x"}]"#)
        try await bench.execute("DELETE FROM siding_fields")
        let schema = Self.schema(newFields: .quarantine, typeChange: .quarantine)
        let counters = try await bench.commit(
            #"[{"id":3,"a":2,"q\"x":2},{"id":4,"b":1},{"id":5,"c":1}]"#, schema: schema)
        #expect(counters.inserted == 1 && counters.quarantined == 2)
    }

    @Test(arguments: [
        (Self.schema(newFields: .fail), #"{"id":9,"new":1}"#, "the member 'new' is new"),
        (Self.schema(typeChange: .fail), #"{"id":9,"a":"x"}"#, "'a' is a string"),
        (Self.schema(missingKey: .fail), #"{"a":1}"#, "the key $.id is missing"),
        (Self.schema(missingKey: .fail), #"7"#, "not an object"),
    ])
    func `where the contract is fail no record of the page is saved`(
        _ schema: RecordSchema, _ bad: String, _ words: String
    ) async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"a":1}]"#, schema: schema)
        do {
            try await bench.commit("[{\"id\":2,\"a\":2},\(bad)]", schema: schema)
            Issue.record("the page was saved")
        } catch let error as StoreError {
            #expect(error.kind == .contract && error.message.contains(words), "\(error)")
        }
        #expect(try await bench.rows("SELECT key FROM siding_records_posts") == [["1"]])
        #expect(try await bench.rows("SELECT name FROM siding_fields ORDER BY 1") == [["a"], ["id"]])
        #expect(try await bench.rows("SELECT COUNT(*) FROM siding_quarantine") == [["0"]])
    }

    @Test func `a changed contract is a changed definition, none is as before there were any`() throws {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://example.org"))
        var resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        let plain = ResourceDefinition(resource)
        #expect(plain.aspects[.contract] == nil)
        resource.schema.columns = [RecordColumn("a")]
        #expect(ResourceDefinition(resource).differences(from: plain) == [])
        resource.schema.contract.typeChange = .quarantine
        #expect(ResourceDefinition(resource).differences(from: plain) == [.contract])
    }
}
