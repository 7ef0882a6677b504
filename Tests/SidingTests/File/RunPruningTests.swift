// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// Nothing that each run adds grows without end.
@Suite struct RunPruningTests {
    private let bench: FileBench

    init() async throws {
        bench = try await FileBench()
        _ = try await bench.bench.open()
        try await bench.store.write { transaction in
            try transaction.execute("UPDATE siding_runs SET started_at = 1, ended_at = 1, outcome = 'saved'")
        }
    }

    /// Adds runs that ended long before today, each of which deleted a record.
    private func addRuns(_ count: Int, daysAgo days: Int64) async throws {
        let ended = bench.bench.time.now.microseconds - days * 86_400 * 1_000_000
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO siding_runs (command, owner, started_at, ended_at, outcome, revisions)
                SELECT 'sync', 'x', ?2, ?2, 'saved', '{}' FROM n
                """, count, ended)
            try transaction.execute(
                """
                INSERT INTO siding_run_resources (run, resource, outcome) SELECT id, 'posts', 'saved' FROM siding_runs
                WHERE id NOT IN (SELECT run FROM siding_run_resources)
                """)
            try transaction.execute(
                """
                INSERT INTO siding_tombstones (run, resource, record, at) SELECT id, 1, id, 1 FROM siding_runs
                WHERE id NOT IN (SELECT run FROM siding_tombstones)
                """)
        }
    }

    private func run() async throws {
        try await bench.store.endRun(try await bench.store.beginRun(command: "sync"), outcome: .saved)
    }

    private func count(_ table: String) async throws -> String? {
        try await bench.rows("SELECT COUNT(*) FROM \(table)").first?.first ?? nil
    }

    @Test func `runs of more than 30 days ago are forgotten, but for the newest thousand`() async throws {
        try await addRuns(300, daysAgo: 31)
        try await run()
        #expect(try await count("siding_runs") == "302")
        try await addRuns(899, daysAgo: 31)
        try await run()
        // The bench's run, 300 and 899 old ones and two of today are more than a thousand by 202.
        #expect(try await count("siding_runs") == "1000")
        #expect(try await bench.rows("SELECT MIN(id) FROM siding_runs").first?.first == "203")
        #expect(try await bench.rows("SELECT MIN(run) FROM siding_tombstones").first?.first == "203")
        #expect(try await bench.rows("SELECT MIN(run) FROM siding_run_resources").first?.first == "203")
    }

    @Test
    func
        `the run with the newest result of a resource stays, whatever its age and what was skipped or cancelled since`()
        async throws
    {
        try await addRuns(1_100, daysAgo: 31)
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                INSERT INTO siding_run_resources (run, resource, outcome)
                VALUES (3, 'comments', 'saved'), (5, 'comments', 'failed'), (7, 'comments', 'skipped')
                """)
            try transaction.execute(
                """
                INSERT INTO siding_run_resources (run, resource, outcome, report)
                VALUES (9, 'comments', 'failed', '{"error":{"name":"cancelled","message":"cancelled"}}')
                """)
        }
        try await run()
        let kept = try await bench.rows("SELECT id FROM siding_runs ORDER BY id LIMIT 2").map(\.first)
        // 1,102 runs less a thousand, and 5.
        #expect(kept == ["5", "103"])
        #expect(try await bench.store.newestResults(of: ["comments"])["comments"]?.outcome == .failed)
    }

    @Test func `a forgotten run is reported as forgotten, and a number without a run is not`() async throws {
        try await addRuns(1_100, daysAgo: 31)
        try await run()
        #expect(try await bench.store.isForgotten(2))
        #expect(try await bench.store.isForgotten(1_100) == false)
        #expect(try await bench.store.isForgotten(5_000) == false)
        let (store, forgotten) = (try bench.store, "run 2 is no longer stored, so the changes since then are unknown")
        do {
            _ = try await store.changes(of: "posts", since: 2)
            Issue.record("a forgotten run was taken for one that is known")
        } catch { #expect(error.kind == .notFound && error.message == forgotten) }
    }

    @Test func `runs of the last 30 days stay in any number, and so do those that have not ended`() async throws {
        try await bench.store.write { transaction in
            try transaction.execute("UPDATE siding_runs SET ended_at = NULL, outcome = NULL")
        }
        try await addRuns(1_500, daysAgo: 29)
        try await run()
        #expect(try await count("siding_runs") == "1502")
    }

    @Test func `an entry keeps the newest hundred lines of its history`() async throws {
        let writes = try await WriteBench()
        let entry = try await writes.enqueue("/orders")
        for _ in 0..<60 {
            _ = try await writes.store.perform(.hold, on: QueueSelection(ids: [entry.id]))
            _ = try await writes.store.perform(.release, on: QueueSelection(ids: [entry.id]))
        }
        let events = try await writes.events(entry.id)
        #expect(events.count == OutboxEventsTable.most)
        #expect(events.first == "held" && events.last == "released")
    }
}
