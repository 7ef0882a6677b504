// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Stations that share the fetching of one origin.
@Suite struct ShardSyncTests {
    private static let shards = (1...4).map { "\($0)/4" }

    @Test func `four stations ask for each parent once, and have every record once`() async throws {
        let origin = Station.origin()
        var (asked, keys): ([String], [Int]) = ([], [])
        for shard in Self.shards {
            let station = try await Station(origin)
            let report = try await station.sync(shard)
            let own = Station.own(shard)
            #expect(report.result.outcome == .saved && report.warnings == [])
            #expect(report.result.notes.first == "\(own.count) parents: \(own.count) done")
            #expect(try await station.bench.keys().count == 40)
            let targets = station.asked()
            #expect(targets == Station.targets(own))
            asked += targets
            keys += try await station.keys()
            let state = try await station.bench.store.resourceStates().first { $0.resource == "comments" }
            #expect(state?.completedAt == station.bench.time.now && state?.pass?.isOpen == false)
        }
        #expect(asked.sorted() == Station.targets(Station.posts))
        #expect(keys.sorted() == Station.comments(of: Station.posts))
    }

    @Test func `each resource with one listing is fetched by one station, and skipped by the others`() async throws {
        let origin = Station.origin()
        let names = ["a", "b", "c", "d", "e", "f"]
        for name in names { origin.set("/\(name)", ScriptedOrigin.page("[1]")) }
        var asked: [String] = []
        for (index, shard) in Self.shards.enumerated() {
            var station = try await Station(origin)
            station.more = names.map { AnyResource($0, from: station.comments.source, at: "/\($0)", key: "id") }
            let reports = try await station.run(shard).suffix(names.count)
            let own = station.asked().filter { !$0.hasPrefix("/posts") }
            asked += own
            for (name, report) in zip(names, reports) {
                let owner = try #require(Shard("1/4")).owner(of: name)
                #expect(own.contains("/\(name)") == (owner == index + 1))
                #expect(report.result.outcome == (owner == index + 1 ? .saved : .skipped))
                guard owner != index + 1 else { continue }
                #expect(report.result.notes == ["shard \(owner) of 4 fetches it"] && report.warnings == [])
            }
        }
        #expect(asked.sorted() == names.map { "/\($0)" })
    }

    @Test func `a resource that moved to another shard is named with the command that removes its records`()
        async throws
    {
        let origin = Station.origin()
        origin.set("/a", ScriptedOrigin.page("[1]"))
        var station = try await Station(origin)
        station.more = [AnyResource("a", from: station.comments.source, at: "/a", key: "id")]
        try await station.run(nil)
        // "a" belongs to the second of four.
        let report = try #require(try await station.run("1/4").last)
        #expect(report.result.outcome == .skipped)
        #expect(
            report.warnings == [
                "shard 2 of 4 fetches it now, and the records in this file stay as they are: 'siding records forget a' "
                    + "removes them"
            ])
        #expect(try await station.run("2/4").last?.result.outcome != .skipped)
    }

    @Test func `a fan-out whose records are parents too is listed by every station, and the next one is shared`()
        async throws
    {
        let origin = Station.origin()
        for comment in Station.comments(of: Station.posts) {
            origin.set("/comments/\(comment)/reactions", ScriptedOrigin.page("[\(comment)]"))
        }
        var reacted: [String] = []
        for shard in Self.shards {
            var station = try await Station(origin)
            var reactions = station.bench.resource
            (reactions.name, reactions.path) = ("reactions", "/comments/{comment}/reactions")
            reactions.forEach = ForEach("comments", bind: ["comment": JSONPath(member: "id")])
            station.more = [reactions]
            try await station.run(shard)
            #expect(try await station.keys() == Station.comments(of: Station.posts))
            reacted += station.asked().filter { $0.hasSuffix("/reactions") }
        }
        #expect(reacted.count == 200 && Set(reacted).count == 200)
    }

    @Test func `a station asks for its own of the parents that a filter chooses or that changed`() async throws {
        let station = try await Station(Station.origin())
        var chosen = station
        chosen.comments.forEach?.parents = ForEach.Parents(
            areChanged: true, filter: .query("SELECT id FROM posts WHERE id <= 20"))
        try await chosen.sync("3/4")
        let own = Station.own("3/4").filter { $0 <= 20 }
        #expect(!own.isEmpty && chosen.asked() == Station.targets(own))
        // None changed.
        let second = try await chosen.sync("3/4")
        #expect(second.result.notes == ["no parent is due"] && chosen.asked() == [])
        // What another station has had is new to this one.
        try await chosen.sync("4/4")
        #expect(chosen.asked() == Station.targets(Station.own("4/4").filter { $0 <= 20 }))
        let late = RecordFilter.compare(JSONPath(member: "id"), .isGreater, .integer(30))
        chosen.comments.forEach?.parents = ForEach.Parents(filter: .members(late))
        let filtered = try await chosen.sync("4/4")
        #expect(chosen.asked() == Station.targets(Station.own("4/4").filter { $0 > 30 }))
        #expect(!filtered.result.notes.contains { $0.contains("fits none") })
    }

    @Test func `a shard without any parent is complete`() async throws {
        let origin = Station.origin()
        origin.set("/posts", ScriptedOrigin.page("[1]"))
        let station = try await Station(origin)
        // The comments of post 1 belong to the fourth.
        let report = try await station.sync("1/4")
        #expect(report.result.outcome == .notModified && report.result.notes == ["no parent is due"])
        let state = try await station.bench.store.resourceStates().first { $0.resource == "comments" }
        #expect(state?.completedAt == station.bench.time.now)
        #expect(try await station.sync("4/4").result.counters.inserted == 5)
    }

    @Test func `an interrupted pass continues with the parents of the shard that is asked for now`() async throws {
        let station = try await Station(Station.origin())
        let failing = try #require(Station.own("4/4").first { Station.own("4/5").contains($0) })
        station.origin.set(Station.target(failing), .status(.internalServerError))
        #expect(try await station.sync("4/4").result.outcome == .queued)
        _ = station.asked()
        station.origin.set(Station.target(failing), Station.page(failing))
        #expect(try await station.sync("4/5").result.outcome == .saved)
        #expect(station.asked() == [Station.target(failing)])
    }

    @Test func `the plan shows the parents of the shard, and nothing of what others fetch`() async throws {
        let station = try await Station(Station.origin())
        let (store, now) = (station.bench.store, station.bench.time.now)
        try await station.run("2/4")
        let all = [station.bench.resource, station.comments]
        let plan = try await SyncPlan.make(
            for: station.comments, in: store, shard: Shard("2/4"), of: all, now: station.bench.time.now)
        let own = Station.own("2/4")
        #expect(plan.reason == "a new pass: \(own.count) of \(own.count) records of 'posts' in shard 2/4")
        #expect(plan.fanOut?.urls == own.prefix(3).map { "https://api.example.org\(Station.target($0))" })
        let alone = AnyResource("a", from: station.comments.source, at: "/a", key: "id")
        let other = try await SyncPlan.make(for: alone, in: store, shard: Shard("1/4"), of: all + [alone], now: now)
        #expect(other.reason == "nothing: shard 2 of 4 fetches it" && other.asksNothing && !other.asksLater)
        let mine = try await SyncPlan.make(for: alone, in: store, shard: Shard("2/4"), of: all + [alone], now: now)
        #expect(!mine.asksNothing)
    }
}
