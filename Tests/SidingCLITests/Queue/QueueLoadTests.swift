// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

/// A long queue is looked at as quickly as a short one.
@Suite(.serialized)
struct QueueLoadTests {
    private static let count = Proof.choose(short: 30_000, middle: 50_000, long: 100_000)

    @Test func `with tens of thousands of writes waiting, operator commands are answered`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.sqlite(
            sandbox.file("test.db"),
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count - 1))
            INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, created_at, not_before)
            SELECT printf('%026d', i), 'write', 'queued', 'shop', 'lane ' || (i / 2), i % 2 + 1, i % 2 = 0,
                1700000000000000, 1700000000000000
            FROM n;
            INSERT INTO siding_outbox_requests (entry, method, url, body)
            SELECT seq, 'POST', '\(service.url)/items', x'7b7d' FROM siding_outbox;
            INSERT INTO siding_idempotency_keys (key, entry, is_honoured)
            SELECT printf('key %d', seq), seq, 0 FROM siding_outbox;
            """)
        let status = try await sandbox.siding("status", "--json").object()
        #expect(status["queue"]?["queued"]?.int == Self.count)

        let list = try await sandbox.siding("queue", "list", "--limit", "1000")
        #expect(list.status == 0)
        #expect(list.lines.count == 1_001)
        #expect(list.error == "\(Self.count / 1_000),000 entries; 1,000 shown, --limit 0 shows all\n")
        #expect(try await sandbox.siding("queue", "list", "--limit", "5", "--json").lines.count == 5)
        #expect(try await sandbox.siding("queue", "list", "--json").lines.count == Self.count)
        #expect(try await sandbox.siding("queue", "list", "--lane", "lane \(Self.count / 2 - 1)").lines.count == 3)
        #expect(try await sandbox.siding("queue", "list", "--limit", "-1").status == 64)

        // Without a limit a sync would send them all first.
        #expect(try await sandbox.siding("sync", "--limit", "1").status == 0)
        let one = try await sandbox.siding("send", "DELETE", "shop:/items/1", "--lane", "lane 7", "--no-send")
        #expect(one.status == 0)
        #expect(try await sandbox.siding("queue", "list", "--lane", "lane 7", "--json").lines.count == 3)
        await service.origin.stop()
    }
}
