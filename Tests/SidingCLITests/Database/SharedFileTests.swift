// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// Two configs on one file, and a file in which nothing is yet.
@Suite(.serialized)
struct SharedFileTests {
    private func config(_ service: Service, source: String, key: String = "id", database: String? = nil) -> String {
        """
        version: 1
        \(database.map { "database: { path: \($0) }" } ?? "")
        sources: { \(source): { base_url: \(service.url) } }
        resources:
          items: { path: /items, key: \(key), deletes: { detect: complete_listing } }
        """
    }

    @Test func `a resource of another source and origin is refused before any request`() async throws {
        let (one, other) = (try await Service.start(), try await Service.start(items: 3))
        let sandbox = try Sandbox()
        try sandbox.write(config(one, source: "github"), to: "a.yaml")
        try sandbox.write(config(other, source: "gitlab", key: "title"), to: "b.yaml")
        #expect(try await sandbox.siding("sync", "--config", "a.yaml").status == 0)
        let plan = try await sandbox.siding("plan", "--config", "b.yaml")
        let rehearsal = try await sandbox.siding("plan", "--fetch", "--config", "b.yaml")
        let sync = try await sandbox.siding("sync", "--config", "b.yaml")
        let few = try await sandbox.siding("sync", "--limit", "1", "--config", "b.yaml")
        for outcome in [plan, rehearsal, sync, few] {
            #expect(outcome.status == 78, "\(outcome.everything)")
            #expect(
                outcome.everything.contains(
                    "'items' in \(sandbox.database) belongs to the source 'github' (\(one.url)), with 40 records; "
                        + "here it belongs to 'gitlab' (\(other.url))"))
            #expect(outcome.everything.contains("set database.path in one of them"))
        }
        let objects = try await sandbox.siding("plan", "--json", "--config", "b.yaml")
        #expect(try objects.object()["error"]?["name"]?.string == "foreign_resource")
        #expect(other.targets == [])
        #expect(try await sandbox.siding("sync", "--config", "a.yaml").status == 0)
        let count = try await sandbox.siding("records", "count", "items", "--config", "a.yaml", "--json").object()
        #expect(count["count"] == .number(40) && count["deleted"] == .number(0))

        // Where it is meant, a person says so, once. Under another key the records have to be forgotten first.
        let keyed = try await sandbox.siding("sync", "items", "--full", "--accept-deletes", "--config", "b.yaml")
        #expect(keyed.status == 78 && keyed.error.contains("'siding records forget items'"), "\(keyed.everything)")
        try sandbox.write(config(other, source: "gitlab"), to: "b.yaml")
        let meant = try await sandbox.siding("sync", "items", "--full", "--accept-deletes", "--config", "b.yaml")
        #expect(meant.status == 0, "\(meant.everything)")
        #expect(other.targets == ["/items"])
        #expect(try await sandbox.siding("sync", "--accept-deletes", "--config", "b.yaml").status == 0)
        #expect(try await sandbox.siding("sync", "--config", "a.yaml").status == 78)
        await one.origin.stop()
        await other.origin.stop()
    }

    @Test func `a source may change its name or origin, and may use a file without its records`() async throws {
        let (one, other) = (try await Service.start(), try await Service.start())
        let sandbox = try Sandbox()
        for (service, source) in [(one, "github"), (one, "hub"), (other, "hub")] {
            try sandbox.config(config(service, source: source))
            let sync = try await sandbox.siding("sync")
            #expect(sync.status == 0, "\(sync.everything)")
        }
        let empty = try await Service.start(items: 0)
        try sandbox.config(config(empty, source: "none", database: "empty.db"))
        #expect(try await sandbox.siding("sync").status == 0)
        try sandbox.config(config(one, source: "github", database: "empty.db"))
        #expect(try await sandbox.siding("sync").status == 0)
        for service in [one, other, empty] { await service.origin.stop() }
    }

    @Test func `a file without a byte is as none`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        try sandbox.write("", to: "test.db")
        let plan = try await sandbox.siding("plan")
        #expect(plan.status == 0 && plan.output.contains("first sync"), "\(plan.everything)")
        let rehearsal = try await sandbox.siding("plan", "--fetch")
        #expect(rehearsal.status == 0 && rehearsal.output.contains("40 new"), "\(rehearsal.everything)")
        for command in [["status"], ["records", "count"], ["queue", "list"], ["queue", "run"], ["db", "check"]] {
            let outcome = try await sandbox.siding(command)
            #expect(outcome.status == 66, "\(command): \(outcome.everything)")
            #expect(outcome.error.contains("there is no database at \(sandbox.file("test.db")) yet"))
        }
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("status").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    /// As Litestream does, for which the `sqlite3` shell stands in: it writes to a table of its own, holds a read all the
    /// time so that nobody empties the WAL, and makes the checkpoints itself.
    ///
    /// Without its passive checkpoints, which lose commits of others before SQLite 3.51.3 (`CheckpointRaceTests`).
    @Test func `another program may hold reads, checkpoint, and write to a table of its own beside syncs`()
        async throws
    {
        let service = try await Service.start(items: 100)
        let sandbox = try Sandbox.with(service)
        service.listen { number, request in
            guard request.target == "/items" else { return nil }
            for item in 1...100 { service.items.put(Service.item(item, title: "after request \(number)")) }
            return nil
        }
        #expect(try await sandbox.siding("sync").status == 0)
        let sync = ".shell \(try SidingBinary.path()) sync --quiet"
        let size = ".shell stat -c 'WAL %s' test.db-wal"
        let start = "PRAGMA busy_timeout = 10000; PRAGMA wal_autocheckpoint = 0;"
        let held = [
            start, "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);",
            "BEGIN; SELECT count(*) FROM _litestream_seq;", sync, sync, sync, sync, size, "COMMIT;", sync, size,
        ]
        let reader = try await sandbox.run(
            "/usr/bin/sqlite3", ["-batch", "-bail", "test.db"], input: held.joined(separator: "\n") + "\n")
        // The shell reports each command that does not exit 0.
        #expect(reader.status == 0 && reader.error == "", "\(reader.everything)")
        let sizes = reader.output.matches(of: /WAL ([0-9]+)/).compactMap { Int($0.1) }
        let bound = 256 * 8_192
        #expect(sizes.count == 2 && sizes[0] > bound && sizes[1] < bound, "\(reader.output)")

        let round = """
            BEGIN; SELECT count(*) FROM _litestream_seq; COMMIT; PRAGMA wal_checkpoint(TRUNCATE);
            INSERT INTO _litestream_seq VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1;

            """
        let other = try await sandbox.run(
            "/usr/bin/sqlite3", ["-batch", "-bail", "test.db"], input: start + String(repeating: round, count: 200)
        ) { _ in
            for _ in 1...3 {
                let beside = try await sandbox.siding("sync")
                #expect(beside.status == 0, "\(beside.everything)")
            }
        }
        #expect(other.status == 0 && other.error == "", "\(other.everything)")
        #expect(try await sandbox.siding("db", "check").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `plan --max-age lists the resources that sync --max-age would skip`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("plan", "--max-age", "1h").output.contains("because: first sync"))
        #expect(try await sandbox.siding("sync").status == 0)
        let fresh = try await sandbox.siding("plan", "--max-age", "1h")
        #expect(fresh.status == 0)
        #expect(fresh.output.contains("because: nothing now: complete "), "\(fresh.everything)")
        let rehearsal = try await sandbox.siding("plan", "--fetch", "--max-age", "1h")
        #expect(rehearsal.output.contains("a sync would skip it"), "\(rehearsal.everything)")
        #expect(try await !sandbox.siding("plan").output.contains("nothing now"))
        await service.origin.stop()
    }

    @Test func `an object below the root is one record, and its deletion is reported like any other`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service, resource: "records: $.resource, paginate: none, deletes: { detect: complete_listing }")
        service.listen { _, _ in .json(#"{"resource":[{"id":1},{"id":2},{"id":3}]}"#) }
        #expect(try await sandbox.siding("sync").status == 0)
        service.listen { _, _ in .json(#"{"resource":{"id":7}}"#) }
        #expect(try await sandbox.siding("sync").status == 0)
        // Two listings in a row lack three of four records: more than may be deleted at once.
        #expect(try await sandbox.siding("sync").status == 4)
        #expect(try await sandbox.count() == 4)
        try sandbox.config(service.config(resource: "records: \"$.resource[*]\", paginate: none"))
        let demanded = try await sandbox.siding("sync")
        #expect(demanded.status == 65)
        #expect(demanded.error.contains("where an object stands; without [*] the object is one record"))
        await service.origin.stop()
    }
}
