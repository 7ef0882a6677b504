// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import Testing

/// `siding db size`, `siding db vacuum`, and `keep:`, as commands.
@Suite struct SpaceTests {
    /// A database with free pages, as the commands find it.
    private func sandbox(_ service: Service, pages: Int = 400) async throws -> Sandbox {
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.sqlite(
            sandbox.file("test.db"),
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(pages))
            INSERT INTO siding_history (resource, key, body, pending, valid_from, valid_to, run, cause)
                SELECT (SELECT MIN(id) FROM siding_resources), 'old-' || i, hex(zeroblob(4000)), 0, 1, 1, 1, 'page' FROM n;
            DELETE FROM siding_history WHERE id % 64 <> 0;
            """)
        return sandbox
    }

    @Test func `db size shows what fills the file, and status shows the largest parts`() async throws {
        let service = try await Service.start()
        let sandbox = try await sandbox(service)
        let size = try await sandbox.siding("db", "size", "--json").object()
        #expect(try #require(size["free_bytes"]?.int) > 300 * 8_192)
        let shown = try await sandbox.siding("db", "size")
        #expect(shown.output.contains("records of items") && shown.output.contains("free"))
        let status = try await sandbox.siding("status", "--json").object()
        #expect(status["database"]?["free_bytes"]?.int == size["free_bytes"]?.int)
        #expect(status["database"]?["parts"] == size["parts"])
        #expect(try await sandbox.siding("status").output.contains(": free "))
        await service.origin.stop()
    }

    @Test func `the shares are of the database, and the log beside it has none`() async throws {
        // So few that the log is not written back into the database yet.
        let service = try await Service.start(items: 5)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let lines = try await sandbox.siding("db", "size").lines
        let log = try #require(lines.first { $0.hasPrefix("wal ") }, "\(lines)")
        #expect(!log.contains("%"))
        let shares = lines.compactMap { $0.firstMatch(of: /(\d+) %$/).flatMap { Int($0.1) } }
        // Each is rounded down.
        #expect(shares.count > 3)
        #expect((100 - shares.count...100).contains(shares.reduce(0, +)))
        let size = try await sandbox.siding("db", "size", "--json").object()
        let parts = try #require(size["parts"]?.array).compactMap { $0["bytes"]?.int }.reduce(0, +)
        let whole = try #require(size["bytes"]?.int)
        #expect(parts <= whole, "the whole has the log, too")
        #expect(try await sandbox.siding("status").output.contains("queue tables "))
        await service.origin.stop()
    }

    @Test func `db vacuum gives the free pages back`() async throws {
        let service = try await Service.start()
        let sandbox = try await sandbox(service)
        let returned = try await sandbox.siding("db", "vacuum", "--json").object()
        #expect(returned["free_bytes"]?.int == 0)
        #expect(try #require(returned["bytes_after"]?.int) < returned["bytes_before"]?.int ?? 0)
        #expect(try await sandbox.siding("db", "check").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        let again = try await sandbox.siding("db", "vacuum")
        #expect(again.status == 0 && again.error.contains(" now"))
        await service.origin.stop()
    }

    @Test func `db vacuum killed at any time leaves a sound file, and the next one continues`() async throws {
        let service = try await Service.start()
        let sandbox = try await sandbox(service, pages: 12_000)
        let log = sandbox.file("test.db-wal")
        for bytes in [1, 200_000, 2_000_000] {
            let killed = try await sandbox.siding(["db", "vacuum"]) { child in
                // A step is in the log before the kill, unless the command was faster than that.
                let end = ContinuousClock.now + .seconds(2)
                while ContinuousClock.now < end {
                    let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
                    if size ?? 0 >= bytes { break }
                    await Task.yield()
                }
                child.send(SIGKILL)
            }
            #expect(killed.status != 0 || bytes > 1)
            let check = try await sandbox.siding("db", "check")
            #expect(check.status == 0, "\(check.output)")
        }
        #expect(try await sandbox.siding("db", "vacuum", "--json").object()["free_bytes"]?.int == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        let left = try await sandbox.sqlite(sandbox.file("test.db"), "SELECT COUNT(*) FROM siding_history")
        #expect(left.output == "187\n")
        await service.origin.stop()
    }

    @Test func `a file without incremental vacuum is rewritten once, while no other process uses it`() async throws {
        let service = try await Service.start()
        let sandbox = try await sandbox(service)
        try await sandbox.sqlite(sandbox.file("test.db"), "PRAGMA auto_vacuum = NONE; VACUUM;")
        let refused = try await sandbox.siding("db", "vacuum")
        #expect(refused.status != 0 && refused.error.contains("siding db vacuum --full"), "\(refused.error)")

        let (arrived, released) = (Latch(), Latch())
        service.listen { _, _ in
            arrived.open()
            try? await released.wait()
            return nil
        }
        let sync = try await sandbox.siding(["sync"]) { child in
            try await arrived.wait()
            defer { released.open() }
            let busy = try await sandbox.siding("db", "vacuum", "--full")
            #expect(busy.status == 74, "\(busy.error)")
            #expect(busy.error.contains("in use by process \(child.processID)"), "\(busy.error)")
        }
        #expect(sync.status == 0)
        service.deafen()
        let rewritten = try await sandbox.siding("db", "vacuum", "--full", "--json").object()
        #expect(rewritten["free_bytes"]?.int == 0)
        #expect(try await sandbox.sqlite(sandbox.file("test.db"), "PRAGMA auto_vacuum").output == "2\n")
        #expect(try await sandbox.siding("db", "vacuum").status == 0)
        #expect(try await sandbox.siding("db", "check").status == 0)
        await service.origin.stop()
    }

    @Test func `keep is read from the config: runs, done and deleted`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, more: "keep: { runs: 1h, done: 1h, deleted: 1h }")
        #expect(try await sandbox.siding("sync").status == 0)
        // What is there now happened two hours ago: a record was deleted, an entry completed, and runs ended.
        let file = sandbox.file("test.db")
        try await sandbox.sqlite(
            file,
            """
            UPDATE siding_records_items SET deleted_at = changed_at - 7200000000, changed_at = changed_at - 7200000000
                WHERE key = 1;
            INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, created_at, not_before, completed_at)
                VALUES (printf('%026d', 1), 'write', 'done', 'shop', 'x', 1, 0, 1, 1, 1);
            INSERT INTO siding_outbox_requests (entry, method, url) SELECT seq, 'POST', 'x' FROM siding_outbox;
            UPDATE siding_runs SET started_at = started_at - 7200000000, ended_at = ended_at - 7200000000;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
                INSERT INTO siding_runs (command, owner, started_at, ended_at, outcome)
                SELECT command, owner, started_at, ended_at, outcome FROM siding_runs, n;
            """)
        #expect(try await sandbox.siding("records", "list", "items", "--deleted", "--json").lines.count == 1)
        #expect(try await sandbox.siding("sync").status == 0)
        let counts = """
            SELECT (SELECT COUNT(*) FROM siding_runs), (SELECT COUNT(*) FROM siding_outbox),
                (SELECT COUNT(*) FROM siding_records_items)
            """
        #expect(try await sandbox.sqlite(file, counts).output == "1000|0|39\n")
        await service.origin.stop()
    }

    @Test func `keep of a resource limits its records, and the sync reports how many were deleted`() async throws {
        let items = Dataset((1...25).map(Self.item))
        let listing = RecordListing(
            "/items", of: items, paging: .link, pageSize: 10, sinceParameter: "since", validators: [.etag])
        let origin = try await Origin.start { await listing.answer($0) ?? .notFound }
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            sources: { here: { base_url: "\(origin.url.origin)" } }
            resources:
              items: { path: /items, key: id, query: { since: "{cursor}" }, cursor: { path: $.at, type: integer }, keep: { records: 10 } }
            """)
        let first = try await sandbox.siding("sync", "items", "--json").object()
        #expect(
            first["notes"]?.array?.map(\.string) == [
                "paging: link_header", "15 old records were deleted, as 'keep' says",
            ])
        #expect(try await sandbox.count() == 10)
        items.put(Self.item(26))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.count() == 10)
        let keys = try await sandbox.siding("query", "SELECT MIN(id), MAX(id) FROM items", "--json")
        #expect(keys.output.contains("17") && keys.output.contains("26"))
        await origin.stop()
    }

    private static func item(_ number: Int) -> Dataset.Record {
        Dataset.Record(key: "\(number)", json: #"{"id":\#(number),"at":\#(100 + number)}"#, stamp: String(100 + number))
    }
}
