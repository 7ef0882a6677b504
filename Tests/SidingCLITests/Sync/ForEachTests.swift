// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// One listing for each record of another resource, from the command line.
@Suite struct ForEachTests {
    private static func comments(_ numbers: some Sequence<Int>) -> [String] {
        numbers.map { "/issues/\($0)/comments" }.sorted()
    }

    private static func issues(_ states: [String], at moments: [Int]) -> [String] {
        zip(states, moments).enumerated().map { index, issue in
            #"{"id":"k\#(index + 1)","number":\#(index + 1),"state":"\#(issue.0)","at":\#(issue.1)}"#
        }
    }

    @Test func `sync lists the comments of each issue, and the view has the issue of each comment`() async throws {
        let tracker = try await Tracker.start(issues: 12)
        let sandbox = try await Sandbox.with(tracker)
        let first = try await sandbox.siding("sync", "--json")
        #expect(first.status == 0, "\(first.everything)")
        let lines = try first.objects()
        #expect(lines.map { $0["resource"]?.string } == ["issues", "comments"])
        #expect(lines[1]["inserted"]?.int == 12 && lines[1]["requests"]?.int == 12)
        #expect(lines[1]["notes"]?.array?.first?.string == "12 parents: 12 done")
        #expect(tracker.takeAsked() == Self.comments(1...12))
        let joined = try await sandbox.siding(
            "query", "--json",
            "SELECT i.number, c.id FROM comments c JOIN issues i ON i.id = c.siding_parent ORDER BY i.number")
        #expect(
            try joined.objects().compactMap { $0["id"]?.string } == (1...12).map { "c-\($0)" }, "\(joined.everything)")

        // A second pass asks on condition, and writes nothing.
        let second = try await sandbox.siding("sync", "comments", "--json").object()
        #expect(second["outcome"]?.string == "not_modified")
        #expect(second["not_modified"]?.int == 12)
        #expect(try await sandbox.siding("db", "check").status == 0)
        try await tracker.origin.stop()
    }

    @Test func `records that are missing but kept are reported where all else is silent`() async throws {
        let tracker = try await Tracker.start(issues: 3)
        let sandbox = try await Sandbox.with(tracker)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(
            config.replacing("    key: id\n", with: "    key: id\n    deletes: { detect: complete_listing }\n"))
        for _ in 0..<2 { #expect(try await sandbox.siding("sync").everything == "") }
        tracker.listen { _, target in
            switch target {
            case "/issues/1/comments": .json("[]")
            case "/issues/2/comments": .json("{}", status: .forbidden)
            default: nil
            }
        }
        let outcome = try await sandbox.siding("sync", "comments")
        #expect(outcome.status == 3)
        #expect(outcome.output == "")
        #expect(
            outcome.error.contains("missing from all listings but"), "\(outcome.everything)")
        #expect(
            outcome.error.contains("1 listing was not completed in this pass"),
            "\(outcome.everything)")
        #expect(!(try await sandbox.siding("sync", "comments", "--quiet").everything.contains("missing from all")))
        try await tracker.origin.stop()
    }

    @Test func `a pass requests as many parents at once as concurrency allows, and no more`() async throws {
        let tracker = try await Tracker.start(issues: 60)
        let sandbox = try await Sandbox.with(tracker, each: "concurrency: 3")
        let arrived = Mutex(0)
        let together = Latch()
        tracker.listen { number, _ in
            guard number <= 3 else { return nil }
            let count = arrived.withLock { count -> Int in
                count += 1
                return count
            }
            if count == 3 { together.open() }
            try? await together.wait()
            return nil
        }
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(tracker.mostAtOnce == 3)
        #expect(tracker.takeAsked() == Self.comments(1...60))
        try await tracker.origin.stop()
    }

    private static let kills = Proof.choose(
        short: [1, 20, 59], middle: [1, 2, 67, 149, 150], long: [1, 2, 137, 500, 999, 1_000])

    @Test(arguments: kills)
    func `after kill -9 in a pass, only the parents in flight are requested twice`(at kill: Int) async throws {
        let count = Proof.choose(short: 60, middle: 150, long: 1_000)
        let tracker = try await Tracker.start(issues: count)
        let sandbox = try await Sandbox.with(tracker)
        let child = Promise<Child>()
        tracker.listen { number, _ in
            if number == kill { try? await child.value().send(SIGKILL) }
            return nil
        }
        let killed = try await sandbox.siding(["sync"]) { child.fulfil($0) }
        #expect(killed.status == 137)
        tracker.listen(nil)
        try await tracker.cutConnections()
        let before = tracker.takeAsked()
        let second = try await sandbox.siding(["sync", "comments", "--json"], limit: .seconds(300))
        #expect(second.status == 0, "\(second.everything)")
        let after = tracker.takeAsked()
        #expect(Set(before).union(after) == Set(Self.comments(1...count)))
        #expect(Set(after).count == after.count)
        #expect(Set(before).intersection(after).count <= 4, "\(Set(before).intersection(after))")
        #expect(try await sandbox.count("comments") == count)
        #expect(try await sandbox.siding("db", "check").status == 0)
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        try await tracker.origin.stop()
    }

    @Test func `failed parents are named, the rest is saved, exit 3; then only they are requested`() async throws {
        let tracker = try await Tracker.start(issues: 20)
        let sandbox = try await Sandbox.with(tracker, each: "where: changed")
        tracker.listen { _, target in
            ["/issues/7/comments", "/issues/11/comments"].contains(target) ? .notFound : nil
        }
        let first = try await sandbox.siding("sync")
        #expect(first.status == 3)
        #expect(first.error.contains("comments: 'k7' failed: ") && first.error.contains("404"), "\(first.error)")
        #expect(try await sandbox.count("comments") == 18)
        _ = tracker.takeAsked()
        tracker.listen(nil)
        let plan = try await sandbox.siding("plan", "comments", "--json").object()
        #expect(plan["for_each"]?.members?["due"]?.int == 2)
        #expect(plan["for_each"]?.members?["unfinished"]?.int == 2)
        #expect(plan["url"]?.string?.hasSuffix("/issues/11/comments") == true)
        #expect(try await sandbox.siding("sync", "--failed").status == 0)
        #expect(tracker.takeAsked() == Self.comments([7, 11]))
        let quiet = try await sandbox.siding("plan", "comments")
        #expect(
            quiet.output.hasPrefix("comments: no request now\n    because: nothing now: no parent is due: "))
        #expect(!quiet.output.contains("GET"), "\(quiet.output)")
        // Only what changes is asked about from now on.
        var issues = (1...20).map { #"{"id":"k\#($0)","number":\#($0),"state":"open"}"# }
        issues[4] = #"{"id":"k5","number":5,"state":"closed"}"#
        tracker.set(issues)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(tracker.takeAsked() == Self.comments([5]))
        try await tracker.origin.stop()
    }

    @Test func `of the parents that a member chooses, the changed ones are requested`() async throws {
        let tracker = try await Tracker.start(issues: [])
        let sandbox = try await Sandbox.with(tracker, each: "where: { path: $.state, equals: open, changed: true }")
        tracker.set(Self.issues(["open", "closed", "open", "closed"], at: [1, 1, 1, 1]))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(tracker.takeAsked() == Self.comments([1, 3]))
        // One that is open and did not change, one that is closed and did, one that is open and did, one that is now.
        tracker.set(Self.issues(["open", "closed", "open", "open"], at: [1, 2, 2, 2]))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(tracker.takeAsked() == Self.comments([3, 4]))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(tracker.takeAsked() == [])
        try await tracker.origin.stop()
    }

    @Test func `an origin that asks for a wait stops the pass: a few parents are queued, exit 75`() async throws {
        let tracker = try await Tracker.start(issues: 100)
        let sandbox = try await Sandbox.with(tracker)
        tracker.listen { number, _ in
            number <= 30
                ? nil
                : OriginResponse.json("{}", status: .tooManyRequests, headerFields: [.retryAfter: "3600"])
        }
        let first = try await sandbox.siding("sync")
        #expect(first.status == 75, "\(first.everything)")
        let queued = try await sandbox.siding("queue", "list", "--json").objects()
        #expect((1...4).contains(queued.count))
        #expect(tracker.takeAsked().count <= 34)
        #expect(try await sandbox.siding("status", "--json").object()["resources"] != nil)
        #expect(try await sandbox.siding("status").output.contains("stopped half-way"))
        // The gate is closed: nothing goes out, and nothing more is queued than fits at once.
        #expect(try await sandbox.siding("sync", "comments").status == 75)
        #expect(tracker.takeAsked() == [])
        #expect(try await sandbox.siding("queue", "list", "--json").objects().count <= 8)
        try await tracker.origin.stop()
    }

    @Test func `offline, only the parents in flight are queued; the next sync continues there`() async throws {
        let tracker = try await Tracker.start(issues: 50)
        let sandbox = try await Sandbox.with(tracker)
        #expect(try await sandbox.siding("sync", "issues").status == 0)
        #expect(try await sandbox.siding("sync", "comments", "--offline").status == 75)
        let queued = try await sandbox.siding("queue", "list", "--json").objects()
        #expect((1...4).contains(queued.count))
        #expect(Set(queued.compactMap { $0["lane"]?.string }).count == queued.count)
        #expect(try await sandbox.siding("sync", "comments").status == 0)
        #expect(tracker.takeAsked() == Self.comments(1...50))
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        try await tracker.origin.stop()
    }

    @Test func `a fan-out may have a fan-out as its parent`() async throws {
        let tracker = try await Tracker.start(issues: 5)
        let reactions = """
              reactions:
                for_each: { resource: comments, bind: { comment: $.id } }
                path: /comments/{comment}/reactions
                key: id
            """
        let sandbox = try await Sandbox.with(tracker, more: reactions)
        let outcome = try await sandbox.siding("sync", "--json")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(try outcome.objects().compactMap { $0["resource"]?.string } == ["issues", "comments", "reactions"])
        let rows = try await sandbox.siding(
            "query", "--json",
            "SELECT r.id, c.siding_parent AS issue FROM reactions r JOIN comments c ON c.id = r.siding_parent ORDER BY 2"
        )
        #expect(try rows.objects().compactMap { $0["issue"]?.string } == (1...5).map { "k\($0)" }, "\(rows.everything)")
        try await tracker.origin.stop()
    }

    @Test func `a bound value may stand in the body of a search`() async throws {
        let asked = Mutex<[String]>([])
        let origin = try await Origin.start { request in
            guard request.method == "POST" else { return .json(#"[{"id":"a\"b"},{"id":"c"}]"#) }
            let number = asked.withLock { asked in
                asked.append(String(decoding: request.body, as: UTF8.self))
                return asked.count
            }
            return .json(#"[{"id":\#(number)}]"#)
        }
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { here: { base_url: "\(origin.url.origin)" } }
            resources:
              teams: { path: /teams, key: id }
              members:
                path: /search
                method: POST
                key: id
                for_each: { resource: teams, bind: { team: $.id }, concurrency: 1 }
                body: { team: "{team}", limit: 5 }
            """)
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0, "\(sync.everything)")
        let bodies = asked.withLock { $0 }.sorted()
        #expect(bodies == [#"{"limit":5,"team":"a\"b"}"#, #"{"limit":5,"team":"c"}"#])
        #expect(try await sandbox.count("members") == 2)
        await origin.stop()
    }

    @Test func `keys and values of any kind lead to their own listing`() async throws {
        let long = String(repeating: "x", count: 3_000)
        let names = ["a/b", "..%2f", "é ü", "?q#f", "'; DROP TABLE x", "{number}", "\\u0007", "100%", long]
        let issues = names.map { #"{"id":"\#($0)","number":"\#($0)"}"# } + [#"{"id":"","number":"e"}"#]
        let tracker = try await Tracker.start(issues: issues)
        let sandbox = try await Sandbox.with(tracker)
        let first = try await sandbox.siding("sync", "--json")
        // An empty text is no key: the last issue is quarantined.
        #expect(first.status == 3, "\(first.everything)")
        #expect(try await sandbox.count("issues") == names.count)
        #expect(try await sandbox.count("comments") == names.count)
        let asked = tracker.takeAsked()
        #expect(asked.count == names.count && asked.contains("/issues/a%2Fb/comments"))
        #expect(asked.contains("/issues/%7Bnumber%7D/comments"))
        #expect(!first.hasControlCharacters)
        let second = try await sandbox.siding("sync", "comments", "--json").object()
        #expect(second["not_modified"]?.int == names.count)
        #expect(try await sandbox.siding("db", "check").status == 0)
        try await tracker.origin.stop()
    }

    @Test func `a deleted parent is no longer requested, and the state of its listing is deleted`() async throws {
        let tracker = try await Tracker.start(issues: 3)
        let sandbox = try await Sandbox.with(tracker)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.sqlite(
            sandbox.file("test.db"), "UPDATE siding_records_issues SET deleted_at = 1 WHERE key = 'k2'")
        _ = tracker.takeAsked()
        #expect(try await sandbox.siding("sync", "comments").status == 0)
        #expect(tracker.takeAsked() == Self.comments([1, 3]))
        let scopes = try await sandbox.sqlite(
            sandbox.file("test.db"), "SELECT scope FROM siding_listings WHERE scope <> '' ORDER BY scope")
        #expect(scopes.lines == ["k1", "k3"])
        #expect(try await sandbox.count("comments") == 3)
        try await tracker.origin.stop()
    }

    @Test func `a resource that becomes one per record, and one that no longer is`() async throws {
        let tracker = try await Tracker.start(issues: 3)
        let sandbox = try await Sandbox.with(tracker)
        let url = try await tracker.origin.url.origin
        let plain = """
            version: 1
            database: { path: test.db }
            sources: { tracker: { base_url: \(url) } }
            resources:
              issues: { path: /issues, key: id }
              comments: { path: /issues/1/comments, key: id }
            """
        try sandbox.config(plain)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.config(of: tracker)
        #expect(try await sandbox.siding("sync").status == 0)
        let parents = try await sandbox.siding("query", "--json", "SELECT siding_parent AS p FROM comments ORDER BY 1")
        #expect(try parents.objects().compactMap { $0["p"]?.string } == ["k1", "k2", "k3"], "\(parents.everything)")
        try sandbox.config(plain)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("query", "SELECT siding_parent FROM comments").status != 0)
        #expect(try await sandbox.siding("db", "check").status == 0)
        try await tracker.origin.stop()
    }

    @Test func `state shows how many cursors there are, and forgets them all`() async throws {
        let tracker = try await Tracker.start(issues: 4)
        let sandbox = try await Sandbox.with(tracker)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(
            config.replacing(
                "    key: id\n",
                with: "    key: id\n    query: { since: \"{cursor}\" }\n    cursor: { path: $.id, type: text }\n"))
        #expect(try await sandbox.siding("sync").status == 0)
        let shown = try await sandbox.siding("state", "show", "comments")
        #expect(shown.output.contains("4 cursors, the oldest c-"), "\(shown.everything)")
        let object = try await sandbox.siding("state", "show", "comments", "--json").object()
        #expect(object["cursors"]?.array?.count == 4)
        #expect(try await sandbox.siding("state", "set", "comments", "x").status == 64)
        #expect(try await sandbox.siding("state", "reset", "comments").status == 0)
        _ = tracker.takeAsked()
        #expect(try await sandbox.siding("sync", "comments").status == 0)
        #expect(tracker.takeAsked() == Self.comments(1...4))
        try await tracker.origin.stop()
    }
}
