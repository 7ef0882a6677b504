// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Records that live with a parent which is not known here.
@Suite struct KnownParentsTests {
    /// Posts with tasks; task 12 moves to post 3.
    private struct Bench {
        var bench: EngineBench
        var tasks: AnyResource

        init() async throws {
            bench = try await EngineBench(ScriptedOrigin())
            tasks = bench.resource
            (tasks.name, tasks.path) = ("tasks", "/posts/{post}/tasks")
            tasks.deletions = Deletions(byAbsence: true, most: 0.9)
            tasks.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")], concurrency: 1)
            set([11, 12, 13], of: 1)
            set([21], of: 2)
        }

        func set(_ tasks: [Int], of post: Int) {
            bench.origin.set("/posts/\(post)/tasks", ScriptedOrigin.page("\(tasks)".filter { $0 != " " }))
        }

        func move() {
            set([11, 13], of: 1)
            set([12], of: 3)
        }

        @discardableResult
        func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
            bench.time.advance(by: .seconds(60))
            return try #require(try await bench.engine().run([bench.resource, tasks], options: options).last)
        }

        func keys() async throws -> [Int] {
            try await bench.store.records(of: "tasks", after: nil, limit: 99, deleted: false)
                .compactMap { Int($0.key) }.sorted()
        }

        /// Syncs thrice while a parent is not known: nothing goes, and it is told.
        func expectNothingGoes(_ location: SourceLocation = #_sourceLocation) async throws {
            for _ in 0..<3 {
                let report = try await sync()
                #expect(report.result.counters.deleted == 0, sourceLocation: location)
            }
            let told = try await sync().warnings.filter { $0.contains("the parents were not completely listed") }
            #expect(told.count == 1, sourceLocation: location)
            let living = try await keys()
            #expect(living == [11, 12, 13, 21], sourceLocation: location)
        }
    }

    @Test func `a parent without a key hides its records, until it has one`() async throws {
        let bench = try await Bench()
        bench.bench.origin.set("/posts", .text(#"[{"id":1},{"id":2},{"no":3}]"#))
        try await bench.sync()
        bench.move()
        try await bench.expectNothingGoes()
        bench.bench.origin.set("/posts", .text(#"[{"id":1},{"id":2},{"id":3}]"#))
        bench.set([11], of: 1)
        for _ in 0..<3 { try await bench.sync() }
        #expect(try await bench.keys() == [11, 12, 21])
    }

    @Test func `a parent in quarantine hides its records, and one whose update is there may be elsewhere`() async throws
    {
        var bench = try await Bench()
        bench.bench.resource.schema.contract.typeChange = .quarantine
        bench.bench.origin.set("/posts", .text(#"[{"id":1,"n":1},{"id":2,"n":2}]"#))
        try await bench.sync()
        bench.bench.origin.set("/posts", .text(#"[{"id":1,"n":1},{"id":2,"n":2},{"id":3,"n":"x"}]"#))
        bench.move()
        try await bench.expectNothingGoes()
        bench.bench.origin.set("/posts", .text(#"[{"id":1,"n":1},{"id":2,"n":"y"},{"id":3,"n":3}]"#))
        for _ in 0..<2 { try await bench.sync() }
        bench.set([11], of: 1)
        for _ in 0..<2 { #expect(try await bench.sync().result.counters.deleted == 0) }
        bench.bench.origin.set("/posts", .text(#"[{"id":1,"n":1},{"id":2,"n":2},{"id":3,"n":3}]"#))
        for _ in 0..<3 { try await bench.sync() }
        #expect(try await bench.keys() == [11, 12, 21])
    }

    @Test(arguments: [ScriptedAnswer.status(.noContent), .text("null")])
    func `parents' listings that are not lists do not make a parent missing`(
        _ answer: ScriptedAnswer
    ) async throws {
        let bench = try await Bench()
        bench.bench.origin.set("/posts", .text(#"[{"id":1},{"id":2}]"#))
        try await bench.sync()
        bench.bench.origin.set("/posts", answer)
        bench.move()
        try await bench.expectNothingGoes()
    }

    @Test func `parents that were requested from a start only are not complete`() async throws {
        var bench = try await Bench()
        bench.bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer, start: "5")
        bench.bench.resource.query = ["since": "{cursor}"]
        let (origin, all) = (bench.bench.origin, #"{"id":1,"at":7},{"id":2,"at":6}"#)
        for since in ["5", "7"] { origin.set("/posts?since=\(since)", .text("[\(all)]")) }
        try await bench.sync()
        bench.move()
        try await bench.expectNothingGoes()
        // Once all were listed, changes keep them known.
        bench.bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer)
        bench.bench.resource.query = ["since": "{cursor}"]
        origin.set("/posts", .text("[\(all),{\"id\":3,\"at\":1}]"))
        for _ in 0..<2 { try await bench.sync() }
        bench.set([11], of: 1)
        for _ in 0..<3 { try await bench.sync() }
        #expect(try await bench.keys() == [11, 12, 21])
        // What a person sets the cursor to may leave parents out.
        let lease = try #require(try await bench.bench.lease())
        try await bench.bench.store.setCursor("7", of: "posts", lease: lease)
        try await bench.bench.store.releaseLease(lease)
        bench.set([], of: 3)
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
    }

    @Test func `where a parent's own parent was not requested, its children are not complete`() async throws {
        let bench = try await Bench()
        let (origin, owners) = (bench.bench.origin, bench.bench.resource)
        var posts = owners
        (posts.name, posts.path) = ("entries", "/owners/{name}/posts")
        posts.forEach = ForEach("posts", bind: ["name": JSONPath(member: "name")], concurrency: 1)
        var tasks = bench.tasks
        tasks.forEach = ForEach("entries", bind: ["post": JSONPath(member: "id")], concurrency: 1)
        func sync() async throws -> SyncReport {
            bench.bench.time.advance(by: .seconds(60))
            return try #require(try await bench.bench.engine().run([owners, posts, tasks]).last)
        }
        origin.set("/posts", .text(#"[{"id":1,"name":"a"},{"id":2}]"#))
        origin.set("/owners/a/posts", ScriptedOrigin.page("[1,2]"))
        origin.set("/owners/b/posts", ScriptedOrigin.page("[3]"))
        _ = try await sync()
        bench.move()
        for _ in 0..<3 { #expect(try await sync().result.counters.deleted == 0) }
        #expect(try await sync().warnings.contains { $0.contains("the parents were not completely listed") })
        #expect(try await bench.keys() == [11, 12, 13, 21])
        origin.set("/posts", .text(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#))
        bench.set([11], of: 1)
        for _ in 0..<3 { _ = try await sync() }
        #expect(try await bench.keys() == [11, 12, 21])
    }

    @Test func `a cursor that answers 410 does not count as an empty listing`() async throws {
        var bench = try await Bench()
        bench.tasks.cursor = IncrementalCursor(at: .record(JSONPath(member: "id")), type: .integer)
        bench.tasks.query = ["since": "{cursor}"]
        bench.bench.origin.set("/posts", .text(#"[{"id":1}]"#))
        try await bench.sync()
        bench.bench.origin.set("/posts/1/tasks?since=13", .status(.gone))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed && report.result.counters.deleted == 0)
        #expect(try await bench.keys() == [11, 12, 13])
        // Asked for all, it is a parent that has nothing any more.
        bench.bench.origin.set("/posts/1/tasks", .status(.gone))
        #expect(try await bench.sync(SyncOptions(isFull: true)).result.outcome == .saved)
    }
}
