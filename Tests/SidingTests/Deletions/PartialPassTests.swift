// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Listings and passes that by design do not ask for all records, and passes that can ask for none.
@Suite(.timeLimit(.minutes(5))) struct PartialPassTests {
    /// Lists with tasks; each asks for changes since its cursor.
    private static func lists(start: String? = nil) async throws -> (bench: EngineBench, tasks: AnyResource) {
        let bench = try await EngineBench(ScriptedOrigin())
        var tasks = bench.resource
        (tasks.name, tasks.path, tasks.query) = ("tasks", "/{list}", ["since": "{cursor}"])
        tasks.forEach = ForEach("posts", bind: ["list": JSONPath(member: "list")], concurrency: 1)
        tasks.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer, start: start)
        tasks.deletions = Deletions(byAbsence: true)
        bench.origin.set("/posts", records(#"{"id":1,"list":"a"}"#, #"{"id":2,"list":"b"}"#))
        return (bench, tasks)
    }

    private static func records(_ bodies: String...) -> ScriptedAnswer {
        .text("[\(bodies.joined(separator: ","))]", headerFields: [.contentType: "application/json"])
    }

    private static func sync(
        _ tasks: AnyResource, _ bench: EngineBench, _ options: SyncOptions = SyncOptions()
    ) async throws -> SyncReport {
        bench.time.advance(by: .seconds(60))
        return try #require(try await bench.engine().run([bench.resource, tasks], options: options).last)
    }

    private static func full() -> SyncOptions {
        var options = SyncOptions()
        options.isFull = true
        return options
    }

    @Test func `a pass of increments deletes no record that it does not show`() async throws {
        let (bench, tasks) = try await Self.lists()
        bench.origin.set("/a", Self.records(#"{"id":11,"at":1}"#, #"{"id":12,"at":1}"#))
        bench.origin.set("/b", Self.records(#"{"id":21,"at":1}"#))
        #expect(try await Self.sync(tasks, bench).warnings == [])
        for list in ["a", "b"] { bench.origin.set("/\(list)?since=1", Self.records()) }
        for _ in 0..<3 {
            let report = try await Self.sync(tasks, bench)
            #expect(report.warnings == [] && report.result.counters.deleted == 0)
        }
        // Full passes still delete.
        bench.origin.set("/a", Self.records(#"{"id":11,"at":1}"#))
        var deleted = 0
        for _ in 0..<3 { deleted += try await Self.sync(tasks, bench, Self.full()).result.counters.deleted }
        #expect(deleted == 1)
    }

    @Test func `a full sync that begins at a start reports that it deletes nothing`() async throws {
        let (bench, tasks) = try await Self.lists(start: "1")
        bench.origin.set("/a?since=1", Self.records(#"{"id":11,"at":1}"#))
        bench.origin.set("/b?since=1", Self.records(#"{"id":21,"at":1}"#))
        #expect(try await Self.sync(tasks, bench).warnings == [])
        bench.origin.set("/a?since=1", Self.records())
        for _ in 0..<3 {
            let report = try await Self.sync(tasks, bench, Self.full())
            #expect(report.warnings.count == 1 && report.warnings[0].contains("began at 'cursor.start'"))
            #expect(report.result.counters.deleted == 0 && report.result.outcome == .saved)
        }
        let plan = try await SyncPlan.make(for: tasks, in: bench.store)
        #expect(plan.deletes.contains("'cursor.start'"))
    }

    @Test func `a full sync of a single listing that begins at a start reports the same`() async throws {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.query = ["since": "{cursor}"]
        bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer, start: "1")
        bench.resource.deletions = Deletions(byAbsence: true)
        bench.origin.set("/posts?since=1", Self.records(#"{"id":1,"at":1}"#))
        #expect(try await bench.sync().warnings == [])
        #expect(try await bench.sync(Self.full()).warnings.contains { $0.contains("began at 'cursor.start'") })
    }

    @Test func `a pass that can request no parent is not complete, until one could`() async throws {
        var (bench, tasks) = try await Self.lists()
        tasks.cursor = nil
        tasks.query = [:]
        tasks.forEach?.bindings = ["list": JSONPath(member: "siding_parent")]
        for _ in 0..<2 {
            let report = try await Self.sync(tasks, bench)
            #expect(report.result.outcome == .partial)
            #expect(report.warnings.first?.hasPrefix("nothing was requested: no due record of 'posts'") == true)
            #expect(report.warnings.contains("skipped '1': it has no $.siding_parent for {list}"))
            #expect(try await Self.completedAt(bench) == nil)
        }
        tasks.forEach?.bindings = ["list": JSONPath(member: "list")]
        for list in ["a", "b"] { bench.origin.set("/\(list)", Self.records(#"{"id":"\#(list)"}"#)) }
        #expect(try await Self.sync(tasks, bench).result.outcome == .saved)
        #expect(try await Self.completedAt(bench) != nil)
        // Of parents that are due later, none may have the value.
        tasks.forEach?.parents = .changed
        bench.origin.set("/posts", Self.records(#"{"id":1,"list":"a"}"#, #"{"id":2,"list":"b"}"#, #"{"id":3}"#))
        for _ in 0..<2 {
            let report = try await Self.sync(tasks, bench)
            #expect(
                report.result.outcome != .partial && report.warnings == ["skipped '3': it has no $.list for {list}"])
        }
    }

    private static func completedAt(_ bench: EngineBench) async throws -> Timestamp? {
        try await bench.store.resourceStates().first { $0.resource == "tasks" }?.completedAt
    }

    @Test func `dates where times are declared are reported, as a short lookback has no effect on them`() async throws {
        for (value, lookback, isTold) in [
            ("2024-05-01", Duration.seconds(30), true), ("2024-05-01", .seconds(86_400), false),
            ("2024-05-01T00:00:00Z", .seconds(30), false),
        ] {
            var bench = try await EngineBench(ScriptedOrigin())
            bench.time.advance(by: try #require(Timestamp(rfc3339: "2024-06-01T00:00:00Z")) - bench.time.now)
            bench.resource.query = ["since": "{cursor}"]
            bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), lookback: .time(lookback))
            bench.origin.set("/posts", Self.records(#"{"id":1,"at":"\#(value)"}"#))
            let report = try await bench.sync()
            #expect(report.warnings.contains { $0.contains("declare 'type: date'") } == isTold, "\(report.warnings)")
        }
    }
}
