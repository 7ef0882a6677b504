// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What a plan says is what the sync after it does: in its age, at a closed gate, at a limit.
@Suite(.timeLimit(.minutes(5))) struct PlanForesightTests {
    private static func plan(_ bench: EngineBench, _ options: SyncOptions = SyncOptions()) async throws -> SyncPlan {
        try await SyncPlan.make(for: bench.resource, options: options, in: bench.store, now: bench.time.now)
    }

    /// A plan for what the bench's sync does next; both must begin alike.
    private static func agreed(_ bench: EngineBench, _ options: SyncOptions = SyncOptions()) async throws -> SyncPlan {
        _ = bench.origin.takeTargets()
        let plan = try await plan(bench, options)
        _ = try await bench.sync(options)
        let targets = bench.origin.takeTargets()
        // Parents are asked about some at once: none of their listings is the first.
        let first = bench.resource.forEach == nil ? Array(targets.prefix(1)) : targets
        if plan.reason.hasPrefix("nothing now") {
            #expect(targets.isEmpty)
        } else {
            #expect(first.map { "https://api.example.org\($0)" }.contains(plan.url))
        }
        return plan
    }

    private static func half() async throws -> EngineBench {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)))
        #expect(try await bench.sync().result.outcome == .queued)
        return bench
    }

    @Test func `a checkpoint that is too old is not continued`() async throws {
        let bench = try await Self.half()
        bench.time.advance(by: .seconds(86_400))
        #expect(try await Self.agreed(bench).url == "https://api.example.org/posts?page=2")
        bench.time.advance(by: .seconds(86_401))
        let plan = try await Self.agreed(bench)
        #expect(plan.url == "https://api.example.org/posts")
        #expect(plan.reason == "new listing from the first page, as its checkpoint is older than 24 h")
    }

    @Test func `a page that an operator holds is continued at any age`() async throws {
        let bench = try await Self.half()
        let entry = try #require(try await bench.queue().first)
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [entry.id]))
        bench.time.advance(by: .seconds(100 * 3600))
        let plan = try await Self.plan(bench)
        #expect(plan.url == "https://api.example.org/posts?page=2")
        #expect(plan.reason == "nothing now: the queue retains this page as \(entry.shortID), parked (held)")
        #expect(plan.asksNothing)
        #expect(try await Self.agreed(bench).reason == plan.reason)
        // A sync of everything does not wait for it.
        #expect(try await Self.agreed(bench, SyncOptions(isFull: true)).asksNothing == false)
    }

    /// Two posts, and the comments of each; the bench is of those.
    private static func comments() async throws -> EngineBench {
        let origin = ScriptedOrigin()
        origin.set("/posts", ScriptedOrigin.page("[1,2]"))
        for parent in 1...2 { origin.set("/posts/\(parent)/comments", ScriptedOrigin.page("[\(parent)0]")) }
        var bench = try await EngineBench(origin)
        (bench.resource.name, bench.resource.path) = ("comments", "/posts/{post}/comments")
        bench.resource.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")])
        return bench
    }

    @Test func `where no parent is stored, or none is due, the plan has no request`() async throws {
        var bench = try await Self.comments()
        let first = try await Self.agreed(bench)
        #expect(first.reason == "nothing now: 'posts' has no stored records yet: its records are the parents")
        var posts = bench
        (posts.resource.name, posts.resource.path, posts.resource.forEach) = ("posts", "/posts", nil)
        _ = try await posts.sync()
        bench.resource.forEach?.parents.areChanged = true
        #expect(try await Self.agreed(bench).asksNothing == false)
        let plan = try await Self.agreed(bench)
        #expect(plan.reason == "nothing now: no parent is due: a new pass: 0 of 2 records of 'posts'")
        #expect(plan.fanOut?.urls == [] && plan.url.hasSuffix("/posts/{post}/comments"))
    }

    @Test func `where no parent gives an address, the plan has the reason`() async throws {
        var bench = try await Self.comments()
        var posts = bench
        (posts.resource.name, posts.resource.path, posts.resource.forEach) = ("posts", "/posts", nil)
        _ = try await posts.sync()
        bench.resource.forEach = ForEach("posts", bind: ["post": JSONPath(member: "n")])
        let plan = try await Self.plan(bench)
        let why = "the parents that are due have no usable address: '1': it has no $.n for {post}"
        #expect(plan.reason.hasPrefix("nothing now: \(why): "), "\(plan.reason)")
    }

    @Test func `a parent whose page an operator holds is not in the plan`() async throws {
        let bench = try await Self.comments()
        var posts = bench
        (posts.resource.name, posts.resource.path, posts.resource.forEach) = ("posts", "/posts", nil)
        _ = try await posts.sync()
        for parent in 1...2 { bench.origin.set("/posts/\(parent)/comments", .status(.internalServerError)) }
        _ = try await bench.sync()
        let entries = try await bench.queue()
        #expect(entries.count == 2)
        _ = try await bench.store.perform(.hold, on: QueueSelection(resources: ["comments"]))
        let held = try await Self.agreed(bench)
        #expect(held.asksNothing && held.fanOut?.urls == [])
        #expect(held.reason.hasPrefix("nothing now: the parents that are due wait for an operator in the queue: "))
        let second = try #require(entries.first { $0.url.hasSuffix("/posts/2/comments") })
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [second.id]))
        #expect(try await Self.plan(bench).fanOut?.urls == ["https://api.example.org/posts/2/comments"])
    }

    @Test func `a pass that is too old restarts, and its listings with it`() async throws {
        let origin = ScriptedOrigin()
        origin.set("/posts", ScriptedOrigin.page("[1]"))
        origin.set("/posts/1/comments", ScriptedOrigin.page("[1]", next: "/posts/1/comments?page=2"))
        origin.set("/posts/1/comments?page=2", .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)))
        var bench = try await EngineBench(origin)
        _ = try await bench.sync()
        (bench.resource.name, bench.resource.path) = ("comments", "/posts/{post}/comments")
        bench.resource.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")])
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(24 * 3600))
        let timely = try await Self.agreed(bench)
        #expect(timely.url == "https://api.example.org/posts/1/comments?page=2")
        bench.time.advance(by: .seconds(24 * 3600 + 1))
        let plan = try await Self.agreed(bench)
        #expect(plan.url == "https://api.example.org/posts/1/comments")
        #expect(plan.reason.hasPrefix("a new pass, as its pass is older than 48 h: "), "\(plan.reason)")
    }

    @Test func `a listing that is too old restarts, even among young ones`() async throws {
        let origin = ScriptedOrigin()
        origin.set("/posts", ScriptedOrigin.page("[1,2]"))
        func set(_ parent: Int, _ page: Int, fails: Bool) {
            let target = "/posts/\(parent)/comments"
            let next = ScriptedOrigin.page("[\(parent * 10 + page)]", next: "\(target)?page=\(page + 1)")
            origin.set(page == 1 ? target : "\(target)?page=\(page)", fails ? .status(.internalServerError) : next)
        }
        for parent in 1...2 { for page in 1...3 { set(parent, page, fails: page > 1) } }
        var bench = try await EngineBench(origin)
        _ = try await bench.sync()
        (bench.resource.name, bench.resource.path) = ("comments", "/posts/{post}/comments")
        bench.resource.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")], concurrency: 1)
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(12 * 3600))
        set(2, 2, fails: false)
        #expect(try await Self.agreed(bench).url == "https://api.example.org/posts/1/comments?page=2")
        bench.time.advance(by: .seconds(12 * 3600 + 1))
        let plan = try await Self.agreed(bench)
        #expect(plan.reason == "a new pass: 2 of 2 records of 'posts' (2 not complete)")
        #expect(plan.url == "https://api.example.org/posts/1/comments")
        #expect(plan.fanOut?.urls.last == "https://api.example.org/posts/2/comments?page=3")
    }

    @Test func `the first effect of a changed condition is planned, and not done`() async throws {
        var bench = try await EngineBench()
        _ = try await bench.sync()
        func plan(_ condition: String, _ options: SyncOptions = SyncOptions()) async throws -> String {
            let condition = try RecordExpression(condition)
            bench.resource.schema = RecordSchema(transforms: RecordTransforms(condition: condition))
            return try await Self.plan(bench, options).reason
        }
        let then = "then: full listing: the definition changed (where)"
        #expect(
            try await plan("Id > 0")
                == "nothing now: 'where' would leave out 5 of 5 stored records ('where' names 'Id', which no stored record "
                + "has). That is more than deletes.max (10 %). To do it: --accept-deletes; \(then)")
        var options = SyncOptions()
        options.acceptsDeletes = true
        #expect(try await plan("id > 4", options) == "'where' leaves out 4 of 5 stored records; \(then)")
        #expect(try await plan("id > 1") == "'where' leaves out 1 of 5 stored records; \(then)")
        #expect(try await plan("id > 0") == "full listing: the definition changed (where)")
        #expect(try await bench.keys().count == 5)
        bench.resource.schema = RecordSchema(
            transforms: RecordTransforms(condition: try RecordExpression("id > 4")))
        #expect(try await Self.agreed(bench).reason.hasPrefix("nothing now: 'where' would leave out 4 of 5"))
    }

    @Test func `the effect of a changed mark of deleted records is planned, and not done`() async throws {
        var bench = try await EngineBench()
        _ = try await bench.sync()
        let then = "then: full listing: the definition changed (deletes)"
        bench.resource.deletions = Deletions(mark: DeletionMark(JSONPath(member: "id")))
        let refused =
            "nothing now: 'deletes' would delete 5 of 5 stored records, which have the mark ($.id). That is more than "
        #expect(
            try await Self.agreed(bench).reason == "\(refused)deletes.max (10 %). To do it: --accept-deletes; \(then)")
        bench.resource.deletions.mark = DeletionMark(JSONPath(member: "id"), equals: "2")
        #expect(
            try await Self.plan(bench).reason
                == "'deletes' deletes 1 of 5 stored records, which have the mark ($.id = 2), when pages contain them; \(then)"
        )
        bench.resource.deletions.mark = DeletionMark(JSONPath(member: "gone"))
        #expect(try await Self.plan(bench).reason == "full listing: the definition changed (deletes)")
        #expect(try await bench.keys().count == 5)
    }

    @Test func `a source that asks for a wait is not requested, and the plan has the end of the wait`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.tooManyRequests, headerFields: [.retryAfter: "120"]))
        _ = try await bench.sync()
        let until = (bench.time.now + .seconds(120)).rfc3339
        for options in [SyncOptions(), SyncOptions(isFull: true), SyncOptions(limit: 3)] {
            let plan = try await Self.agreed(bench, options)
            #expect(plan.reason.hasPrefix("nothing now: the next try is from \(until) on, because "), "\(plan.reason)")
        }
        bench.time.advance(by: .seconds(120))
        #expect(try await Self.agreed(bench).reason.hasPrefix("nothing now") == false)
    }

    @Test func `a limit that is used up is reported, and so is the number of requests that it lets through`()
        async throws
    {
        var bench = try await EngineBench()
        bench.resource.source.limits = [
            try RateLimit("/posts/**", "2/h"), try RateLimit("/other", "9/h"), try RateLimit("**", "5000/h"),
        ]
        let first = try await Self.plan(bench)
        #expect(first.limits == ["at most 2/h for '/posts/**'", "at most 5000/h for '**'"])
        _ = try await bench.sync()
        let plan = try await Self.agreed(bench)
        let until = (bench.time.now + .seconds(3640)).rfc3339
        #expect(plan.reason.hasPrefix("nothing now: the limit '/posts/**' (2/h) is used up until \(until); then: "))
        bench.time.advance(by: .seconds(3590))
        #expect(try await Self.plan(bench).reason.hasPrefix("after a wait, as the limit '/posts/**' (2/h)"))
        bench.time.advance(by: .seconds(50))
        #expect(try await Self.agreed(bench).reason.contains("limit") == false)
    }
}
