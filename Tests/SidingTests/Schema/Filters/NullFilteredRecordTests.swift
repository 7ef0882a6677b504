// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What `where` lets go of what pages show, and what it does not.
@Suite struct NullFilteredRecordTests {
    private static func bench(_ states: [Int: String]) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        let condition = try RecordExpression("state <> 'closed'")
        bench.resource.schema = RecordSchema(transforms: RecordTransforms(condition: condition))
        set(bench, states)
        #expect(try await bench.sync().result.counters.inserted == states.count)
        return bench
    }

    /// Records with their states, without one where that is empty; two to a page.
    private static func set(_ bench: EngineBench, _ states: [Int: String], perPage: Int = 2) {
        let all = states.keys.sorted()
        for start in stride(from: 0, to: all.count, by: perPage) {
            var fields: HTTPFields = [.contentType: "application/json"]
            if start + perPage < all.count, let link = HTTPField.Name("Link") {
                fields[link] = "<\(target(start / perPage + 1))>; rel=\"next\""
            }
            let keys = all[start..<min(start + perPage, all.count)]
            bench.origin.set(target(start / perPage), .text(json(keys.map { ($0, states[$0]) }), headerFields: fields))
        }
    }

    private static func target(_ page: Int) -> String { page == 0 ? "/posts" : "/posts?page=\(page + 1)" }

    private static func json(_ records: [(id: Int, state: String?)]) -> String {
        let bodies = records.map { record in
            record.state.map { $0.isEmpty ? #"{"id":\#(record.id)}"# : #"{"id":\#(record.id),"state":"\#($0)"}"# } ?? ""
        }
        return "[\(bodies.joined(separator: ","))]"
    }

    private static func states(_ ids: ClosedRange<Int>, _ state: String = "open") -> [Int: String] {
        Dictionary(uniqueKeysWithValues: ids.map { ($0, state) })
    }

    private static var accepting: SyncOptions {
        var options = SyncOptions()
        options.acceptsDeletes = true
        return options
    }

    /// Whether records for which the condition is NULL wait for a decision.
    private func isWaiting(_ bench: EngineBench) async throws -> Bool {
        let store = bench.store
        return try await store.read {
            try $0.first("SELECT MAX(null_filtered) FROM siding_resources") { $0.int(0) == 1 } ?? false
        }
    }

    @Test func `a member that the origin suddenly leaves out deletes nothing, and is reported`() async throws {
        let bench = try await Self.bench(Self.states(1...5))
        Self.set(bench, Self.states(1...5, ""))
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.result.counters.deletionsBlocked == 5 && report.result.counters.deleted == 0)
            #expect(
                report.warnings == [
                    "'where' leaves out 5 of 5 stored records ('where' names 'state', which no stored record has). That is "
                        + "more than deletes.max (10 %), so they were kept. To remove them: siding sync posts --accept-deletes"
                ])
            #expect(try await bench.keys().count == 5)
        }
        #expect(try await bench.lastRun().resources.first?.counters.deletionsBlocked == 5)
        let body = try #require(try await bench.store.record(of: "posts", key: "1")).body
        #expect(body == Array(#"{"id":1}"#.utf8))
        #expect(try await bench.sync(Self.accepting).result.counters.deleted == 5)
        #expect(try await bench.keys() == [])
        let run = try await bench.lastRun().id
        #expect(try await bench.store.undelete(run) == ["posts": 5])
        #expect(try await !isWaiting(bench))
    }

    @Test func `once the member is back nothing is blocked`() async throws {
        let bench = try await Self.bench(Self.states(1...5))
        Self.set(bench, Self.states(1...5, ""))
        #expect(try await bench.sync().result.counters.deletionsBlocked == 5)
        Self.set(bench, Self.states(1...5))
        let report = try await bench.sync()
        #expect(
            report.result.counters.deletionsBlocked == 0 && report.result.counters.updated == 5 && report.warnings == []
        )
        #expect(try await !isWaiting(bench))
    }

    @Test func `the guard limits the records removed at once, and the store has the reason`() async throws {
        var bench = try await Self.bench(Self.states(1...30))
        Self.set(bench, Self.states(1...30).merging(Self.states(1...3, "")) { $1 })
        let few = try await bench.sync()
        #expect(few.result.counters.deleted == 3 && few.result.counters.deletionsBlocked == 0 && few.warnings == [])
        let run = try await bench.lastRun().id
        #expect(
            few.result.notes.contains(
                "3 records were removed because 'where' is NULL for them; 'siding records undelete \(run)' restores them"
            ))
        let store = bench.store
        #expect(try await store.provenance(of: "posts", key: "2")?.deletion?.cause == .condition)
        Self.set(bench, Self.states(1...30).merging(Self.states(1...14, "")) { $1 })
        let many = try await bench.sync()
        #expect(many.result.counters.deleted == 0 && many.result.counters.deletionsBlocked == 11)
        #expect(many.warnings.first?.hasPrefix("'where' leaves out 11 of 27 stored records. That is more than") == true)
        bench.resource.deletions.most = 0.5
        #expect(try await bench.sync().result.counters.deleted == 11)
        #expect(try await bench.keys().count == 16)
    }

    @Test func `records that the filter excludes explicitly are deleted at once, in any number`() async throws {
        let bench = try await Self.bench(Self.states(1...12))
        Self.set(bench, Self.states(1...12, "closed"))
        let report = try await bench.sync()
        #expect(
            report.result.counters.deleted == 12 && report.result.counters.deletionsBlocked == 0
                && report.warnings == [])
        #expect(!report.result.notes.contains { $0.contains("'where'") })
        #expect(try await bench.keys() == [])
    }

    @Test func `a record whose filter is NULL is decided when the listing ends, be it in a later run`() async throws {
        let bench = try await Self.bench(Self.states(1...5))
        Self.set(bench, Self.states(1...5).merging([1: ""]) { $1 })
        bench.origin.set(Self.target(1), .failure(Failure(.connectionLost, phase: .maybeSent)))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await bench.keys().count == 5)
        Self.set(bench, Self.states(1...5))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == ["2", "3", "4", "5"])
    }

    @Test func `a listing cut by a limit of pages removes them, an ad-hoc listing leaves that to the next`()
        async throws
    {
        var bench = try await Self.bench(Self.states(1...5))
        Self.set(bench, Self.states(1...5).merging([1: ""]) { $1 })
        #expect(try await bench.sync(SyncOptions(limit: 1)).result.counters.deleted == 0)
        #expect(try await bench.keys().count == 5)
        bench.resource.stop = StopRules(maxPages: 1)
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == ["2", "3", "4", "5"])
    }

    @Test func `a tombstone stays one, and a record that leaves with edits on it waits for them`() async throws {
        let bench = try await Self.bench(Self.states(1...5))
        Self.set(bench, Self.states(1...5).merging([1: "closed"]) { $1 })
        _ = try await bench.sync()
        let store = bench.store
        let edit = WriteEdit(.merge, of: bench.resource, key: "2")
        let entry = try await store.enqueue(
            WriteRequest(
                to: "blog", .patch, try HTTPURL("https://api.example.org/posts/2"), body: Array(#"{"x":1}"#.utf8)
            )
            .with(\.edit, edit))
        Self.set(bench, Self.states(1...5).merging([1: "", 2: ""]) { $1 })
        for _ in 0..<2 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys() == ["2", "3", "4", "5"])
        _ = try await store.perform(.drop, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == ["3", "4", "5"])
    }

    @Test func `the listings of all parents have one guard, and one message`() async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        let (parents, origin) = (bench.resource, bench.origin)
        origin.set("/posts", ScriptedOrigin.page("[1,2,3,4]"))
        (bench.resource.name, bench.resource.path) = ("tasks", "/posts/{post}/tasks")
        bench.resource.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")])
        let condition = try RecordExpression("state <> 'closed'")
        bench.resource.schema = RecordSchema(transforms: RecordTransforms(condition: condition))
        func sync(_ state: String, _ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
            for parent in 1...4 {
                let records = (1...3).map { (id: parent * 10 + $0, state: String?.some(state)) }
                origin.set("/posts/\(parent)/tasks", .text(Self.json(records)))
            }
            return try #require(try await bench.engine().run([parents, bench.resource], options: options).last)
        }
        #expect(try await sync("open").result.counters.inserted == 12)
        for _ in 0..<2 {
            let report = try await sync("")
            #expect(report.result.counters.deletionsBlocked == 12 && report.result.counters.deleted == 0)
            #expect(report.warnings.filter { $0.contains("more than deletes.max") }.count == 1)
        }
        #expect(try await bench.lastRun().resources.last?.counters.deletionsBlocked == 12)
        #expect(try await sync("", Self.accepting).result.counters.deleted == 12)
    }
}
