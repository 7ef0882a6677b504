// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct HistoryTests {
    private static func body(_ value: Int) -> String { #"{"id":"a","v":\#(value)}"# }

    @Test func `versions are listed newest first, with their spans and changes`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull(#"[{"id":"a","v":1,"o":{"x":1,"y":[1]}}]"#)
        try await bench.pull(#"[{"id":"a","v":1,"o":{"x":2,"y":[1]},"n":null}]"#)
        try await bench.delete("a")
        try await bench.pull(#"[{"id":"a","o":{"x":2,"y":[1]},"n":null}]"#)
        let versions = try await bench.history("a").versions
        #expect(versions.map(\.change) == [.revived, .deleted, .updated, .inserted])
        #expect(versions.map(\.to) == [nil, versions[0].from, versions[1].from, versions[2].from])
        #expect(versions.map(\.run) == [1, 0, 1, 1])
        let differences = versions.map { $0.differences?.map(Self.words) }
        #expect(differences == [["$.v: 1 -> -"], [], ["$.o.x: 1 -> 2", "$.n: - -> null"], nil])
        #expect(try await bench.history("a", limit: 2).versions == Array(versions.prefix(2)))
    }

    private static func words(_ difference: MemberDifference) -> String {
        let sides = [difference.old, difference.new].map { $0.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-" }
        return "\(difference.path): \(sides[0]) -> \(sides[1])"
    }

    @Test func `an unchanged record writes no history, and one spelt differently does`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull(#"[{"id":"a","v":1}]"#)
        try await bench.pull(#"[{"id":"a","v":1}]"#)
        #expect(try await bench.count("siding_history") == 0)
        try await bench.pull(#"[{"id":"a","v":1.0}]"#)
        let versions = try await bench.history("a").versions
        #expect(versions.map(\.differences) == [[], nil])
        #expect(
            versions.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"id":"a","v":1.0}"#, #"{"id":"a","v":1}"#])
    }

    @Test func `without history none is kept, and looking back is refused`() async throws {
        let bench = try await HistoryBench(nil)
        try await bench.pull("[\(Self.body(1))]")
        let moment = bench.time.now
        try await bench.pull("[\(Self.body(2))]")
        try await bench.delete("a")
        #expect(try await bench.count("siding_history") == 0)
        #expect(try await bench.history("a").since == nil)
        #expect(try await bench.words("a") == [#"deleted {"id":"a","v":2} 3-"#])
        #expect(
            try await bench.refusal("SELECT * FROM posts", at: moment)?.contains("'posts' keeps no history") == true)
        #expect(try await bench.store.history(of: "posts", key: "b", limit: nil) == nil)
    }

    @Test func `history begins where it is switched on, ends where it is switched off, and the stored one stays`()
        async throws
    {
        let bench = try await HistoryBench()
        try await bench.pull("[\(Self.body(1))]", schema: RecordSchema())
        try await bench.pull("[\(Self.body(2))]", schema: RecordSchema())
        let early = bench.time.now
        try await bench.pull("[\(Self.body(3))]")
        #expect(try await bench.history("a").since == bench.time.now)
        let kept = bench.time.now
        try await bench.pull("[\(Self.body(4))]")
        let wanted = [
            #"updated {"id":"a","v":4} 4-"#, #"updated {"id":"a","v":3} 3-4"#, #"updated {"id":"a","v":2} 2-3"#,
        ]
        #expect(try await bench.words("a") == wanted)
        #expect(try await bench.rows("SELECT v FROM posts", at: kept) == ["integer(3)"])
        #expect(try await bench.refusal("SELECT v FROM posts", at: early)?.contains("reaches back to") == true)

        try await bench.pull("[\(Self.body(5))]", schema: RecordSchema())
        #expect(try await bench.count("siding_history") == 2)
        #expect(try await bench.refusal("SELECT v FROM posts", at: kept)?.contains("keeps no history") == true)
        try await bench.pull("[\(Self.body(6))]")
        #expect(try await bench.refusal("SELECT v FROM posts", at: kept)?.contains("reaches back to") == true)
        #expect(try await bench.count("siding_history") == 3)
    }

    @Test func `a record that leaves with the change that begins the history is kept in it`() async throws {
        let bench = try await HistoryBench(nil)
        try await bench.pull("[\(Self.body(1))]")
        let transforms = RecordTransforms(condition: try RecordExpression("v > 1"))
        let schema = RecordSchema(history: HistoryRetention(), transforms: transforms)
        try await bench.pull(#"[{"id":"b","v":2}]"#, schema: schema)
        #expect(try await bench.words("a") == [#"deleted {"id":"a","v":1} 2-"#, #"inserted {"id":"a","v":1} 1-2"#])
    }

    @Test func `an own edit is a version while it lies over the record, and its answer the next`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull("[\(Self.body(1))]")
        bench.time.advance(by: .seconds(1))
        let entry = try await bench.edits.edit(.merge, "a", #"{"v":7}"#)
        let pending = bench.time.now
        try await bench.pull(#"[{"id":"a","v":1,"w":1}]"#)
        bench.time.advance(by: .seconds(1))
        try await bench.edits.deliver(entry, #"{"id":"a","v":7,"w":1,"by":"origin"}"#)
        #expect(
            try await bench.words("a") == [
                #"updated {"id":"a","v":7,"w":1,"by":"origin"} 4-"#, #"updated (1) {"id":"a","v":7,"w":1} 3-4"#,
                #"updated (1) {"id":"a","v":7} 2-3"#, #"inserted {"id":"a","v":1} 1-2"#,
            ])
        #expect(try await bench.history("a").versions.map(\.run) == [0, 0, 0, 1])
        #expect(try await bench.rows("SELECT v, siding_pending FROM posts", at: pending) == ["integer(7)|integer(1)"])
        try await bench.edits.expectSound()
    }

    @Test func `a quarantine retry, a local save and an own delete are versions too`() async throws {
        let bench = try await HistoryBench(schema: RecordSchema(contract: RecordContract(typeChange: .quarantine)))
        try await bench.pull("[\(Self.body(1))]")
        try await bench.pull(#"[{"id":"a","v":"x"}]"#)
        bench.time.advance(by: .seconds(1))
        var resource = try EditBench.posts()
        resource.schema.history = HistoryRetention()
        _ = try await bench.sqlite.retry(as: [resource])
        bench.time.advance(by: .seconds(1))
        try await bench.save(#"{"id":"a","v":"local"}"#)
        bench.time.advance(by: .seconds(1))
        let entry = try await bench.edits.edit(.delete, "a")
        bench.time.advance(by: .seconds(1))
        try await bench.edits.deliver(entry, "", status: 204)
        #expect(
            try await bench.words("a") == [
                #"deleted {"id":"a","v":"local"} 6-"#, #"deleted (1) {"id":"a","v":"local"} 5-6"#,
                #"updated {"id":"a","v":"local"} 4-5"#, #"updated {"id":"a","v":"x"} 3-4"#,
                #"inserted {"id":"a","v":1} 1-3"#,
            ])
    }

    @Test func `records deleted by a run, and records restored by an operator, are versions`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull("[\(Self.body(1))]")
        bench.time.advance(by: .seconds(1))
        let (run, now) = (bench.sqlite.bench.run, bench.time.now)
        try await bench.store.write { transaction in
            let id = try #require(try transaction.first("SELECT rowid FROM siding_records_posts") { $0.int(0) })
            try TombstonesTable.insert(
                for: [id], in: RecordsTable.load(1, transaction), cause: .missing, run: run, now: now, revision: 9,
                transaction)
        }
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.store.undelete(run) == ["posts": 1])
        bench.time.advance(by: .seconds(1))
        #expect(
            try await bench.words("a") == [
                #"revived {"id":"a","v":1} 3-"#, #"deleted {"id":"a","v":1} 2-3"#, #"inserted {"id":"a","v":1} 1-2"#,
            ])
        for (second, wanted) in [(1, 1), (2, 0), (3, 1)] {
            let rows = try await bench.rows("SELECT v FROM posts", at: HistoryBench.start + .seconds(second))
            #expect(rows.count == wanted)
        }
        try await bench.edits.expectSound()
    }

    @Test func `a clock that was set back leaves one version for each moment`() async throws {
        let bench = try await HistoryBench()
        for value in 1...3 { try await bench.pull("[\(Self.body(value))]") }
        bench.time.advance(by: .seconds(-2))
        try await bench.pull("[\(Self.body(4))]")
        bench.time.advance(by: .seconds(5))
        #expect(
            try await bench.words("a") == [
                #"updated {"id":"a","v":4} 2-"#, #"updated {"id":"a","v":3} 2-2"#, #"updated {"id":"a","v":2} 2-2"#,
                #"inserted {"id":"a","v":1} 1-2"#,
            ])
        for second in 1...4 {
            let moment = HistoryBench.start + .seconds(second)
            #expect(try await bench.rows("SELECT v FROM posts", at: moment) == ["integer(\(second == 1 ? 1 : 4))"])
        }
    }

    // MARK: Retention

    @Test func `versions are counted again after another rule removed the newest numbers`() async throws {
        let bench = try await HistoryBench(HistoryRetention(versions: 1))
        for value in 0..<5 { try await bench.pull("[\(Self.body(value))]") }
        try await bench.endRun()
        #expect(try await bench.count("siding_history") == 1)
        // As a rule by age does, of this resource or another one.
        try await bench.sqlite.execute("DELETE FROM siding_history")
        try await bench.endRun()
        for value in 5..<8 { try await bench.pull("[\(Self.body(value))]") }
        #expect(try await bench.count("siding_history") == 3)
        try await bench.endRun()
        #expect(try await bench.count("siding_history") == 1)
    }

    @Test func `changes while the history was off are not shown as one difference`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull("[\(Self.body(1))]")
        try await bench.pull("[\(Self.body(2))]")
        try await bench.pull("[\(Self.body(3))]", schema: RecordSchema())
        try await bench.pull("[\(Self.body(4))]", schema: RecordSchema())
        try await bench.pull("[\(Self.body(5))]")
        let versions = try await bench.history("a").versions
        #expect(versions.map { $0.differences == nil } == [false, true, true])
        #expect(versions.map(\.change) == [.updated, .updated, .inserted])
    }

    @Test func `the number of earlier versions is limited, and the present one always stays`() async throws {
        let bench = try await HistoryBench(HistoryRetention(versions: 2))
        for value in 1...6 { try await bench.pull(#"[\#(Self.body(value)),{"id":"b"}]"#) }
        try await bench.endRun()
        #expect(
            try await bench.words("a") == [
                #"updated {"id":"a","v":6} 6-"#, #"updated {"id":"a","v":5} 5-6"#, #"updated {"id":"a","v":4} 4-5"#,
            ])
        #expect(try await bench.words("b") == [#"inserted {"id":"b"} 1-"#])
        let oldest = try await bench.history("a")
        #expect(oldest.since == oldest.versions.last?.from && oldest.versions.last?.differences == nil)
        #expect(try await bench.rows("SELECT id, v FROM posts", at: HistoryBench.start + .seconds(4)).count == 2)
        let refusal = try await bench.refusal("SELECT * FROM posts", at: HistoryBench.start + .milliseconds(3999))
        #expect(refusal?.contains("reaches back to 2") == true)
    }

    @Test func `fewer versions than before are kept of records that no longer change, too`() async throws {
        let bench = try await HistoryBench(HistoryRetention(versions: 9))
        for value in 1...5 { try await bench.pull("[\(Self.body(value))]") }
        try await bench.endRun()
        #expect(try await bench.count("siding_history") == 4)
        try await bench.pull("[\(Self.body(5))]", schema: RecordSchema(history: HistoryRetention(versions: 1)))
        try await bench.endRun()
        #expect(try await bench.count("siding_history") == 1)
    }

    @Test func `versions replaced longer ago are deleted`() async throws {
        let bench = try await HistoryBench(HistoryRetention(keep: .seconds(10)))
        for value in 1...3 { try await bench.pull("[\(Self.body(value))]") }
        bench.time.advance(by: .milliseconds(9500))
        try await bench.endRun()
        #expect(
            try await bench.words("a") == [#"updated {"id":"a","v":3} 3-"#, #"updated {"id":"a","v":2} 2-3"#])
        bench.time.advance(by: .seconds(86_400))
        try await bench.endRun()
        #expect(try await bench.words("a") == [#"updated {"id":"a","v":3} 3-"#])
        #expect(try await bench.history("a").since == HistoryBench.start + .seconds(3))
    }

    @Test func `another process that opened the file before history began keeps it all the same`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull("[\(Self.body(1))]", schema: RecordSchema())
        let other = try await Store.open(at: bench.sqlite.path, clock: bench.time.clock)
        try await bench.pull("[\(Self.body(2))]")
        bench.time.advance(by: .seconds(1))
        _ = try await other.delete(RecordLookup(resource: "posts", keys: ["a"]))
        await other.close()
        #expect(try await bench.history("a").versions.map(\.change) == [.deleted, .updated, .inserted])
    }
}

extension HistoryBench {
    /// A program saves a post here.
    func save(_ body: String) async throws {
        let content = try StoreBench.content("[\(body)]")
        guard case .records(let bytes, let slices) = content else { return }
        let rows = slices.map { RecordChanges.ChangedRow(slice: $0, expectation: .anything) }
        let changes = RecordChanges(
            resource: "posts", source: "blog", definition: try StoreBench.definition(), bytes: bytes, rows: rows)
        _ = try #require(try await store.apply(changes))
    }
}
