// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// What is parked because its time, or that of its key, is over.
@Suite(.serialized)
struct QueueExpiryTests {
    @Test(arguments: [["queue", "run"], ["sync"], ["sync", "--offline"], ["queue", "run", "--watch"]])
    func `an expired entry is reported, exit 75`(command: [String]) async throws {
        let shop = try await QueueShop(source: ", idempotency: {}")
        _ = try await shop.keep("a", "--expire", "1h")
        _ = try await shop.keep("b", "--expire", "1h")
        try await shop.sql("UPDATE siding_outbox SET expires_at = 1")
        let told = try await shop.sandbox.siding(command)
        #expect(told.status == 75)
        #expect(
            told.error.contains(
                "2 writes parked without being sent: expired; 'siding queue list --state parked --reason expired' shows them"
            ), "\(told.error)")
        #expect(shop.service.targets.allSatisfy { $0.hasPrefix("/items") })
        #expect(try await !shop.sandbox.siding(command).error.contains("parked without"), "it is told once")
        await shop.service.origin.stop()
    }

    @Test func `an entry that waits longer than its source allows is parked, and a page has a limit too`()
        async throws
    {
        let shop = try await QueueShop()
        try shop.sandbox.config(shop.service.config(source: "retry: { inline: 0, expire: 1h }"))
        let hour = 3_600 * 1_000_000
        shop.service.origin.inject(.status(500), at: OriginPattern(path: "/items"), times: nil)
        #expect(try await shop.sandbox.siding("sync").status == 75)
        let id = try await shop.keep("a")
        let spans = try await shop.sandbox.siding(
            "query", "SELECT kind, expires_at - created_at AS span FROM siding_outbox ORDER BY kind", "--json"
        ).objects()
        #expect(spans.map { $0["kind"]?.string } == ["fetch", "write"])
        #expect(spans.map { $0["span"]?.int } == [hour, hour])
        try await shop.sql("UPDATE siding_outbox SET expires_at = expires_at - 2 * \(hour) WHERE kind = 'write'")
        #expect(try await shop.queue("run").status == 75)
        #expect(try await shop.shown(id)["reason"]?.string == "expired")
        #expect(!shop.service.targets.contains("/a"))
        await shop.service.origin.stop()
    }

    @Test func `an expired page is reported by each run of the queue, exit 75, until a sync fetches it`() async throws {
        let shop = try await QueueShop()
        try shop.sandbox.config(shop.service.config(source: "retry: { inline: 0, expire: 1h }"))
        let fault = shop.service.origin.inject(.status(500), at: OriginPattern(path: "/items"), times: nil)
        #expect(try await shop.sandbox.siding("sync").status == 75)
        try await shop.sql("UPDATE siding_outbox SET expires_at = 1")
        shop.service.origin.forgetRequests()
        for command in [["queue", "run"], ["queue", "run"], ["queue", "run", "--watch"]] {
            let run = try await shop.sandbox.siding(command)
            #expect(run.status == 75)
            #expect(run.error.contains("items: page 1 parked: expired: the origin answered 500"), "\(run.error)")
            #expect(run.error.contains("'siding sync items' fetches it"))
        }
        #expect(try await shop.queue("run", "--json").object()["reason"]?.string == "expired")
        #expect(shop.service.targets == [])
        #expect(try await shop.sandbox.siding("sync").status == 75)
        let row = try await shop.sandbox.siding(
            "query", "SELECT state, expires_at > 1 AS is_renewed FROM siding_outbox", "--json"
        ).object()
        #expect(row["state"]?.string == "queued" && row["is_renewed"]?.int == 1)
        shop.service.origin.lift(fault)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        #expect(try await shop.queue("run").status == 0)
        await shop.service.origin.stop()
    }

    @Test(arguments: [["queue", "run"], ["sync"]])
    func `an entry parked for a forgotten key is an object of its own`(command: [String]) async throws {
        let shop = try await QueueShop(source: ", idempotency: {}")
        let id = try await shop.keep("a")
        try await shop.sql(
            """
            UPDATE siding_outbox SET tried = json_set(tried, '$.first_sent_at', 1);
            UPDATE siding_idempotency_keys SET lifetime_us = 1
            """)
        let told = try await shop.sandbox.siding(command + ["--json"])
        #expect(told.status == 75)
        let parked = try told.objects().filter { $0["id"]?.string == id }
        #expect(parked.map { $0["reason"]?.string } == ["key_expired"])
        await shop.service.origin.stop()
    }
}
