// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// Queued pages of a station whose part of the fetching changes, and what its service keeps fresh.
@Suite struct ShardQueueTests {
    /// A post of the fourth of four stations that the fifth of five takes over, and one that stays.
    private static func posts() throws -> (moved: Int, kept: Int) {
        let (before, after) = (Station.own("4/4"), Station.own("4/5"))
        return (try #require(before.first { !after.contains($0) }), try #require(after.first))
    }

    /// The fourth of four stations, with a queued page for each of these posts.
    private func station(failing posts: Int...) async throws -> Station {
        let station = try await Station(Station.origin(), Deletions(most: 0.9))
        for post in posts { station.origin.set(Station.target(post), .status(.internalServerError)) }
        #expect(try await station.sync("4/4").result.outcome == .queued)
        #expect(try await station.bench.queue().count == posts.count)
        _ = station.asked()
        return station
    }

    private func isSuperseded(_ entry: QueueEntry, in station: Station) async throws -> Bool {
        let (now, history) = (
            try await station.bench.entry(entry.id), try await station.bench.store.history(of: entry.id)
        )
        return now.state == .done && history.last?.event == .superseded
    }

    @Test(arguments: [false, true])
    func `a queued page of a parent that another shard fetches is superseded, and not fetched`(
        _ isHeld: Bool
    ) async throws {
        let (moved, _) = try Self.posts()
        let station = try await station(failing: moved)
        let entry = try #require(try await station.bench.queue().first)
        if isHeld { _ = try await station.bench.store.perform(.hold, on: QueueSelection()) }
        let report = try await station.sync("4/5")
        #expect(report.result.outcome != .queued && report.warnings == [])
        #expect(!station.asked().contains(Station.target(moved)))
        #expect(try await isSuperseded(entry, in: station))
        #expect(try await station.bench.queue() == [])
        // Where the parent comes back, its listing begins anew.
        station.origin.set(Station.target(moved), Station.page(moved))
        #expect(try await station.sync("4/4").result.outcome == .saved)
        #expect(try await station.keys() == Station.comments(of: Station.own("4/4")))
    }

    @Test func `a queued page of an own parent is fetched, while that of another shard goes`() async throws {
        let (moved, kept) = try Self.posts()
        let station = try await station(failing: moved, kept)
        let entries = try await station.bench.queue()
        let other = try #require(entries.first { $0.url.hasSuffix(Station.target(moved)) })
        #expect(try await station.sync("4/5").result.outcome == .queued)
        #expect(station.asked() == [Station.target(kept)])
        #expect(try await isSuperseded(other, in: station))
        #expect(try await station.bench.queue().map(\.id) == entries.map(\.id).filter { $0 != other.id })
        station.origin.set(Station.target(kept), Station.page(kept))
        #expect(try await station.sync("4/5").result.outcome == .saved)
        #expect(try await station.keys() == Station.comments(of: Station.own("4/5")))
    }

    @Test func `a queued page of a resource that another shard fetches is superseded, and not fetched`() async throws {
        var station = try await Station(Station.origin())
        station.more = [AnyResource("a", from: station.comments.source, at: "/a", key: "id")]
        station.origin.set("/a", .status(.internalServerError))
        // "a" belongs to the second of four.
        #expect(try await station.run("2/4").last?.result.outcome == .queued)
        let entry = try #require(try await station.bench.queue().first)
        _ = station.asked()
        let report = try #require(try await station.run("1/4").last)
        #expect(report.result.outcome == .skipped && report.warnings == [])
        #expect(!station.asked().contains("/a"))
        #expect(try await isSuperseded(entry, in: station))
        station.origin.set("/a", ScriptedOrigin.page("[1]"))
        #expect(try await station.run("2/4").last?.result.outcome == .saved)
        #expect(station.asked().contains("/a"))
    }

    // MARK: The service

    private func siding(_ station: Station, _ shard: String) async throws -> Siding {
        try await Siding(
            store: .store(station.bench.store), resources: [station.bench.resource, station.comments] + station.more,
            transports: station.origin,
            environment: RuntimeEnvironment(
                connectivity: station.bench.connectivity, jitter: .none, clock: station.bench.clock,
                wallClock: station.bench.time.clock),
            shard: Shard(shard))
    }

    @Test func `a program keeps its shard fresh, and knows of nothing that others fetch`() async throws {
        var station = try await Station(Station.origin())
        station.more = ["a", "b"].map { AnyResource($0, from: station.comments.source, at: "/\($0)", key: "id") }
        // "a" belongs to the second of four, "b" to the third.
        let siding = try await siding(station, "2/4")
        #expect(siding.resources.map(\.name) == ["posts", "comments", "a"])
        #expect(try await siding.dueResources().map(\.name) == ["posts", "comments", "a"])
        #expect(await siding.health.resources.map(\.name) == ["posts", "comments", "a"])
        try await siding.sync(station.bench.resource)
        try await siding.sync(station.comments)
        #expect(station.asked() == Station.targets(Station.own("2/4")))
        guard case .skipped = try await siding.sync(station.more[1]) else {
            Issue.record("another shard's resource was synced")
            return
        }
        #expect(station.asked() == [])
        try siding.replace(resources: station.more)
        #expect(siding.resources.map(\.name) == ["a"])
    }

    @Test func `the service ends a queued page of a resource that another shard fetches`() async throws {
        var station = try await Station(Station.origin())
        station.more = [AnyResource("a", from: station.comments.source, at: "/a", key: "id")]
        station.origin.set("/a", .status(.internalServerError))
        try await station.run("2/4")
        #expect(try await station.bench.queue().count == 1)
        let siding = try await siding(station, "1/4")
        #expect(try await siding.dueResources().map(\.name) == ["a"])
        #expect(siding.resources.map(\.name) == ["posts", "comments"])
        try await siding.sync(station.more[0])
        #expect(try await station.bench.queue() == [])
        #expect(try await siding.dueResources().isEmpty)
    }
}
