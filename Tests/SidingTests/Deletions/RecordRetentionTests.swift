// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// `keep: { records: … }`: which records of an incremental resource go, and which never do.
@Suite struct RecordRetentionTests {
    private static let day = Duration.seconds(86_400)

    /// An origin that lists `ids` as what changed.
    private func bench(_ retention: RecordRetention, listing ids: String) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page(ids)]))
        bench.resource.keptRecords = retention
        return bench
    }

    private func sync(_ bench: EngineBench, listing ids: String, after time: Duration) async throws -> SyncReport {
        bench.time.advance(by: time)
        bench.origin.set("/posts", ScriptedOrigin.page(ids))
        return try await bench.sync()
    }

    @Test func `records that changed longer ago are deleted when new ones come, and the run reports how many`()
        async throws
    {
        let bench = try await bench(.age(Self.day * 90), listing: "[1,2]")
        #expect(try await bench.sync().result.notes == ["paging: none"])
        #expect(try await sync(bench, listing: "[3]", after: Self.day * 89).result.notes == ["paging: none"])
        #expect(try await bench.keys() == ["1", "2", "3"])
        // Without a new record nothing is looked for.
        #expect(try await sync(bench, listing: "[3]", after: Self.day * 2).result.notes == ["paging: none"])
        let report = try await sync(bench, listing: "[4]", after: Self.day)
        #expect(report.result.notes == ["paging: none", "2 old records were deleted, as 'keep' says"])
        #expect(report.result.counters.deleted == 0)
        #expect(try await bench.keys() == ["3", "4"])
        #expect(try await bench.store.check() == [])
    }

    @Test func `the newest records are kept by number`() async throws {
        let bench = try await bench(.count(2), listing: "[1,2]")
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["1", "2"])
        _ = try await sync(bench, listing: "[3]", after: Self.day)
        #expect(try await bench.keys() == ["2", "3"])
        _ = try await sync(bench, listing: "[4,5,6,7]", after: Self.day)
        #expect(try await bench.keys() == ["6", "7"])
    }

    @Test func `a record deleted by keep is a tombstone, which change feeds report and an operator can restore`()
        async throws
    {
        let bench = try await bench(.count(1), listing: "[1]")
        _ = try await bench.sync()
        let before = try await bench.lastRun().id
        _ = try await sync(bench, listing: "[2]", after: Self.day)
        let run = try await bench.lastRun().id
        #expect(try await bench.tombstones() == ["1"])
        let changes = try await bench.store.changes(of: "posts", since: before).changes
        #expect(changes.map(\.kind) == [.deleted, .inserted] && changes.map(\.key) == ["1", "2"])
        #expect(try await bench.store.undelete(run) == ["posts": 1])
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test func `a record with a pending edit stays`() async throws {
        for retention in [RecordRetention.count(1), .age(Self.day)] {
            let bench = try await bench(retention, listing: "[1,2]")
            var resource = bench.resource
            resource.keptRecords = nil
            _ = try await bench.engine().sync(resource)
            try await bench.store.write { transaction in
                try transaction.execute("UPDATE siding_records_posts SET pending = 1 WHERE key = 1")
            }
            _ = try await sync(bench, listing: "[3]", after: Self.day * 2)
            #expect(try await bench.keys() == ["1", "3"])
        }
    }

    @Test func `many records are deleted in portions`() async throws {
        let many = KeepRules.portion * 2 + 3
        let bench = try await bench(.count(1), listing: "[\((1...many).map { "\($0)" }.joined(separator: ","))]")
        let report = try await bench.sync()
        let gone = MessageFormat.grouped(many - 1)
        #expect(report.result.notes == ["paging: none", "\(gone) old records were deleted, as 'keep' says"])
        #expect(try await bench.keys() == ["\(many)"])
    }
}
