// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What becomes of records whose parents another station fetches.
@Suite struct ShardDeletionTests {
    private static let lenient = Deletions(most: 0.9)

    @Test func `one more shard moves more than the guard allows: nothing is deleted until an operator accepts it`()
        async throws
    {
        let station = try await Station(Station.origin())
        try await station.sync("4/4")
        let (before, own) = (Station.own("4/4"), Station.own("4/5"))
        // Four parents of 13, with 20 records of 65: more than 10 %.
        let moved = Station.comments(of: before).count - Station.comments(of: own).count
        #expect(moved == 20)
        for _ in 0..<2 {
            let report = try await station.sync("4/5")
            #expect(report.result.counters.deletionsBlocked == moved && report.result.counters.deleted == 0)
            #expect(
                report.warnings == [
                    "other shards fetch the parents of 20 records. That is more than deletes.max (10 %), so nothing was "
                        + "deleted. To delete them: siding sync comments --shard 4/5 --accept-deletes"
                ])
            #expect(try await station.keys() == Station.comments(of: before))
        }
        let accepted = try await station.sync("4/5", Station.accepting)
        #expect(accepted.result.counters.deleted == moved && accepted.result.counters.deletionsBlocked == 0)
        #expect(accepted.result.notes.contains("20 records were deleted here, as other shards fetch the parents"))
        #expect(try await station.keys() == Station.comments(of: own))
        #expect(try await station.keys(deleted: true).count == moved)
        let last = try await station.sync("4/5")
        #expect(last.result.counters.deleted == 0 && last.result.counters.deletionsBlocked == 0 && last.warnings == [])
    }

    @Test func `within the guard the records that moved become tombstones, and the union of all stations stays whole`()
        async throws
    {
        let origin = Station.origin()
        var stations: [Station] = []
        for index in 1...4 {
            let station = try await Station(origin, Self.lenient)
            try await station.sync("\(index)/4")
            stations.append(station)
        }
        stations.append(try await Station(origin, Self.lenient))
        var keys: [Int] = []
        for (station, index) in zip(stations, 1...5) {
            let shard = "\(index)/5"
            let report = try await station.sync(shard)
            let own = Station.comments(of: Station.own(shard))
            #expect(report.result.counters.deletionsBlocked == 0 && report.warnings == [])
            #expect(try await station.keys() == own)
            let moved = index == 5 ? [] : Station.comments(of: Station.own("\(index)/4")).filter { !own.contains($0) }
            #expect(try await station.keys(deleted: true) == moved)
            #expect(report.result.counters.deleted == moved.count)
            keys += own
        }
        #expect(keys.sorted() == Station.comments(of: Station.posts))
    }

    @Test func `a sync without a shard brings everything back, and deletes nothing`() async throws {
        let station = try await Station(Station.origin(), Deletions(byAbsence: true, most: 0.9))
        for shard in ["4/4", "4/5", "1/5"] { try await station.sync(shard) }
        #expect(try await station.keys() == Station.comments(of: Station.own("1/5")))
        _ = station.asked()
        for _ in 0..<3 {
            let report = try await station.sync(nil)
            #expect(report.result.counters.deleted == 0 && report.result.counters.deletionsBlocked == 0)
            #expect(try await station.keys() == Station.comments(of: Station.posts))
            #expect(station.asked() == Station.targets(Station.posts))
        }
    }

    @Test func `a wrong shard deletes nothing, and the right one goes on as before`() async throws {
        let station = try await Station(Station.origin(), Deletions(byAbsence: true))
        for _ in 0..<2 { try await station.sync("4/4") }
        // The first of four has none of its parents.
        let report = try await station.sync("1/4")
        let kept = Station.comments(of: Station.own("4/4"))
        #expect(report.result.counters.deletionsBlocked == kept.count && report.result.counters.deleted == 0)
        for _ in 0..<3 { try await station.sync("4/4") }
        // Those of the wrong shard are few enough to be blocked as well.
        let both = Set(kept + Station.comments(of: Station.own("1/4")))
        #expect(Set(try await station.keys()) == both)
        try await station.sync("4/4", Station.accepting)
        #expect(try await station.keys() == kept)
    }

    @Test func `records that are missing at the origin are deleted within the shard`() async throws {
        let station = try await Station(Station.origin(), Deletions(byAbsence: true))
        for _ in 0..<2 { try await station.sync("4/4") }
        let own = Station.own("4/4")
        let gone = own[0] * 10
        let left = (1...4).map { "\(gone + $0)" }.joined(separator: ",")
        station.origin.set(Station.target(own[0]), ScriptedOrigin.page("[\(left)]"))
        #expect(try await station.sync("4/4").result.counters.deleted == 0)
        #expect(try await station.sync("4/4").result.counters.deleted == 1)
        #expect(try await station.keys() == Station.comments(of: own).filter { $0 != gone })
    }

    @Test func `the origin is not asked whether records of other shards exist`() async throws {
        let rule = Deletions(byAbsence: true, recordPath: "/comments/{id}")
        let station = try await Station(Station.origin(), rule)
        for _ in 0..<2 { try await station.sync("4/4") }
        _ = station.asked()
        for _ in 0..<3 { #expect(try await station.sync("4/5").result.counters.deletionsBlocked == 20) }
        #expect(!station.asked().contains { $0.hasPrefix("/comments/") })
    }

    @Test func `a record that an own parent lists too stays, with that parent`() async throws {
        let station = try await Station(Station.origin(), Self.lenient)
        let moved = try #require(Station.own("4/4").last { !Station.own("4/5").contains($0) })
        let kept = try #require(Station.own("4/5").first)
        #expect(kept < moved)
        let shared = moved * 10
        let both = (Station.comments(of: [kept]) + [shared]).map(String.init).joined(separator: ",")
        let (target, etag) = (Station.target(kept), #""a""#)
        // A 304 does not show the record again, and the parent that moves is listed last.
        station.origin.set(
            target, ScriptedOrigin.page("[\(both)]", etag: etag),
            .status(.notModified, headerFields: [.eTag: etag]))
        var one = station
        one.comments.forEach?.concurrency = 1
        let parent = "SELECT siding_parent FROM comments WHERE id = \(shared)"
        try await one.sync("4/4")
        #expect(try await one.bench.store.keys(ofQuery: parent) == ["\(moved)"])
        try await one.sync("4/5")
        #expect(try await one.keys() == (Station.comments(of: Station.own("4/5")) + [shared]).sorted())
        #expect(try await one.bench.store.keys(ofQuery: parent) == ["\(kept)"])
    }

    @Test func `records of a parent that is gone stay, as no other station can fetch them`() async throws {
        let station = try await Station(Station.origin(), Self.lenient)
        try await station.sync(nil)
        let other = Station.own("1/4")[0]
        _ = try await station.bench.store.delete(RecordLookup(resource: "posts", keys: ["\(other)"]))
        let rest = Station.posts.filter { $0 != other }.map(String.init).joined(separator: ",")
        station.origin.set("/posts", ScriptedOrigin.page("[\(rest)]"))
        try await station.sync("4/4")
        #expect(try await station.keys() == Station.comments(of: Station.own("4/4") + [other]).sorted())
    }

    @Test func `an own edit stays with its record until it is delivered`() async throws {
        let station = try await Station(Station.origin(), Self.lenient)
        try await station.sync(nil)
        let (store, key) = (station.bench.store, Station.own("1/4")[0] * 10)
        let url = try HTTPURL("https://api.example.org/comments/\(key)")
        var write = WriteRequest(to: "blog", .patch, url, body: Array(#"{"note":"mine"}"#.utf8))
        write.edit = WriteEdit(.merge, of: station.comments, key: "\(key)")
        let entry = try await store.enqueue(write)
        try await station.sync("4/4")
        #expect(try await station.keys() == (Station.comments(of: Station.own("4/4")) + [key]).sorted())
        #expect(try await store.entries(QueueSelection()).map(\.id) == [entry.id])
        _ = try await store.perform(.drop, on: QueueSelection(ids: [entry.id]))
        try await station.sync("4/4")
        #expect(try await station.keys() == Station.comments(of: Station.own("4/4")))
    }

    @Test func `undelete restores what moved, and the next sync does not delete it again`() async throws {
        let station = try await Station(Station.origin(), Self.lenient)
        try await station.sync("4/4")
        try await station.sync("4/5")
        let run = try await station.bench.lastRun().id
        #expect(try await station.bench.store.undelete(run) == ["comments": 20])
        try await station.sync("4/5")
        #expect(try await station.keys() == Station.comments(of: Station.own("4/4")))
    }
}
