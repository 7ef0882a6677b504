// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// A gateway with a long past still answers at once.
@Suite(.timeLimit(.minutes(5))) struct ServerSpeedTests {
    /// 100 ms in a build for release; one for tests, and on a busy machine, only shows what grows with the store.
    #if DEBUG
        private static let limit = Duration.seconds(2)
    #else
        private static let limit = Duration.milliseconds(100)
    #endif

    /// 100,000 records and 50,000 writes.
    private func filled() async throws -> ServiceBench {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let now = bench.time.now.microseconds
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 100099)
                INSERT INTO siding_records_notes (key, first_seen_at, changed_at, run, revision, pending, lives_since,
                    cause, request, scope, body)
                SELECT i, first_seen_at, changed_at, run, revision, 0, lives_since, cause, request, scope,
                    printf('{"id":%d,"title":"number %d"}', i, i)
                FROM n, (SELECT * FROM siding_records_notes LIMIT 1)
                """)
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
                INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, created_at, not_before)
                SELECT printf('%026d', i), 'write', 'queued', 'desk', 'lane ' || i, 1, 1, ?1, ?1 FROM n
                """, now)
            try transaction.execute(
                """
                INSERT INTO siding_outbox_requests (entry, method, url, body)
                SELECT seq, 'POST', 'https://desk.test/notes', x'7b7d' FROM siding_outbox
                """)
            try transaction.execute(
                """
                INSERT INTO siding_idempotency_keys (key, entry, field, is_honoured)
                SELECT printf('key %d', seq), seq, 'Idempotency-Key', 1 FROM siding_outbox
                """)
        }
        return bench
    }

    @Test func `the first byte comes at once beside 100,000 records and 50,000 entries`() async throws {
        let bench = try await filled()
        try await bench.serving { client in
            for path in [
                "/", "/queue", "/records", "/records/notes", "/records/notes?sort=title&order=desc",
                "/records/notes?column=title&match=contains&value=number+9", "/runs?resource=notes", "/api/status",
                "/api/queue",
                "/api/records/notes?after=50000", "/metrics",
            ] {
                let connection = try client.connection()
                var best = Duration.seconds(60)
                for _ in 0..<5 {
                    let start = ContinuousClock.now
                    try await connection.send(ServerClient.request("GET", path, [:], port: client.port))
                    let answer = try await connection.answer()
                    best = min(best, ContinuousClock.now - start)
                    #expect(answer.status == 200, "\(path)")
                }
                #expect(best < Self.limit, "\(path)")
            }
        }
    }
}
