// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

/// Models that are the same as the stored ones, while the origin writes its records in its own way.
@Suite(.timeLimit(.minutes(5))) struct EqualModelTests {
    /// Spaces, another order of members, a member that the type lacks, and a date without fraction.
    private static let page = #"""
        [{"title": "a", "extra": {"kept": 1}, "comments": 2, "created_at": "2026-01-03T00:00:00Z", "id": 1},
         {"version": 3, "title": "b", "id": 2, "comments": 0}]
        """#
    private static let strategies: [ConflictStrategy<Ticket>] = [
        .error, .overwrite, .takePreferable { $1 },
        .merge { $0.comments < 9 ? Ticket(id: $1.id, title: "merged") : $1 },
    ]

    private func bodies(_ bench: TypedBench) async throws -> [String] {
        try await bench.siding.rawRecords(of: bench.issues).map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func `equal models are unchanged with every strategy, and the origin's bytes stay`() async throws {
        for version in [nil, VersionOrder<Ticket>.by(\.version)] {
            let bench = try await TypedBench(version: version)
            try await bench.sync(Self.page)
            let (stored, models) = (try await bodies(bench), try await bench.siding.records(of: bench.issues).array())
            #expect(models.map(\.title) == ["a", "b"])
            for strategy in Self.strategies {
                let outcomes = try await bench.siding.upsert(models, to: bench.issues, onConflict: strategy)
                #expect(outcomes == [.unchanged, .unchanged])
            }
            #expect(try await bench.siding.save(models, to: bench.issues) == [.unchanged, .unchanged])
            #expect(try await bodies(bench) == stored)
        }
    }

    @Test func `a gateway that fetches and saves beside a sync rewrites nothing`() async throws {
        let bench = try await TypedBench()
        try await bench.sync(Self.page)
        let revisions = try await bench.siding.rawRecords(of: bench.issues).map(\.revision)
        for _ in 0..<3 {
            let fetched = try RecordCoding.standard.decoder().decode([Ticket].self, from: .init(Self.page.utf8))
            #expect(try await bench.siding.save(fetched, to: bench.issues) == [.unchanged, .unchanged])
            try await bench.sync(Self.page)
        }
        #expect(try await bench.siding.rawRecords(of: bench.issues).map(\.revision) == revisions)
    }

    @Test func `own writes that wait make no difference to equal models`() async throws {
        for version in [nil, VersionOrder<Ticket>.by(\.version)] {
            let bench = try await TypedBench(version: version)
            try await bench.sync(Self.page)
            bench.connectivity.set(hasUsableRoute: false)
            let models = try await bench.siding.records(of: bench.issues).array()
            let entries = [
                try await bench.siding.update(key: 1, with: ["title": "mine"], in: bench.issues),
                try await bench.siding.delete(key: 2, in: bench.issues),
            ]
            #expect(entries.map(\.state) == [.queued, .queued])
            let shown = try await bodies(bench)
            for strategy in Self.strategies {
                let outcomes = try await bench.siding.upsert(models, to: bench.issues, onConflict: strategy)
                #expect(outcomes == [.unchanged, .unchanged], "\(strategy)")
            }
            #expect(try await bench.siding.save(models, to: bench.issues) == [.unchanged, .unchanged])
            // A program that saves what it was shown does not make its own edit the origin's.
            let read = try await bench.siding.records(of: bench.issues).array()
            #expect(read.map(\.title) == ["mine"])
            #expect(try await bench.siding.save(read, to: bench.issues) == [.unchanged])
            #expect(try await bodies(bench) == shown)

            var other = models[0]
            (other.comments, other.version) = (7, 4)
            #expect(try await bench.siding.save([other], to: bench.issues) == [.updated])
            let record = try await bench.siding.record(of: bench.issues, key: 1)
            #expect(record?.title == "mine" && record?.comments == 7)
        }
    }

    @Test func `only what differs is saved, and another model replaces the origin's bytes`() async throws {
        let bench = try await TypedBench()
        try await bench.sync(Self.page)
        var models = try await bench.siding.records(of: bench.issues).array()
        models[1].title = "B"
        #expect(try await bench.siding.save(models, to: bench.issues) == [.unchanged, .updated])
        let stored = try await bodies(bench)
        #expect(stored[0].contains("extra"))
        #expect(stored[1] == #"{"comments":0,"id":2,"title":"B","version":3}"#)
    }

    @Test func `a stream does not report a record that is the same model in other bytes`() async throws {
        let bench = try await TypedBench()
        try await bench.sync(Self.page)
        var events = bench.siding.changes(of: bench.issues, clock: ManualClock()).makeAsyncIterator()
        #expect(try await events.next()?.models?.map(\.id) == [1, 2])
        try await bench.sync(
            #"[{"id":1,"title":"a","comments":2,"created_at":"2026-01-03T00:00:00.000Z"},{"id":2,"title":"c","comments":0}]"#
        )
        let changes = try await events.next()?.difference
        #expect(changes?.updated.map(\.title) == ["c"])
        #expect(changes?.inserted.isEmpty == true)
        #expect(changes?.deleted.isEmpty == true)
    }
}
