// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// What a resource with a listing per parent remembers of each, and when all of them together count as complete.
@Suite(.timeLimit(.minutes(5))) struct FanOutCursorTests {
    /// Lists of tasks; where each one's tasks lie its record says.
    private struct Bench {
        var lists: EngineBench
        var tasks: AnyResource

        init(_ parents: ForEach.Parents = .changed) async throws {
            lists = try await EngineBench(ScriptedOrigin())
            tasks = lists.resource
            (tasks.name, tasks.path) = ("tasks", "/{place}")
            tasks.forEach = ForEach("posts", parents: parents, bind: ["place": JSONPath(member: "place")])
            tasks.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer)
            tasks.query = ["since": "{cursor}"]
            show(#"{"id":1,"place":"a"}"#, #"{"id":2,"place":"b"}"#)
            origin.set("/a", Self.records("[1,1]"))
            origin.set("/b", Self.records("[2,5]"))
        }

        var origin: ScriptedOrigin { lists.origin }

        func show(_ records: String...) { origin.set("/posts", .text("[\(records.joined(separator: ","))]")) }

        /// Pairs of an id and a value of `at`.
        static func records(_ pairs: String..., next: String? = nil) -> ScriptedAnswer {
            let bodies = pairs.map { pair in
                let parts = pair.dropFirst().dropLast().split(separator: ",")
                return #"{"id":\#(parts[0]),"at":\#(parts[1])}"#
            }
            var fields: HTTPFields = [.contentType: "application/json"]
            if let next { fields[HTTPField.Name("Link")!] = "<\(next)>; rel=\"next\"" }
            return .text("[\(bodies.joined(separator: ","))]", headerFields: fields)
        }

        /// - Returns: what came of the tasks, and what they were asked with.
        func sync(_ options: SyncOptions = SyncOptions(), alone: Bool = false) async throws -> (SyncReport, [String]) {
            if !alone { _ = try await lists.sync() }
            _ = origin.takeTargets()
            let report = try await lists.engine().sync(tasks, options: options)
            return (report, origin.takeTargets().sorted())
        }

        func keys() async throws -> [String] {
            try await lists.store.records(of: "tasks", after: nil, limit: 99, deleted: false).map(\.key)
        }

        func completedAt() async throws -> Timestamp? {
            try await lists.store.resourceStates().first { $0.resource == "tasks" }?.completedAt
        }
    }

    @Test func `a cursor that was found at another address is not used at the new one`() async throws {
        let bench = try await Bench()
        #expect(try await bench.sync().1 == ["/a", "/b"])
        bench.show(#"{"id":1,"place":"a"}"#, #"{"id":2,"place":"c"}"#)
        bench.origin.set("/c", Bench.records("[3,2]"))
        bench.origin.set("/c?since=2", Bench.records("[3,2]"))
        #expect(try await bench.sync().1 == ["/c"])
        #expect(try await bench.keys() == ["1", "2", "3"])
        bench.show(#"{"id":1,"place":"a"}"#, #"{"id":2,"place":"c","name":"x"}"#)
        #expect(try await bench.sync().1 == ["/c?since=2"])
    }

    @Test func `an empty new address has no cursor either`() async throws {
        let bench = try await Bench(.all)
        _ = try await bench.sync()
        bench.show(#"{"id":1,"place":"a"}"#, #"{"id":2,"place":"c"}"#)
        for place in ["/a?since=1", "/c"] { bench.origin.set(place, .text("[]")) }
        for _ in 0..<2 { #expect(try await bench.sync().1 == ["/a?since=1", "/c"]) }
    }

    @Test func `a listing that was left half-way at another address restarts, and the plan says so`() async throws {
        let bench = try await Bench()
        bench.origin.set("/b", Bench.records("[2,5]", next: "/b?page=2"))
        bench.origin.set("/b?page=2", .status(.internalServerError))
        #expect(try await bench.sync().0.result.outcome == .queued)
        bench.show(#"{"id":1,"place":"a"}"#, #"{"id":2,"place":"c"}"#)
        bench.origin.set("/c", Bench.records("[3,2]"))
        bench.lists.time.advance(by: .seconds(3600))
        _ = try await bench.lists.sync()
        let plan = try await SyncPlan.make(for: bench.tasks, in: bench.lists.store, now: bench.lists.time.now)
        let (report, asked) = try await bench.sync(alone: true)
        #expect(asked == ["/c"] && plan.url.hasSuffix("/c"))
        #expect(report.warnings == ["'2': restarted: its parent has another address now"])
        #expect(try await bench.lists.queue().allSatisfy { $0.state == .done })
    }

    @Test func `a '--since' beyond the cursors leaves the parents due, and completes nothing`() async throws {
        for parents in [ForEach.Parents.changed, .all] {
            let bench = try await Bench(parents)
            _ = try await bench.sync()
            let before = try await bench.completedAt()
            #expect(before != nil)
            bench.lists.time.advance(by: .seconds(60))
            bench.show(#"{"id":1,"place":"a","n":1}"#, #"{"id":2,"place":"b","n":1}"#)
            for place in ["a", "b"] { bench.origin.set("/\(place)?since=9", .text("[]")) }
            bench.origin.set("/a?since=1", Bench.records("[11,3]"))
            bench.origin.set("/b?since=5", Bench.records("[12,7]"))
            var options = SyncOptions()
            options.since = "9"
            #expect(try await bench.sync(options).1 == ["/a?since=9", "/b?since=9"])
            #expect(try await bench.completedAt() == before)
            #expect(try await bench.sync().1 == ["/a?since=1", "/b?since=5"])
            #expect(try await bench.keys() == ["1", "2", "11", "12"])
            #expect(try await bench.completedAt() == bench.lists.time.now)
        }
    }

    @Test func `while parents were never listed wholly, their listings do not count as complete`() async throws {
        let bench = try await Bench()
        bench.origin.set("/posts", .status(.internalServerError))
        #expect(try await bench.sync().0.result.outcome == .notModified)
        #expect(try await bench.completedAt() == nil)
        bench.show(#"{"id":1,"place":"a"}"#)
        bench.lists.time.advance(by: .seconds(3600))
        _ = try await bench.sync()
        #expect(try await bench.completedAt() == bench.lists.time.now)
    }

    @Test func `a parent whose answer is ignored keeps the pass from being complete`() async throws {
        var bench = try await Bench()
        bench.origin.set("/b", .status(.init(code: 418)))
        bench.tasks.source.failureRules = [try FailureRule(when: .answer(.init(statuses: [418])), do: .ignore)]
        let (report, _) = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(try await bench.completedAt() == nil)
    }
}
