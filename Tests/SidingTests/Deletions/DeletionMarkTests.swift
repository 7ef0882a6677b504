// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// The origin's own mark of deleted records.
@Suite struct DeletionMarkTests {
    @Test func `the origin's own mark deletes at once, in any number, and its end restores`() async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": .text(Self.marked("null", "null"))]))
        bench.resource.deletions = Deletions(mark: DeletionMark(try JSONPath(parsing: "$.gone")))
        #expect(try await bench.sync().result.counters.inserted == 2)
        bench.origin.set("/posts", .text(Self.marked("1", "true")))
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 2)
        #expect(try await bench.tombstones() == ["1", "2"])
        #expect(try await bench.sync().result.counters.unchanged == 2)
        bench.origin.set("/posts", .text(Self.marked("false", "true")))
        #expect(try await bench.sync().result.counters.updated == 1)
        #expect(try await bench.keys() == ["1"])
        #expect(try await bench.sync(SyncOptions(limit: 1)).result.counters.unchanged == 1)
    }

    @Test func `a record that is marked when it is first seen is not counted as deleted, and is not restored`()
        async throws
    {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": .text(Self.marked("null", "1"))]))
        bench.resource.deletions = Deletions(mark: DeletionMark(try JSONPath(parsing: "$.gone")))
        let report = try await bench.sync()
        #expect(report.result.counters.inserted == 1 && report.result.counters.deleted == 0)
        #expect(try await bench.tombstones() == ["2"])
        #expect(try await bench.store.undelete(bench.lastRun().id) == [:])
        #expect(try await bench.keys() == ["1"])
        bench.origin.set("/posts", .text(Self.marked("null", "null")))
        #expect(try await bench.sync().result.counters.updated == 1)
        #expect(try await bench.keys() == ["1", "2"])
    }

    private static func marked(_ first: String, _ second: String) -> String {
        #"[{"id":1,"gone":\#(first)},{"id":2,"gone":\#(second)}]"#
    }

    @Test func `a mark is any true value, or the declared one`() throws {
        let path = try JSONPath(parsing: "$.a")
        func marks(_ json: String, _ equals: String? = nil) -> Bool {
            Array(json.utf8).withUnsafeBytes { DeletionMark(path, equals: equals).marks($0) }
        }
        let no = [
            "null", "false", "0", "0.0", "-0", #""""#, #""0""#, #""false""#, #""No""#, #""N""#, #""  ""#, #""null""#,
            "[]", "{}", "[ ]",
            #""0000-00-00""#, #""0000-00-00 00:00:00""#, #""0000-00-00T00:00:00Z""#, #""0001-01-01T00:00:00""#, #""-""#,
            #""N/A""#, #""never""#,
        ]
        let yes = [
            "true", "1", "-1", "0.5", #""2024""#, #""1""#, #""yes""#, #""deleted""#, #""2024-01-01 00:00:00""#,
            #"{"by":1}"#, "[0]",
            #""001""#, #""never mind""#, #""*""#, #""✗""#, #""NA""#,
        ]
        for value in no { #expect(!marks(#"{"a":\#(value)}"#), "\(value)") }
        for value in yes { #expect(marks(#"{"a":\#(value)}"#), "\(value)") }
        #expect(!marks("{}") && !marks("7"))
        #expect(marks(#"{"a":"gone"}"#, "gone") && marks(#"{"a":true}"#, "true") && marks(#"{"a":0}"#, "0"))
        #expect(!marks(#"{"a":"gone "}"#, "gone") && !marks(#"{"a":null}"#, "null") && !marks("{}", ""))
    }
}
