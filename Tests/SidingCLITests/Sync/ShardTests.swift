// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingOrigin
import Testing

/// Stations that share the fetching of one origin, as processes.
@Suite struct ShardTests {
    /// The numbers of the issues whose comments a shard fetches.
    private static func own(_ shard: String, of count: Int = 40) -> [Int] {
        (1...count).filter { Shard(shard)?.owns(parent: "k\($0)", of: "comments") ?? false }
    }

    private static func targets(_ numbers: some Sequence<Int>) -> [String] {
        numbers.map { "/issues/\($0)/comments" }.sorted()
    }

    /// A config without a path of the database: each station has its own, in its state directory.
    private static func sandbox(_ tracker: Tracker, more: String = "") async throws -> Sandbox {
        let sandbox = try await Sandbox.with(tracker, more: more)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(config.replacing("database: { path: test.db }\n", with: ""))
        return sandbox
    }

    private static func station(_ name: String, in sandbox: Sandbox) -> [String: String] {
        ["STATE_DIRECTORY": sandbox.file("station-\(name)")]
    }

    private static func comments(_ station: [String: String], in sandbox: Sandbox) async throws -> [String] {
        let rows = try await sandbox.siding(
            "query", "--json", "SELECT id FROM comments ORDER BY id", environment: station)
        return try rows.objects().compactMap { $0["id"]?.string }
    }

    @Test func `four processes at once ask for each parent once, and have each record once`() async throws {
        let tracker = try await Tracker.start(issues: 40)
        let sandbox = try await Self.sandbox(tracker)
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for index in 1...4 {
                group.addTask {
                    try await sandbox.siding(
                        "sync", "--shard", "\(index)/4", environment: Self.station("\(index)", in: sandbox))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.status == 0 && $0.everything == "" }, "\(outcomes)")
        #expect(tracker.takeAsked() == Self.targets(1...40))
        var keys: [String] = []
        for index in 1...4 {
            let station = Self.station("\(index)", in: sandbox)
            let own = try await Self.comments(station, in: sandbox)
            #expect(own == Self.own("\(index)/4").map { "c-\($0)" }.sorted())
            keys += own
            #expect(try await sandbox.siding("db", "check", environment: station).status == 0)
            let runs = try await sandbox.siding("runs", "list", "--json", environment: station).objects()
            #expect(runs.first?["command"]?.string == "sync --shard \(index)/4")
        }
        #expect(keys.sorted() == (1...40).map { "c-\($0)" }.sorted())
        try await tracker.origin.stop()
    }

    @Test func `the environment names the shard, and the option comes before it`() async throws {
        let tracker = try await Tracker.start(issues: 40)
        let sandbox = try await Self.sandbox(tracker)
        var station = Self.station("a", in: sandbox)
        station["SIDING_SHARD"] = "2/4"
        #expect(try await sandbox.siding("sync", environment: station).status == 0)
        #expect(tracker.takeAsked() == Self.targets(Self.own("2/4")))
        var other = Self.station("b", in: sandbox)
        other["SIDING_SHARD"] = "2/4"
        #expect(try await sandbox.siding("sync", "--shard", "3/4", environment: other).status == 0)
        #expect(tracker.takeAsked() == Self.targets(Self.own("3/4")))
        // An empty one is none.
        var whole = Self.station("c", in: sandbox)
        whole["SIDING_SHARD"] = ""
        #expect(try await sandbox.siding("sync", environment: whole).status == 0)
        #expect(tracker.takeAsked() == Self.targets(1...40))
        try await tracker.origin.stop()
    }

    @Test(arguments: ["0/4", "5/4", "4", "four", "1/0", ""])
    func `what is no shard is a mistake of the command line`(_ text: String) async throws {
        let sandbox = try Sandbox()
        try sandbox.config(
            "version: 1\nsources: { s: { base_url: \"http://127.0.0.1:1\" } }\nresources: { posts: { path: /posts, key: id } }\n"
        )
        for command in [["sync"], ["queue", "run"], ["serve"], ["plan"]] {
            let outcome = try await sandbox.siding(command + ["--shard", text])
            #expect(outcome.status == 64, "\(command): \(outcome.everything)")
            let message = "--shard takes I/N with I from 1 to N, such as 2/4, and got '\(text)'"
            #expect(outcome.error.contains(message), "\(command): \(outcome.everything)")
            guard !text.isEmpty else { continue }
            let environment = try await sandbox.siding(command, environment: ["SIDING_SHARD": text])
            #expect(environment.status == 64, "\(command): \(environment.everything)")
            #expect(environment.error.contains("SIDING_SHARD takes I/N"), "\(command): \(environment.everything)")
        }
    }

    @Test func `a named resource of another shard is skipped with exit 0, so that cron lines are alike`() async throws {
        let tracker = try await Tracker.start(issues: 1)
        let sandbox = try await Self.sandbox(tracker, more: "  labels: { path: /issues, key: id }")
        let owner = try #require(Shard("1/4")).owner(of: "labels")
        let other = owner == 1 ? 2 : 1
        let station = Self.station("a", in: sandbox)
        let skipped = try await sandbox.siding(
            "sync", "labels", "--json", "--shard", "\(other)/4", environment: station)
        #expect(skipped.status == 0, "\(skipped.everything)")
        let object = try skipped.object()
        #expect(object["outcome"]?.string == "skipped")
        #expect(object["notes"]?.array?.first?.string == "shard \(owner) of 4 fetches it")
        let quiet = try await sandbox.siding("sync", "labels", "--shard", "\(other)/4", environment: station)
        #expect(quiet.status == 0 && quiet.everything == "")
        let plan = try await sandbox.siding("plan", "labels", "--shard", "\(other)/4", environment: station)
        #expect(plan.output.contains("labels: no request now") && !plan.output.contains("later:"), "\(plan.output)")
        #expect(try await sandbox.siding("sync", "labels", "--shard", "\(owner)/4", environment: station).status == 0)
        #expect(try await sandbox.siding("query", "SELECT id FROM labels", environment: station).status == 0)
        // Its age is the matter of its own station.
        let status = try await sandbox.siding(
            "status", "--json", environment: station.merging(["SIDING_SHARD": "\(other)/4"]) { own, _ in own })
        let shown = try status.object()["resources"]?.array?.compactMap { $0["resource"]?.string }
        #expect(shown == ["comments", "issues"], "\(status.everything)")
        try await tracker.origin.stop()
    }

    @Test func `a fifth station takes its part of the others: exit 4 until an operator accepts the deletions`()
        async throws
    {
        let tracker = try await Tracker.start(issues: 200)
        let sandbox = try await Self.sandbox(tracker)
        let station = Self.station("3", in: sandbox)
        let (before, after) = (Self.own("3/4", of: 200), Self.own("3/5", of: 200))
        #expect(before.count - after.count > 10)
        #expect(try await sandbox.siding("sync", "--shard", "3/4", environment: station).status == 0)
        let blocked = try await sandbox.siding("sync", "--shard", "3/5", environment: station)
        #expect(blocked.status == 4, "\(blocked.everything)")
        let hint = "To delete them: siding sync comments --shard 3/5 --accept-deletes"
        #expect(blocked.error.contains(hint), "\(blocked.everything)")
        #expect(try await Self.comments(station, in: sandbox).count == before.count)
        let accepted = try await sandbox.siding(
            "sync", "comments", "--shard", "3/5", "--accept-deletes", environment: station)
        #expect(accepted.status == 0, "\(accepted.everything)")
        #expect(try await Self.comments(station, in: sandbox) == after.map { "c-\($0)" }.sorted())
        #expect(try await sandbox.siding("db", "check", environment: station).status == 0)
        try await tracker.origin.stop()
    }

    @Test func `queue run neither fetches nor keeps the page of a parent that moved`() async throws {
        let tracker = try await Tracker.start(issues: 40)
        let sandbox = try await Self.sandbox(tracker)
        let station = Self.station("4", in: sandbox)
        let moved = try #require(Self.own("4/4").first { !Self.own("4/5").contains($0) })
        let failing = "/issues/\(moved)/comments"
        tracker.listen { _, target in target == failing ? .json("{}", status: .internalServerError) : nil }
        #expect(try await sandbox.siding("sync", "--shard", "4/4", environment: station).status == 75)
        tracker.listen(nil)
        _ = tracker.takeAsked()
        let queued = try await sandbox.siding("queue", "list", "--json", environment: station).objects()
        #expect(queued.count == 1)
        let entry = try #require(queued.first?["id"]?.string)
        // A retry asks at once; the shard of commands without the option is that of the environment.
        let retried = try await sandbox.siding(
            "queue", "retry", entry, environment: station.merging(["SIDING_SHARD": "4/5"]) { own, _ in own })
        #expect(retried.status == 0, "\(retried.everything)")
        #expect(!tracker.takeAsked().contains(failing))
        #expect(try await sandbox.siding("queue", "list", "--json", environment: station).output == "")
        let run = try await sandbox.siding("queue", "run", "--shard", "4/5", environment: station)
        #expect(run.status == 0, "\(run.everything)")
        try await tracker.origin.stop()
    }

    @Test func `serve fetches the comments of its own issues`() async throws {
        let tracker = try await Tracker.start(issues: 40)
        let sandbox = try await Self.sandbox(tracker)
        let station = Self.station("2", in: sandbox)
        let seen = Tally()
        tracker.listen { _, _ in
            seen.note("asked")
            return nil
        }
        let own = Self.own("2/4")
        let ended = try await sandbox.serve("--shard", "2/4", environment: station) { _ in
            try await seen.reaches(own.count, "asked")
            while try await Self.comments(station, in: sandbox).count < own.count {}
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(ended.error.contains("shard=2/4"), "\(ended.error)")
        #expect(tracker.takeAsked() == Self.targets(own))
        try await tracker.origin.stop()
    }
}
