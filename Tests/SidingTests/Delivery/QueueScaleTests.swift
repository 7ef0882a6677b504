// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// A hundred thousand writes in fifty thousand lanes cost no more to send than ten: nothing on the way looks at them all.
@Suite struct QueueScaleTests {
    /// How SQLite goes about a statement: the lines of its plan.
    private func plan(_ bench: WriteBench, _ sql: SQL) async throws -> [String] {
        try await bench.store.write { transaction in
            // The parameters stay unbound: a plan does not depend on them.
            var statement = try transaction.prepare("EXPLAIN QUERY PLAN \(sql)")
            var lines: [String] = []
            while try statement.step() { lines.append(statement.row.text(3)) }
            return lines
        }
    }

    /// 100,000 writes, two to a lane; of some, the sending has failed.
    private func fill(_ bench: WriteBench) async throws {
        let now = bench.time.now.microseconds
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
                INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, created_at, not_before,
                    tried)
                SELECT printf('%026d', i), 'write', 'queued', 'api', 'lane ' || (i / 2), i % 2 + 1, i % 2 = 0, ?1,
                    ?1 + (i % 1000 = 0) * 60000000, json_object('attempts', i % 1000 = 0, 'tries', 0, 'crashes', 0,
                        'waits_for', CASE WHEN i % 1000 = 0 THEN 'line' END)
                FROM n
                """, now)
            try transaction.fillRequests()
        }
    }

    @Test func `every statement on the way of a write seeks in an index`() async throws {
        let bench = try await WriteBench()
        try await fill(bench)
        try await bench.store.write { try $0.execute("ANALYZE") }
        let statements: [(SQL, String)] = [
            (OutboxTable.nextWrite, "siding_outbox_ready"),
            (OutboxTable.claimedWritesOfSource, "siding_outbox_owner"),
            (OutboxTable.writesDueNow, "siding_outbox_ready"), (OutboxTable.endWaitsBeyond, "siding_outbox_ready"),
            (OutboxTable.dueTimes, "siding_outbox_ready"), (OutboxTable.neverLetIn, "siding_outbox_sign_in"),
            (OutboxTable.promotion, "siding_outbox_lane"),
            (OutboxTable.expired, "siding_outbox_expiry"),
        ]
        for (sql, index) in statements {
            let lines = try await plan(bench, sql)
            let scans = lines.filter {
                $0.hasPrefix("SCAN") && $0 != "SCAN CONSTANT ROW" && !$0.hasPrefix("SCAN json_each")
                    || $0.contains("TEMP B-TREE") || $0.contains("MATERIALIZE")
            }
            #expect(scans.isEmpty, "\(lines)")
            #expect(lines.contains { $0.contains("INDEX \(index) ") }, "\(lines)")
        }
    }

    @Test func `all of them are claimed in order, and counting and listing read no bodies`() async throws {
        let bench = try await WriteBench()
        try await fill(bench)
        #expect(try await bench.store.queueShares().counts == [QueueCount(state: .queued, reason: nil, count: 100_000)])
        #expect(try await bench.store.count(QueueSelection(sources: ["api"])) == 100_000)
        #expect(try await bench.store.count(QueueSelection(lanes: ["lane 7"])) == 2)
        let first = try await bench.store.entries(QueueSelection(), limit: 3).map(\.lane)
        #expect(first == ["lane 0", "lane 0", "lane 1"])
        // Reading all of them takes as long as reading them, not as the square of it.
        #expect(try await bench.store.entries(QueueSelection()).count == 100_000)
        for number in 1...100 {
            let write = try #require(try await bench.claim())
            #expect(write.entry.lane == "lane \((number + 1) / 2)")
            try await bench.deliver(write)
        }
        #expect(try await bench.store.count(QueueSelection()) == 99_900)
    }
}

extension Transaction {
    /// Adds a request and an honoured key to each entry that was inserted without.
    func fillRequests() throws {
        try execute(
            """
            INSERT INTO siding_outbox_requests (entry, method, url, body)
            SELECT seq, 'POST', 'https://api.test/items', x'7b7d' FROM siding_outbox
            """)
        try execute(
            """
            INSERT INTO siding_idempotency_keys (key, entry, field, is_honoured)
            SELECT printf('key %d', seq), seq, 'Idempotency-Key', 1 FROM siding_outbox
            """)
    }
}
