// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Fan-out passes in which one parent after the other is refused.
@Suite(.timeLimit(.minutes(5))) struct RefusedParentsTests {
    /// 50 posts, of which each has comments of its own.
    private struct Blog {
        var bench: EngineBench
        var comments: AnyResource
        let all = Array(1...50)

        init(concurrency: Int = 1) async throws {
            let origin = ScriptedOrigin()
            bench = try await EngineBench(origin)
            comments = bench.resource
            (comments.name, comments.path) = ("comments", "/posts/{post}/comments")
            comments.forEach = ForEach(
                "posts", parents: .all, bind: ["post": JSONPath(member: "id")], concurrency: concurrency)
            origin.set("/posts", ScriptedOrigin.page("[\(all.map(String.init).joined(separator: ","))]"))
            answer(all)
            #expect(try await bench.sync().result.outcome == .saved)
            _ = origin.takeTargets()
        }

        func answer(_ posts: [Int]) {
            for post in posts { bench.origin.set("/posts/\(post)/comments", ScriptedOrigin.page("[\(post * 100)]")) }
        }

        func refuse(_ posts: [Int], _ answer: (Int) -> ScriptedAnswer) {
            for post in posts { bench.origin.set("/posts/\(post)/comments", answer(post)) }
        }

        /// The report of a sync, and the posts whose comments it asked for, in their order.
        func sync(_ options: SyncOptions = SyncOptions()) async throws -> (report: SyncReport, asked: [Int]) {
            let report = try await bench.engine().sync(comments, options: options)
            let asked = bench.origin.takeTargets().compactMap { target in
                target.split(separator: "/").dropFirst().first.flatMap { Int($0) }
            }
            return (report, asked)
        }

        func state() async throws -> ResourceState? {
            try await bench.store.resourceStates().first { $0.resource == "comments" }
        }
    }

    /// Refusals that say nothing of one parent.
    static let refusals: [ScriptedAnswer] = [
        .status(.forbidden), .text(#"{"message":"Resource not accessible by integration"}"#, status: .forbidden),
        .text(#"{"message":"API version 3 is gone"}"#, status: .badRequest),
        .text(#"{"fields":{"page":["required"]}}"#, status: .badRequest), .status(.methodNotAllowed),
        .text("<h1>Payment Required</h1>", status: .init(code: 402)), .status(.notImplemented),
        .text("no", status: .unavailableForLegalReasons, headerFields: [.contentType: "text/plain"]),
    ]

    @Test(arguments: [500, 503, 429, 401, 404])
    func `one parent that always fails keeps the others from no more than three syncs in a row`(_ status: Int)
        async throws
    {
        let blog = try await Blog()
        blog.refuse([25]) { _ in .status(.init(code: status)) }
        var asked: [[Int]] = []
        for _ in 0..<12 {
            asked.append(try await blog.sync().asked)
            blog.bench.time.advance(by: .seconds(120))
        }
        for post in [1, 24, 26, 50] {
            let pauses = asked.split { $0.contains(post) }.map(\.count)
            #expect((pauses.max() ?? 0) <= 3, "\(post): \(asked.map(\.count))")
            #expect(asked.count { $0.contains(post) } >= 3)
        }
        #expect(asked.allSatisfy { $0.count { $0 == 25 } <= 1 }, "\(asked)")
    }

    @Test(arguments: ["86400", "604800"])
    func `one that asks to be left alone for days keeps the others from their turn for two of them`(_ wait: String)
        async throws
    {
        let blog = try await Blog()
        blog.refuse([25]) { _ in .text("", status: .tooManyRequests, headerFields: [.retryAfter: wait]) }
        var asked: [[Int]] = []
        for _ in 0..<12 {
            asked.append(try await blog.sync().asked)
            blog.bench.time.advance(by: .seconds(25 * 3_600))
        }
        for post in [1, 24, 26, 50] {
            let pauses = asked.split { $0.contains(post) }.map(\.count)
            #expect((pauses.max() ?? 0) <= 3, "\(post): \(asked.map(\.count))")
        }
    }

    @Test func `a page on hold stays in the queue, also where its parent's turn comes while the origin asks to wait`()
        async throws
    {
        var blog = try await Blog()
        blog.comments.forEach = ForEach("posts", parents: .changed, bind: ["post": JSONPath(member: "id")])
        blog.refuse([25]) { _ in .status(.internalServerError) }
        #expect(try await blog.sync().report.result.outcome == .queued)
        let held = try await blog.bench.store.perform(.hold, on: QueueSelection())
        #expect(held.map(\.entry.resource) == ["comments"])
        // The pass ends, as nothing but the page on hold is left of it.
        _ = try await blog.sync()
        let wait = ScriptedAnswer.text("", status: .tooManyRequests, headerFields: [.retryAfter: "7200"])
        blog.bench.origin.set("/posts", wait)
        #expect(try await blog.bench.sync().result.outcome == .queued)
        for _ in 0..<3 {
            _ = try await blog.sync()
            let entry = try await blog.bench.store.entries(QueueSelection()).first { $0.resource == "comments" }
            #expect(entry?.state == .parked && entry?.reason == .held)
            blog.bench.time.advance(by: .seconds(60))
        }
    }

    @Test(arguments: refusals.indices)
    func `five equal refusals in a row end the pass, and the next sync begins with the parents not requested`(
        _ index: Int
    ) async throws {
        let blog = try await Blog()
        blog.refuse(blog.all) { _ in Self.refusals[index] }
        for turn in 0..<10 {
            let (report, asked) = try await blog.sync()
            #expect(asked == Array((turn * 5 + 1)...(turn * 5 + 5)), "turn \(turn)")
            #expect(report.result.outcome == .failed)
            let left = "\(45 - turn * 5) parents were not asked, as 5 in a row were refused in the same way"
            #expect(report.warnings.last == left || turn == 9, "\(report.warnings)")
        }
        // The pass has asked each of them, so another one begins.
        #expect(try await blog.sync().asked == Array(1...5))
        #expect(try await blog.bench.queue() == [])
        #expect(try await blog.bench.store.gates() == [])
        #expect(try await blog.state()?.completedAt == nil)
    }

    @Test func `the origin's message is reported`() async throws {
        let blog = try await Blog()
        blog.refuse(blog.all) { _ in .text(#"{"message":"Not for robots"}"#, status: .forbidden) }
        let report = try await blog.sync().report
        #expect(report.result.error?.message.contains("403 Forbidden") == true)
        #expect(report.result.error?.message.contains("Not for robots") == true)
        #expect(report.result.notes.first == "5 parents: 5 failed; the next sync continues there")
    }

    @Test func `a pass that ended so continues with the others, then with the refused ones`() async throws {
        let blog = try await Blog()
        blog.refuse(blog.all) { _ in .status(.forbidden) }
        #expect(try await blog.sync().asked == Array(1...5))
        let plan = try await SyncPlan.make(for: blog.comments, in: blog.bench.store, now: blog.bench.time.now)
        #expect(plan.fanOut?.urls.first == "https://api.example.org/posts/6/comments")
        blog.answer(blog.all)
        let (report, asked) = try await blog.sync()
        #expect(asked == Array(6...50) + Array(1...5))
        #expect(report.result.outcome == .saved)
        #expect(try await blog.state()?.completedAt == blog.bench.time.now)
    }

    @Test func `parents that are refused for good do not keep the others waiting`() async throws {
        let blog = try await Blog()
        blog.refuse(Array(1...7)) { _ in .status(.forbidden) }
        #expect(try await blog.sync().asked == Array(1...5))
        let (report, asked) = try await blog.sync()
        #expect(asked == Array(6...50) + Array(1...5))
        #expect(report.result.outcome == .partial)
        #expect(try await blog.state()?.records == 43)
    }

    @Test func `the pass ends once every parent was requested, or has no values for a request`() async throws {
        var blog = try await Blog()
        blog.comments.forEach = ForEach(
            "posts", parents: .all, bind: ["post": JSONPath(member: "number")], concurrency: 1)
        let posts = blog.all.map { $0 == 20 ? #"{"id":20}"# : #"{"id":\#($0),"number":\#($0)}"# }
        blog.bench.origin.set("/posts", .text("[\(posts.joined(separator: ","))]"))
        #expect(try await blog.bench.sync().result.outcome == .saved)
        _ = blog.bench.origin.takeTargets()
        // The listing of 30 stays open at its second page.
        let second = "/posts/30/comments?page=2"
        blog.bench.origin.set("/posts/30/comments", ScriptedOrigin.page("[3000]", next: second))
        blog.bench.origin.set(second, .status(.forbidden))
        blog.refuse(Array(1...5)) { _ in .status(.forbidden) }
        let first = try await blog.sync()
        #expect(first.asked == Array(1...5))
        #expect(first.report.warnings.last?.hasPrefix("45 parents were not asked") == true)
        let (report, asked) = try await blog.sync()
        #expect(asked == Array(6...19) + Array(21...30) + Array(30...50) + Array(1...5))
        #expect(!report.warnings.contains { $0.contains("not asked") }, "\(report.warnings)")
        #expect(try await blog.state()?.pass?.isOpen == false)
        // The next pass asks for what the others have since.
        #expect(try await blog.sync().asked == Array(1...5))
        blog.bench.origin.set("/posts/50/comments", ScriptedOrigin.page("[5000,5001]"))
        #expect(try await blog.sync().report.result.counters.inserted == 1)
    }

    @Test func `the refusal of a later page is about one parent`() async throws {
        let blog = try await Blog()
        for post in blog.all {
            let second = "/posts/\(post)/comments?page=2"
            blog.bench.origin.set("/posts/\(post)/comments", ScriptedOrigin.page("[\(post * 100)]", next: second))
            blog.bench.origin.set(second, .status(.forbidden))
        }
        #expect(try await blog.sync().asked == blog.all.flatMap { [$0, $0] })
        #expect(try await blog.state()?.records == 50)
        #expect(try await blog.state()?.pass?.isOpen == false)
    }

    @Test func `a success in between restarts the count`() async throws {
        let blog = try await Blog()
        blog.refuse(blog.all.filter { $0 % 5 != 0 }) { _ in .status(.forbidden) }
        let (report, asked) = try await blog.sync()
        #expect(asked == blog.all)
        #expect(report.result.outcome == .partial)
    }

    @Test func `listings that run side by side end as well`() async throws {
        let blog = try await Blog(concurrency: 4)
        blog.refuse(blog.all) { _ in .status(.forbidden) }
        let asked = try await blog.sync().asked
        #expect((5...8).contains(asked.count), "\(asked)")
    }

    @Test(arguments: [
        HTTPResponse.Status.notFound, .gone, .conflict, .preconditionFailed, .unprocessableContent,
    ])
    func `a refusal of one record does not count for the others`(_ status: HTTPResponse.Status) async throws {
        let blog = try await Blog()
        blog.refuse(blog.all) { _ in .text(#"{"message":"no"}"#, status: status) }
        #expect(try await blog.sync().asked == blog.all)
    }

    @Test func `refusals with other messages, and those that a rule decides, are not counted`() async throws {
        var blog = try await Blog()
        blog.refuse(blog.all) { .text(#"{"message":"you may not see post \#($0)"}"#, status: .forbidden) }
        #expect(try await blog.sync().asked == blog.all)
        blog.refuse(blog.all) { _ in .status(.forbidden) }
        blog.comments.source.failureRules = [
            try FailureRule(when: .answer(FailureRule.Answer(statuses: [403])), do: .fail)
        ]
        #expect(try await blog.sync().asked == blog.all)
    }

    @Test func `an ad-hoc listing ends, too, and reports the number of parents left`() async throws {
        let blog = try await Blog()
        blog.refuse(blog.all) { _ in .status(.forbidden) }
        let (report, asked) = try await blog.sync(SyncOptions(limit: 10))
        #expect(asked == Array(1...5))
        #expect(report.warnings.last?.hasPrefix("45 parents were not asked") == true, "\(report.warnings)")
    }
}
