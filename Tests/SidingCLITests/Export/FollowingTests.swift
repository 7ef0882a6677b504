// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// Following a resource by `siding export --changed-since`, each command a process of its own.
@Suite(.serialized)
struct FollowingTests {
    private func start() async throws -> (Service, Sandbox) {
        let service = try await Service.start(items: 4)
        let sandbox = try Sandbox.with(
            service,
            more: """
                  others: { path: /items, key: id }
                writes:
                  items: { update: { path: "/items/{id}" }, delete: { path: "/items/{id}" } }
                """)
        #expect(try await sandbox.siding("sync").status == 0)
        return (service, sandbox)
    }

    private func put(_ service: Service, _ number: Int, _ title: String) {
        service.items.put(Service.item(number, title: title))
    }

    @Test func `the feed has the changes since a run, and the run to continue from`() async throws {
        let (service, sandbox) = try await start()
        put(service, 2, "new")
        put(service, 9, "more")
        #expect(try await sandbox.siding("sync", "items").status == 0)
        try await sandbox.delete("3")
        let feed = try await sandbox.siding("export", "items", "--changed-since", "1")
        #expect(feed.status == 0)
        #expect(feed.error == "later changes: --changed-since 2\n")
        let lines = try feed.objects()
        #expect(lines.map { $0["change"]?.string } == ["updated", "deleted", "inserted"])
        #expect(lines.map { $0["key"]?.string } == ["2", "3", "9"])
        let titles: [String?] = lines.map { $0["body"]?["title"]?.string }
        #expect(titles == ["new 2", nil, "more 9"])
        #expect(lines[1]["body"] == nil && lines[1]["deleted_at"] != nil)
        #expect(lines.allSatisfy { $0["changed_at"] != nil })
        // What a write of one's own did is of no run.
        #expect(lines.map { $0["run"] != nil } == [true, false, true])

        let table = try await sandbox.siding("export", "items", "--changed-since", "1", "--format", "csv", "-q")
        let rows: [String] = [
            "siding_change,siding_key,id,title,price,siding_pending", "updated,2,2,new 2,2.50,0", "deleted,3,,,,",
            "inserted,9,9,more 9,9.50,0", "",
        ]
        #expect(table.output == rows.joined(separator: "\n"))
        #expect(table.error == "")
        let summary = try await sandbox.siding("export", "items", "--changed-since", "1", "-o", "f.csv", "--json")
            .object()
        #expect(summary["since"] == .number(1) && summary["run"] == .number(2))
        for kind in ["inserted", "updated", "deleted"] { #expect(summary[kind] == .number(1), "\(kind)") }
        await service.origin.stop()
    }

    @Test func `since 0 the feed has all live records and all deletions, since the newest run nothing`() async throws {
        let (service, sandbox) = try await start()
        try await sandbox.delete("3")
        let all = try await sandbox.siding("export", "items", "--changed-since", "0").objects()
        #expect(all.map { $0["change"]?.string } == ["inserted", "inserted", "deleted", "inserted"])
        #expect(try await sandbox.siding("sync", "others").status == 0)
        let none = try await sandbox.siding("export", "items", "--changed-since", "2")
        #expect(none.status == 0)
        #expect(none.output == "")
        await service.origin.stop()
    }

    @Test func `a copy that follows run by run equals the origin, regardless of who changed it`() async throws {
        let (service, sandbox) = try await start()
        var copy: [String: String] = [:]
        var run = "0"
        var random = SeededGenerator(seed: 12)
        for pass in 1...6 {
            let summary = try await sandbox.siding(
                "export", "items", "--changed-since", run, "--json", "-o", "feed.jsonl", "--force"
            ).object()
            for line in try String(contentsOfFile: sandbox.file("feed.jsonl"), encoding: .utf8).split(separator: "\n") {
                let change = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
                let key = try #require(change["key"]?.string)
                copy[key] = change["change"] == .string("deleted") ? nil : change["body"]?["title"]?.string
            }
            let stored = try await sandbox.siding("records", "list", "items", "--json").objects()
            var wanted: [String: String] = [:]
            for record in stored { wanted[record["key"]?.string ?? ""] = record["body"]?["title"]?.string }
            #expect(copy == wanted, "round \(pass)")
            run = String(try #require(summary["run"]?.int))
            for _ in 0..<3 { put(service, Int.random(in: 1...8, using: &random), "round \(pass)") }
            #expect(try await sandbox.siding("sync", pass.isMultiple(of: 2) ? "items" : "others").status == 0)
            try await sandbox.delete(String(Int.random(in: 1...8, using: &random)))
        }
        await service.origin.stop()
    }

    @Test func `an own write is in the feed at once, between two runs`() async throws {
        let (service, sandbox) = try await start()
        let kept = try await sandbox.siding("send", "items.update", "2", "-d", #"{"title":"mine"}"#, "--no-send")
        #expect(kept.status == 0, "\(kept.error)")
        #expect(try await sandbox.siding("send", "items.delete", "4", "--no-send").status == 0)
        let feed = try await sandbox.siding("export", "items", "--changed-since", "1").objects()
        #expect(feed.map { $0["change"]?.string } == ["updated", "deleted"])
        #expect(feed.first?["body"]?["title"] == .string("mine"))
        #expect(feed.first?["pending"] == .number(1))
        await service.origin.stop()
    }

    @Test func `an unfinished run is refused with 64, and the newest finished run is named`() async throws {
        let (service, sandbox) = try await start()
        try await sandbox.sqlite(
            sandbox.file("test.db"),
            "INSERT INTO siding_runs (command, owner, started_at, revisions) VALUES ('sync', 'x', 1, '{}')")
        let refused = try await sandbox.siding("export", "items", "--changed-since", "2")
        #expect(refused.status == 64)
        #expect(refused.error.contains("the newest run that has ended is 1"))
        await service.origin.stop()
    }
}

extension Sandbox {
    /// Makes a tombstone as a deletion of the program's own would.
    fileprivate func delete(_ key: String) async throws {
        try await sqlite(
            file("test.db"),
            """
            UPDATE siding_resources SET revision = revision + 1 WHERE name = 'items';
            UPDATE siding_records_items SET deleted_at = unixepoch() * 1000000, run = 0,
                revision = (SELECT revision FROM siding_resources WHERE name = 'items')
            WHERE key = '\(key)' AND deleted_at IS NULL;
            """)
    }
}
