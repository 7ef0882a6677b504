// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import SidingSynchronization
import Testing

@testable import Siding

/// A listing for each record of another resource.
@Suite(.timeLimit(.minutes(5))) struct FanOutTests {
    /// A bench whose origin has `count` posts, each with one comment, and the resource `comments` of it.
    private static func bench(
        posts count: Int,
        hold: @escaping @Sendable (String) async -> Void = { _ in }
    ) async throws -> EngineBench {
        let origin = ScriptedOrigin(hold: hold)
        let bench = try await EngineBench(origin)
        set(posts: 1...count, at: origin)
        for number in 1...count { origin.set("/posts/\(number)/comments", comment(of: number)) }
        return bench
    }

    private static func set(posts: ClosedRange<Int>, at origin: ScriptedOrigin) {
        let bodies = posts.map { #"{"id":\#($0),"note":""}"# }
        origin.set("/posts", .text("[\(bodies.joined(separator: ","))]"))
    }

    private static func comment(of post: Int) -> ScriptedAnswer {
        ScriptedOrigin.page("[\(post * 100)]")
    }

    private static func comments(
        of bench: EngineBench, _ parents: ForEach.Parents = .all, concurrency: Int = 3
    ) -> AnyResource {
        var comments = bench.resource
        (comments.name, comments.path) = ("comments", "/posts/{post}/comments")
        comments.forEach = ForEach(
            "posts", parents: parents, bind: ["post": JSONPath(member: "id")], concurrency: concurrency)
        return comments
    }

    private static func sync(
        _ resource: AnyResource, _ bench: EngineBench, _ options: SyncOptions = SyncOptions()
    ) async throws -> SyncReport {
        try await bench.engine().sync(resource, options: options)
    }

    /// The targets since the last look, without those of the parents.
    private static func asked(_ bench: EngineBench) -> [String] {
        bench.origin.takeTargets().filter { $0 != "/posts" }.sorted()
    }

    private static func targets(_ numbers: some Sequence<Int>) -> [String] {
        numbers.map { "/posts/\($0)/comments" }.sorted()
    }

    private static func state(_ bench: EngineBench) async throws -> ResourceState? {
        try await bench.store.resourceStates().first { $0.resource == "comments" }
    }

    @Test func `parents come first, and each is requested once`() async throws {
        let bench = try await Self.bench(posts: 7)
        let comments = Self.comments(of: bench)
        let reports = try await bench.engine().run([comments, bench.resource], command: "sync")
        #expect(reports.map(\.result.resource) == ["posts", "comments"])
        #expect(reports.map(\.result.outcome) == [.saved, .saved])
        #expect(reports[1].result.counters.inserted == 7 && reports[1].result.counters.requests == 7)
        #expect(reports[1].result.notes.first == "7 parents: 7 done")
        #expect(Self.asked(bench) == Self.targets(1...7))
        #expect(try await Self.state(bench)?.completedAt == bench.time.now)
        #expect(try await bench.lastRun().resources.map(\.counters.inserted) == [7, 7])
    }

    @Test func `without any stored parent it names the resource to sync first`() async throws {
        let bench = try await Self.bench(posts: 1)
        let report = try await Self.sync(Self.comments(of: bench), bench)
        #expect(report.result.outcome == .skipped)
        #expect(report.warnings == ["'posts' has no stored records yet: run 'siding sync posts' first"])
    }

    @Test func `one parent's failure is reported and passed over`() async throws {
        let bench = try await Self.bench(posts: 9)
        bench.origin.set("/posts/4/comments", .status(.notFound))
        bench.origin.set("/posts/6/comments", .text("{"))
        bench.origin.set("/posts/8/comments", .status(.internalServerError))
        let comments = Self.comments(of: bench, concurrency: 1)
        let report = try await bench.engine().run([bench.resource, comments], command: "sync")[1]
        #expect(report.result.outcome == .partial)
        #expect(report.result.notes.first == "9 parents: 6 done, 2 failed, 1 queued")
        #expect(report.warnings.count == 2)
        #expect(report.warnings[0].hasPrefix("'4' failed: ") && report.warnings[1].hasPrefix("'6' failed: "))
        #expect(report.result.counters.inserted == 6)
        #expect(try await bench.lastRun().outcome == .partial)
        #expect(try await bench.queue().map(\.url) == ["https://api.example.org/posts/8/comments"])
        #expect(try await Self.state(bench)?.completedAt == nil)
        _ = Self.asked(bench)

        // The pass stays open for what is queued, and what failed is tried again with it.
        bench.time.advance(by: .seconds(60))
        for number in [4, 6, 8] { bench.origin.set("/posts/\(number)/comments", Self.comment(of: number)) }
        let second = try await Self.sync(comments, bench)
        #expect(second.result.outcome == .saved)
        #expect(Self.asked(bench) == Self.targets([4, 6, 8]))
        #expect(try await bench.queue().allSatisfy { $0.state == .done })
        #expect(try await Self.state(bench)?.completedAt == bench.time.now)
    }

    @Test func `one parent that stays queued does not keep the others from their next pass`() async throws {
        let bench = try await Self.bench(posts: 3)
        bench.origin.set("/posts/2/comments", .status(.internalServerError))
        let comments = Self.comments(of: bench)
        _ = try await bench.engine().run([bench.resource, comments], command: "sync")
        #expect(Self.asked(bench) == Self.targets(1...3))
        #expect(try await Self.sync(comments, bench).result.outcome == .queued)
        #expect(Self.asked(bench) == Self.targets([2]))
        #expect(try await Self.sync(comments, bench).result.outcome == .queued)
        #expect(Self.asked(bench) == Self.targets(1...3))
    }

    @Test func `one parent whose answers always break off keeps the others waiting for a few tries only`() async throws
    {
        let bench = try await Self.bench(posts: 3)
        let cut = Failure(.truncated, phase: .answered)
        bench.origin.set("/posts/2/comments", .failure(cut))
        let comments = Self.comments(of: bench)
        _ = try await bench.engine().run([bench.resource, comments], command: "sync")
        #expect(Self.asked(bench) == Self.targets(1...3))
        for _ in 2...6 {
            bench.time.advance(by: .seconds(3_600))
            #expect(try await Self.sync(comments, bench).result.outcome == .queued)
        }
        #expect(Self.asked(bench).filter { $0 == "/posts/1/comments" }.count == 1)
    }

    private static let sourceFailures: [FailureCase] = [
        FailureCase(.noInternetConnection, .notSent), FailureCase(.cantConnectToHost(.refused), .notSent),
        FailureCase(.timeout(.connect), .notSent), FailureCase(.hostNotFound, .notSent),
        FailureCase(status: 429), FailureCase(status: 503),
    ]

    @Test(arguments: sourceFailures)
    func `a failure of the source stops the pass, and only parents in flight are queued`(
        _ failure: FailureCase
    ) async throws {
        let bench = try await Self.bench(posts: 40)
        for number in 11...40 { bench.origin.set("/posts/\(number)/comments", failure.answer) }
        let comments = Self.comments(of: bench)
        let report = try await bench.engine().run([bench.resource, comments], command: "sync")[1]
        #expect(report.result.outcome == .queued)
        #expect(report.result.error?.name == failure.recorded)
        let entries = try await bench.queue()
        #expect((1...3).contains(entries.count), "\(entries.count)")
        let first = Set(Self.asked(bench))
        #expect(first.count <= 13)

        bench.time.advance(by: .seconds(7200))
        for number in 11...40 { bench.origin.set("/posts/\(number)/comments", Self.comment(of: number)) }
        #expect(try await Self.sync(comments, bench).result.outcome == .saved)
        let second = Self.asked(bench)
        let saved = Set(first).subtracting(entries.map { String($0.url.dropFirst(23)) })
        #expect(Set(second).isDisjoint(with: saved))
        #expect(saved.count + second.count == 40)
        #expect(try await Self.state(bench)?.records == 40)
    }

    @Test func `an origin that fails for one after the other is left alone`() async throws {
        let bench = try await Self.bench(posts: 30)
        for number in 1...30 { bench.origin.set("/posts/\(number)/comments", .status(.badGateway)) }
        let report = try await bench.engine()
            .run([bench.resource, Self.comments(of: bench, concurrency: 1)], command: "sync")[1]
        #expect(report.result.outcome == .queued)
        #expect(Self.asked(bench).count == 5)
        #expect(try await bench.queue().count == 5)
    }

    @Test func `a refused credential stops the pass, and nothing is queued`() async throws {
        let bench = try await Self.bench(posts: 30)
        for number in 1...30 { bench.origin.set("/posts/\(number)/comments", .status(.unauthorized)) }
        let report = try await bench.engine().run([bench.resource, Self.comments(of: bench)], command: "sync")[1]
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.status == 401)
        #expect(Self.asked(bench).count <= 5)
        #expect(try await bench.queue() == [])
    }

    @Test func `where all parents fail the resource fails`() async throws {
        let bench = try await Self.bench(posts: 12)
        for number in 1...12 { bench.origin.set("/posts/\(number)/comments", .status(.notFound)) }
        let report = try await bench.engine().run([bench.resource, Self.comments(of: bench)], command: "sync")[1]
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.status == 404)
        #expect(report.warnings.count == 6 && report.warnings.last == "and 7 more like these")
    }

    @Test func `only changed, new and incomplete parents are requested`() async throws {
        let bench = try await Self.bench(posts: 5)
        let comments = Self.comments(of: bench, .changed)
        bench.origin.set("/posts/5/comments", .status(.notFound))
        let all = [bench.resource, comments]
        #expect(try await bench.engine().run(all, command: "sync")[1].result.outcome == .partial)
        _ = Self.asked(bench)
        bench.origin.set(
            "/posts", .text(#"[{"id":1,"note":""},{"id":2,"note":"new"},{"id":3,"note":""},{"id":6}]"#))
        for number in [5, 6] { bench.origin.set("/posts/\(number)/comments", Self.comment(of: number)) }
        let second = try await bench.engine().run(all, command: "sync")[1]
        #expect(Self.asked(bench) == Self.targets([2, 5, 6]))
        #expect(second.result.outcome == .saved)
        let third = try await bench.engine().run(all, command: "sync")[1]
        #expect(third.result.outcome == .notModified && third.result.notes == ["no parent is due"])
        #expect(Self.asked(bench) == [])
        _ = try await Self.sync(comments, bench, SyncOptions(isFull: true))
        #expect(Self.asked(bench) == Self.targets(1...6))
    }

    @Test func `parents are chosen by a member or by a statement`() async throws {
        let bench = try await Self.bench(posts: 6)
        _ = try await bench.sync()
        let path = JSONPath(member: "id")
        let filter = ForEach.Filter.members(.compare(path, .isGreater, .integer(4)))
        _ = try await Self.sync(Self.comments(of: bench, ForEach.Parents(filter: filter)), bench)
        #expect(Self.asked(bench) == Self.targets([5, 6]))
        let query = ForEach.Filter.query("SELECT id FROM posts WHERE id < 3")
        let report = try await Self.sync(Self.comments(of: bench, ForEach.Parents(filter: query)), bench)
        #expect(report.result.outcome == .saved && Self.asked(bench) == Self.targets([1, 2]))
        let wrong = ForEach.Filter.query("DELETE FROM siding_records")
        let refused = try await Self.sync(Self.comments(of: bench, ForEach.Parents(filter: wrong)), bench)
        #expect(refused.result.outcome == .failed && Self.asked(bench) == [])
        #expect(try await bench.keys().count == 6)
    }

    @Test func `a filter that matches none of the parents is reported, and one of which none is due is not`()
        async throws
    {
        let bench = try await Self.bench(posts: 6)
        let note = "'where' in 'for_each' fits none of the 6 records of 'posts'"
        let misspelt = ForEach.Filter.members(.compare(JSONPath(member: "Id"), .isGreater, .integer(0)))
        let some = ForEach.Filter.members(.compare(JSONPath(member: "id"), .isGreater, .integer(4)))
        let choices = [
            (misspelt, false, true), (misspelt, true, false), (some, false, false),
            (.query("SELECT id FROM posts WHERE id > 99"), false, true),
        ]
        // No parent is stored: that is another matter.
        let early = try await Self.sync(Self.comments(of: bench, ForEach.Parents(filter: misspelt)), bench)
        #expect(!early.result.notes.contains(note))
        _ = try await bench.sync()
        for (filter, areChanged, isTold) in choices {
            let parents = ForEach.Parents(areChanged: areChanged, filter: filter)
            for _ in 0..<2 {
                let report = try await Self.sync(Self.comments(of: bench, parents), bench)
                #expect(report.result.notes.contains(note) == isTold, "\(filter) \(report.result.notes)")
                #expect(report.warnings == [])
            }
        }
    }

    @Test func `parents without the values for a request are skipped, reported and counted`() async throws {
        let bench = try await Self.bench(posts: 2)
        bench.origin.set(
            "/posts",
            .text(
                #"[{"id":1,"n":"a/b"},{"id":2,"n":null},{"id":3},{"id":4,"n":{}},{"id":5,"n":".."},{"id":6,"n":""},{"id":7,"n":"é?#"}]"#
            ))
        for target in ["/posts/a%2Fb/comments", "/posts/%C3%A9%3F%23/comments"] {
            bench.origin.set(target, ScriptedOrigin.page("[1]"))
        }
        var comments = Self.comments(of: bench)
        comments.forEach?.bindings = ["post": JSONPath(member: "n")]
        let report = try await bench.engine().run([bench.resource, comments], command: "sync")[1]
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.first == "7 parents: 2 done, 5 skipped")
        #expect(report.warnings.contains("skipped '3': it has no $.n for {post}"))
        #expect(report.warnings.contains("skipped '2': $.n, for {post}, is null"))
        #expect(report.warnings.contains("skipped '4': $.n, for {post}, is no scalar"))
        #expect(report.warnings.contains("skipped '6': $.n, for {post}, is empty"))
        #expect(report.warnings.contains { $0.hasPrefix("skipped '5': '..' cannot stand for {post}") })
        #expect(Self.asked(bench) == ["/posts/%C3%A9%3F%23/comments", "/posts/a%2Fb/comments"])
        #expect(try await Self.state(bench)?.completedAt != nil)
    }

    @Test func `a limit is for all parents together, and leaves the pass alone`() async throws {
        let bench = try await Self.bench(posts: 9)
        _ = try await bench.sync()
        _ = Self.asked(bench)
        let comments = Self.comments(of: bench)
        let report = try await Self.sync(comments, bench, SyncOptions(limit: 4))
        #expect(report.result.counters.inserted == 4)
        #expect(Self.asked(bench) == Self.targets(1...4))
        #expect(try await Self.state(bench)?.pass == nil)
        _ = try await Self.sync(comments, bench)
        #expect(Self.asked(bench) == Self.targets(1...9))
    }

    @Test func `each listing has its own cursor and its own pages`() async throws {
        let bench = try await Self.bench(posts: 2)
        var comments = Self.comments(of: bench)
        comments.query = ["since": "{cursor}", "of": "{post}"]
        comments.cursor = IncrementalCursor(at: .record(JSONPath(member: "id")), type: .integer)
        bench.origin.set("/posts/1/comments?of=1", ScriptedOrigin.page("[10]", next: "/posts/1/comments?page=2"))
        bench.origin.set("/posts/1/comments?page=2", ScriptedOrigin.page("[11]"))
        bench.origin.set("/posts/2/comments?of=2", ScriptedOrigin.page("[5]"))
        bench.origin.set("/posts/1/comments?of=1&since=11", ScriptedOrigin.page("[]"))
        bench.origin.set("/posts/2/comments?of=2&since=5", ScriptedOrigin.page("[]"))
        #expect(try await bench.engine().run([bench.resource, comments], command: "sync")[1].result.outcome == .saved)
        #expect(Self.asked(bench).count == 3)
        #expect(try await bench.store.scopedCursors(of: "comments").map(\.value).sorted() == ["11", "5"])
        #expect(try await Self.sync(comments, bench).result.outcome == .saved)
        #expect(Self.asked(bench) == ["/posts/1/comments?of=1&since=11", "/posts/2/comments?of=2&since=5"])
    }

    @Test func `a sync that is cancelled releases its claims, and the next one continues`() async throws {
        let (arrived, never) = (Gatepost(), Gatepost())
        let isHeld = Mutex(true)
        let bench = try await Self.bench(posts: 8) { target in
            guard target == "/posts/5/comments", isHeld.withLock({ $0 }) else { return }
            arrived.open()
            await never.pass()
        }
        let comments = Self.comments(of: bench, concurrency: 1)
        _ = try await bench.sync()
        let task = Task { try await Self.sync(comments, bench) }
        await arrived.pass()
        task.cancel()
        let report = try await task.value
        #expect(report.result.outcome == .failed && report.failure?.reason == .cancelled)
        _ = Self.asked(bench)
        isHeld.withLock { $0 = false }
        #expect(try await Self.sync(comments, bench).result.outcome == .saved)
        #expect(Self.asked(bench) == Self.targets(5...8))
    }

    @Test func `the plan lists the due parents and the reason`() async throws {
        let bench = try await Self.bench(posts: 4)
        let comments = Self.comments(of: bench, .changed)
        let first = try await SyncPlan.make(for: comments, in: bench.store)
        #expect(first.reason == "nothing now: 'posts' has no stored records yet: its records are the parents")
        #expect(first.url == "https://api.example.org/posts/{post}/comments")
        bench.origin.set("/posts/3/comments", .status(.notFound))
        _ = try await bench.engine().run([bench.resource, comments], command: "sync")
        bench.origin.set("/posts", .text(#"[{"id":1},{"id":2,"note":""},{"id":5}]"#))
        _ = try await bench.sync()
        let plan = try await SyncPlan.make(for: comments, in: bench.store)
        #expect(plan.reason == "a new pass: 3 of 5 records of 'posts' (1 new, 1 changed, 1 not complete)")
        #expect(plan.fanOut?.outlook == ParentOutlook(all: 5, due: 3, new: 1, unfinished: 1, changed: 1))
        #expect(
            plan.fanOut?.urls == [1, 3, 5].map { "https://api.example.org/posts/\($0)/comments" })
    }
}
