// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// What `where` does to records that are stored.
@Suite struct StoredConditionTests {
    private static func schema(
        _ condition: String?, columns: [RecordColumn] = [], dropped: [JSONPath] = []
    ) throws -> RecordSchema {
        let condition = try condition.map { try RecordExpression($0) }
        return RecordSchema(
            columns: columns, transforms: RecordTransforms(condition: condition, dropped: dropped))
    }

    private static func resource(_ schema: RecordSchema, most: Double = Deletions.usualMost) throws -> AnyResource {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        var resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        resource.schema = schema
        resource.deletions.most = most
        return resource
    }

    @Test func `a column that the condition names belongs to the definition, one that it does not name does not`()
        throws
    {
        let score = RecordColumn("score", .integer, at: JSONPath(member: "a"))
        let other = RecordColumn("score", .integer, at: JSONPath(member: "b"))
        let text = RecordColumn("score", .text, at: JSONPath(member: "a"))
        func definition(_ condition: String?, _ columns: [RecordColumn]) throws -> ResourceDefinition {
            ResourceDefinition(try Self.resource(Self.schema(condition, columns: columns)))
        }
        let before = try definition("Score > 3", [score])
        #expect(try definition("Score > 3", [other]).differences(from: before) == [.where])
        #expect(try definition("Score > 3", [text]).differences(from: before) == [.where])
        #expect(try definition("Score > 3", [score, RecordColumn("title")]).differences(from: before) == [])
        // As files from before have it.
        #expect(try definition("other > 3", [score]).aspects[.where] == "other > 3")
        #expect(try definition(nil, [score]).aspects[.where] == nil)
    }

    @Test func `records filtered out by a changed condition are counted by the run, with the reason`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a","v":1},{"id":"b","v":2},{"id":"c","v":3}]"#)
        let position = try await bench.bench.open(schema: Self.schema("v > 1"))
        #expect(position.counters.deleted == 1)
        let run = try #require(try await bench.store.run(bench.bench.run))
        #expect(run.resources.first?.counters.deleted == 1)
        let deletion = try await bench.store.provenance(of: "posts", key: "a")?.deletion
        #expect(deletion?.cause == .condition && deletion?.run?.id == bench.bench.run)
        #expect(try await bench.store.undelete(bench.bench.run) == ["posts": 1])
    }

    @Test func `a record of a page that is filtered out is reported, too, and a tombstone is not`() async throws {
        let bench = try await FileBench()
        let schema = try Self.schema("v > 1")
        try await bench.commit(#"[{"id":"a","v":2},{"id":"b","v":2}]"#, schema: schema)
        try await bench.commit(#"[{"id":"a","v":0}]"#, schema: schema)
        #expect(try await bench.store.provenance(of: "posts", key: "a")?.deletion?.cause == .condition)
        let run = bench.bench.run
        try await bench.execute(
            "UPDATE siding_records_posts SET deleted_at = 1, cause = 'missing', run = \(run) WHERE key = 'b'")
        #expect(try await bench.store.provenance(of: "posts", key: "b")?.deletion?.cause == .run)
    }

    @Test func `the effect of a changed condition is known before it is applied`() async throws {
        let bench = try await FileBench()
        let records = (1...40).map { #"{"id":"\#($0)","v":\#($0)}"# }.joined(separator: ",")
        try await bench.commit("[\(records)]", schema: Self.schema("v > 0"))
        let store = try bench.store
        let same = try await store.filteredOut(by: Self.schema("v > 0"), of: "posts")
        #expect(same == nil)
        let some = try #require(try await store.filteredOut(by: Self.schema("v > 10"), of: "posts"))
        #expect(some.stored == 40 && some.count == 10 && some.caution == nil)
        #expect(!some.isTooMuch(for: Deletions()))
        let more = try #require(try await store.filteredOut(by: Self.schema("v > 11"), of: "posts"))
        #expect(more.isTooMuch(for: Deletions()) && !more.isTooMuch(for: Deletions(most: 0.5)))
        let all = try #require(try await store.filteredOut(by: Self.schema("V > 10"), of: "posts"))
        #expect(all.count == 40 && all.isTooMuch(for: Deletions(most: 1)))
        #expect(all.caution == "'where' names 'V', which no stored record has")
        #expect(try await bench.rows("SELECT COUNT(*) FROM posts") == [["40"]])
    }

    @Test func `a filtered record need not keep to the contract`() async throws {
        let bench = try await FileBench()
        var schema = try Self.schema("state <> 'spam'")
        schema.contract = RecordContract(typeChange: .quarantine)
        let counters = try await bench.commit(
            #"[{"id":1,"v":1,"state":"open"},{"id":2,"v":"x","state":"spam"},{"id":3,"v":"x","state":"open"}]"#,
            schema: schema)
        #expect(counters.inserted == 1 && counters.quarantined == 1)
        #expect(try await bench.rows("SELECT key FROM siding_quarantine") == [["3"]])
        // A key of another type has the text of one that is stored, and is another record.
        let later = try await bench.commit(
            #"[{"id":1,"v":1,"state":"open"},{"id":"1","v":1,"state":"spam"}]"#, schema: schema)
        #expect(later.deleted == 0 && later.unchanged == 1 && later.quarantined == 0)
    }

    @Test func `an ad-hoc listing keeps the records that fit the present condition`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"v":1}]"#)
        let schema = try Self.schema("v > 1")
        let position = try await bench.bench.open(isAdHoc: true, schema: schema)
        var commit = bench.bench.pageCommit(
            try StoreBench.content(#"[{"id":2,"v":1},{"id":3,"v":2}]"#), position, isAdHoc: true)
        commit.open.schema = schema
        #expect(try await bench.store.commit(commit).inserted == 1)
        #expect(try await bench.rows("SELECT id FROM posts ORDER BY id") == [["1"], ["3"]])
    }

    @Test func `an ad-hoc listing under another condition leaves stored records that do not fit unchanged`()
        async throws
    {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"v":1},{"id":2,"v":2}]"#, schema: Self.schema("v > 0"))
        // A misspelt name, and a column that shows something else.
        for schema in [
            try Self.schema("V > 0"),
            try Self.schema("v > 0", columns: [RecordColumn("v", .integer, at: JSONPath(member: "w"))]),
        ] {
            let position = try await bench.bench.open(isAdHoc: true, schema: schema)
            var commit = bench.bench.pageCommit(
                try StoreBench.content(#"[{"id":1,"v":5},{"id":2,"v":5},{"id":3,"v":5}]"#), position,
                isAdHoc: true)
            commit.open.schema = schema
            let counters = try await bench.store.commit(commit)
            #expect(counters.deleted == 0 && counters.updated == 0 && counters.inserted == 0)
        }
        #expect(try await bench.rows("SELECT id, v FROM posts ORDER BY id") == [["1", "1"], ["2", "2"]])
    }

    @Test func `a condition that cannot be computed names the record`() async throws {
        let bench = try await FileBench()
        do {
            try await bench.commit(
                #"[{"id":"a","v":1},{"id":"b","v":-9223372036854775808}]"#, schema: Self.schema("abs(v) > 0"))
            Issue.record("the page was saved")
        } catch let error as StoreError {
            #expect(error.kind == .contract)
            #expect(
                error.message.hasPrefix("'where' (abs(v) > 0) cannot be computed for the record 'b': integer overflow"))
        }
    }

    // MARK: Quarantine

    private static let strict = RecordSchema(contract: RecordContract(typeChange: .quarantine))

    @Test func `a retry leaves out the members that are dropped by now`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"v":1},{"id":2,"v":"x","mail":"hush"}]"#, schema: Self.strict)
        let resource = try Self.resource(Self.schema(nil, dropped: [JSONPath(member: "mail")]))
        let changes = try await bench.retry(as: [resource])
        #expect(changes.map(\.refusal) == [nil])
        #expect(try await bench.bench.record("2").body == Array(#"{"id":2,"v":"x"}"#.utf8))
    }

    @Test func `a retry does not carry out a condition that leaves out too much`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1,"v":1},{"id":2,"v":"x"}]"#, schema: Self.strict)
        let narrow = try Self.resource(Self.schema("v > 1"))
        let changes = try await bench.retry(as: [narrow])
        #expect(changes.first?.refusal?.contains("leaves out 1 of 1 stored record") == true)
        #expect(try await bench.rows("SELECT COUNT(*) FROM posts") == [["1"]])
        let run = try #require(try await bench.store.runs(limit: 1).first)
        #expect(run.outcome == .failed && run.resources.first?.outcome == .failed)
    }
}
