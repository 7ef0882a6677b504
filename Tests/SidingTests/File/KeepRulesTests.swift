// SPDX-License-Identifier: Apache-2.0
import SidingChain
import HTTPTypes
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What each rule of `keep` deletes, and what it never does.
@Suite struct KeepRulesTests {
    private static let day = Duration.seconds(86_400)

    // MARK: Deleted records

    /// A store with three records, of which `keys` were deleted.
    private func bench(deleting keys: String...) async throws -> HistoryBench {
        let bench = try await HistoryBench(nil)
        try await bench.pull(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: keys))
        return bench
    }

    private func run(_ bench: HistoryBench, after time: Duration) async throws {
        bench.time.advance(by: time)
        let run = try await bench.store.beginRun(command: "sync")
        try await bench.store.endRun(run, outcome: .saved)
    }

    private func keys(_ bench: HistoryBench) async throws -> [String] {
        try await bench.sqlite.rows("SELECT key FROM siding_records_posts ORDER BY key").compactMap { $0[0] }
    }

    @Test func `a deleted record is kept for 90 days, and a live one for ever`() async throws {
        let bench = try await bench(deleting: "a")
        try await run(bench, after: Self.day * 89)
        #expect(try await keys(bench) == ["a", "b", "c"])
        try await run(bench, after: Self.day * 2)
        #expect(try await keys(bench) == ["b", "c"])
        #expect(try await bench.store.check() == [])
        try await run(bench, after: Self.day * 2_000)
        #expect(try await keys(bench) == ["b", "c"])
    }

    @Test func `another age is kept to`() async throws {
        let bench = try await bench(deleting: "a")
        var store = bench.store
        store.keep.deleted = .seconds(3_600)
        bench.time.advance(by: .seconds(3_601))
        try await store.endRun(try await store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await keys(bench) == ["b", "c"])
    }

    @Test func `the newest row stays until there is a newer one, so that no page takes another record for it`()
        async throws
    {
        let bench = try await bench(deleting: "c")
        try await run(bench, after: Self.day * 91)
        #expect(try await keys(bench) == ["a", "b", "c"])
        let before = try await bench.sqlite.rows("SELECT rowid FROM siding_records_posts WHERE key = 'c'")
        try await bench.pull(#"[{"id":"a"},{"id":"b"},{"id":"d"}]"#)
        try await run(bench, after: Self.day)
        #expect(try await keys(bench) == ["a", "b", "d"])
        #expect(try await bench.sqlite.rows("SELECT rowid FROM siding_records_posts WHERE key = 'd'") != before)
    }

    @Test func `an age of less than an hour counts as one, as in the config`() async throws {
        let bench = try await bench(deleting: "a")
        var store = bench.store
        for age in [Duration.zero, .seconds(-86_400)] {
            store.keep = KeepRules(runs: age, done: age, deleted: age)
            bench.time.advance(by: .seconds(1_700))
            try await store.prune()
            #expect(try await keys(bench) == ["a", "b", "c"])
        }
        bench.time.advance(by: .seconds(300))
        try await store.prune()
        #expect(try await keys(bench) == ["b", "c"])
    }

    @Test func `a deletion of a run that is no longer kept is counted, and not restored`() async throws {
        let bench = try await bench(deleting: "a", "b")
        try await bench.sqlite.execute(
            """
            INSERT INTO siding_tombstones (run, resource, record, at)
            SELECT 1, 1, rowid, deleted_at FROM siding_records_posts WHERE deleted_at IS NOT NULL
            """)
        #expect(try await bench.store.removedDeletions(of: 1) == 0)
        try await run(bench, after: Self.day * 91)
        #expect(try await keys(bench) == ["c"])
        #expect(try await bench.store.undelete(1) == [:])
        #expect(try await bench.store.removedDeletions(of: 1) == 2)
    }

    @Test func `a deleted record with a pending edit stays`() async throws {
        let bench = try await bench(deleting: "a")
        try await bench.sqlite.execute("UPDATE siding_records_posts SET pending = 1 WHERE key = 'a'")
        try await run(bench, after: Self.day * 91)
        #expect(try await keys(bench) == ["a", "b", "c"])
    }

    @Test func `a deleted record stays for as long as the history shows it`() async throws {
        let bench = try await HistoryBench(HistoryRetention(keep: Self.day * 200))
        try await bench.pull(#"[{"id":"a"},{"id":"b"}]"#)
        let moment = bench.time.now
        try await bench.delete("a")
        try await run(bench, after: Self.day * 199)
        #expect(try await keys(bench) == ["a", "b"])
        #expect(try await bench.rows("SELECT id FROM posts", at: moment).count == 2)
        try await run(bench, after: Self.day * 2)
        #expect(try await keys(bench) == ["b"])
    }

    @Test func `with a history that never ends no deleted record is removed`() async throws {
        let bench = try await HistoryBench()
        try await bench.pull(#"[{"id":"a"},{"id":"b"}]"#)
        try await bench.delete("a")
        try await run(bench, after: Self.day * 1_000)
        #expect(try await keys(bench) == ["a", "b"])
    }

    @Test func `changes since before a removed deletion are refused, and later ones are not`() async throws {
        let bench = try await HistoryBench(nil)
        try await bench.pull(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        let before = try await bench.store.beginRun(command: "sync")
        try await bench.store.endRun(before, outcome: .saved)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        let after = try await bench.store.beginRun(command: "sync")
        try await bench.store.endRun(after, outcome: .saved)
        #expect(try await bench.store.changes(of: "posts", since: before).changes.map(\.key) == ["a"])
        try await run(bench, after: Self.day * 91)
        #expect(
            try await storeErrorKind { _ = try await bench.store.changes(of: "posts", since: before) } == .notFound)
        #expect(try await bench.store.changes(of: "posts", since: after).changes == [])
    }

    @Test func `so are changes since a run before the resource, whose reader may have the deleted record`()
        async throws
    {
        let bench = try await HistoryBench(nil)
        let before = try await bench.store.beginRun(command: "sync")
        try await bench.store.endRun(before, outcome: .saved)
        try await bench.pull(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        #expect(Set(try await bench.store.changes(of: "posts", since: before).changes.map(\.key)) == ["a", "b", "c"])
        try await run(bench, after: Self.day * 91)
        #expect(
            try await storeErrorKind { _ = try await bench.store.changes(of: "posts", since: before) } == .notFound)
        #expect(try await bench.store.changes(of: "posts", since: 0).run > before)
    }

    @Test func `each resource is examined by the first run that ends in an hour, and not by those after it`()
        async throws
    {
        let bench = try await bench(deleting: "a")
        var store = bench.store
        store.keep.deleted = .seconds(3_600)
        var left: [[String]] = []
        // The record was deleted at 22:13. The run of 23:03 is the first of its hour, and that of 23:23, which would delete it, is not.
        for minutes in [50, 20, 40] {
            bench.time.advance(by: .seconds(minutes * 60))
            try await store.endRun(try await store.beginRun(command: "sync"), outcome: .saved)
            left.append(try await keys(bench))
        }
        #expect(left == [["a", "b", "c"], ["a", "b", "c"], ["b", "c"]])
    }

    @Test func `a run that was killed does not count as the first of its hour`() async throws {
        let bench = try await bench(deleting: "a")
        var store = bench.store
        store.keep.deleted = .seconds(3_600)
        bench.time.advance(by: .seconds(3_601))
        _ = try await store.beginRun(command: "sync")
        let (me, now) = (try store.ownerID(), bench.time.now)
        try await store.write { try RunsTable.interrupt(me, now: now, $0) }
        try await store.endRun(try await store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await keys(bench) == ["b", "c"])
    }

    @Test func `deleted records are found by their index`() async throws {
        let bench = try await bench(deleting: "a")
        let plan = try await bench.sqlite.plan(
            "SELECT rowid FROM siding_records_posts WHERE deleted_at < 5 AND pending = 0 ORDER BY deleted_at LIMIT 5")
        #expect(plan.contains("siding_deleted_posts (deleted_at<?)"), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"))
    }

    // MARK: Runs

    @Test func `the rule keeps more than a thousand runs for its time`() async throws {
        let bench = try await HistoryBench(nil)
        let old = bench.time.now.microseconds
        bench.time.advance(by: Self.day * 31)
        try await bench.store.write { transaction in
            try transaction.execute("UPDATE siding_runs SET started_at = ?1, ended_at = ?1, outcome = 'saved'", old)
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
                INSERT INTO siding_runs (command, owner, started_at, ended_at, outcome) SELECT 'sync', 'x', ?1, ?1, 'saved' FROM n
                """, old)
        }
        var store = bench.store
        store.keep.runs = Self.day * 60
        try await store.endRun(try await store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await bench.sqlite.rows("SELECT COUNT(*) FROM siding_runs") == [["1202"]])
        store.keep.runs = Self.day * 30
        try await store.endRun(try await store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await bench.sqlite.rows("SELECT COUNT(*) FROM siding_runs") == [["1000"]])
    }

    // MARK: Completed entries

    private func count(_ bench: WriteBench) async throws -> Int {
        try await bench.store.read { try $0.count("SELECT COUNT(*) FROM siding_outbox") }
    }

    @Test func `a sender alone deletes completed entries, at most once an hour`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .status(.created))
        let sender = bench.sender()
        try await bench.enqueue("/a")
        #expect(try await sender.drain().count == 1)
        bench.time.advance(by: Self.day * 29)
        #expect(try await sender.drain() == [])
        #expect(try await count(bench) == 1)
        bench.time.advance(by: Self.day * 2 - .seconds(60))
        try await bench.enqueue("/a")
        #expect(try await sender.drain().count == 1)
        #expect(try await count(bench) == 1)
        // The second is due 30 days later, but the sender looked a minute before.
        bench.time.advance(by: Self.day * 30 - .seconds(60))
        #expect(try await sender.drain() == [])
        bench.time.advance(by: .seconds(120))
        #expect(try await sender.drain() == [])
        #expect(try await count(bench) == 1)
        bench.time.advance(by: .seconds(3_600))
        #expect(try await sender.drain() == [])
        #expect(try await count(bench) == 0)
    }

    @Test func `an entry that was not delivered is kept at any age, until an operator drops it`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/refused", .status(.unprocessableContent))
        bench.origin.set("/down", .status(.serviceUnavailable))
        try await bench.enqueue("/refused", lane: "1")
        try await bench.enqueue("/down", lane: "2", expiry: .seconds(60))
        try await bench.enqueue("/down", .put, lane: "3")
        func ends() async throws {
            _ = try await bench.sender().drain()
            try await bench.store.endRun(try await bench.store.beginRun(command: "sync"), outcome: .saved)
        }
        try await ends()
        bench.time.advance(by: Self.day * 2_000)
        for _ in 1...2 { try await ends() }
        let open = try await bench.store.entries(QueueSelection())
        #expect(open.count == 3)
        #expect(open.contains { $0.reason == .rejected } && open.contains { $0.reason != .rejected })
        _ = try await bench.store.perform(.drop, on: QueueSelection())
        bench.time.advance(by: Self.day * 31)
        try await ends()
        #expect(try await count(bench) == 0)
    }

    @Test func `sending one entry at a time prunes too`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .status(.created))
        let first = try await bench.enqueue("/a")
        _ = try await bench.sender().send(first.id)
        bench.time.advance(by: Self.day * 31)
        let second = try await bench.enqueue("/a")
        _ = try await bench.sender().send(second.id)
        let left = try await bench.store.entries(QueueSelection(states: QueueEntry.State.allCases))
        #expect(left.map(\.id) == [second.id])
    }

    @Test func `one end of a run deletes any number of old entries`() async throws {
        let bench = try await WriteBench()
        try await bench.enqueue("/a")
        let write = try #require(try await bench.claim())
        try await bench.deliver(write)
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, created_at, not_before, completed_at)
                SELECT printf('%026d', i), 'write', 'done', 'api', 'x', i, 0, 1, 1, 1 FROM n
                """, KeepRules.portion * 2 + 10)
            try transaction.execute(
                """
                INSERT INTO siding_outbox_requests (entry, method, url)
                SELECT seq, 'POST', 'https://api.test/a' FROM siding_outbox
                WHERE seq NOT IN (SELECT entry FROM siding_outbox_requests)
                """)
        }
        bench.time.advance(by: Self.day * 31)
        try await bench.store.endRun(try await bench.store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await count(bench) == 0)
    }

    // MARK: Provenance

    @Test func `the requests of own writes without a record are deleted without a listing`() async throws {
        let bench = try await bench(deleting: "a")
        try await bench.store.write { transaction in
            try transaction.execute(
                "UPDATE siding_resources SET requests = 3000, retention = json_set(retention, '$.requests_due', 10)")
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
                INSERT INTO siding_provenance (resource, id, cause, method, url, at, entry)
                SELECT 1, 1000 + i, 'write', 'POST', 'https://api.test/a', 1, 'x' FROM n
                """)
        }
        try await run(bench, after: Self.day)
        let left = try await bench.sqlite.rows("SELECT COUNT(*) FROM siding_provenance")[0][0].flatMap { Int($0) }
        #expect(try #require(left) < 10)
    }
}
