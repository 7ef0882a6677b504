// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// The members of every `--json` object: a promise to scripts. Members may be added here, never renamed or removed.
@Suite(.serialized)
struct ShapeTests {
    private static let report: Set = [
        "resource", "outcome", "pages", "requests", "not_modified", "inserted", "updated", "unchanged", "stale",
        "deleted", "deletions_blocked", "quarantined", "duplicates", "bytes", "duration_ms",
    ]
    private static let entry: Set = [
        "id", "kind", "state", "source", "resource", "lane", "method", "url", "page", "attempts", "tries", "created_at",
    ]
    private static let run: Set = ["id", "command", "started_at", "ended_at", "outcome", "resources"]
    private static let error: Set = ["name", "message"]

    /// A store with a saved, a failed and a queued resource.
    private func sandbox() async throws -> (Service, Sandbox, sync: Outcome) {
        let other = RecordListing("/other", of: Dataset((1...20).map { Service.item($0) }), pageSize: 10)
        let service = try await Service.start(items: 10, routes: [other])
        let sandbox = try Sandbox.with(
            service, source: "retry: { inline: 0 }",
            more:
                "  other: { path: /other, key: id, paginate: link_header }\n  gone: { path: /gone, key: id, paginate: none }"
        )
        service.origin.inject(.status(500), at: OriginPattern(path: "/other", query: ["page": "2"]))
        return (service, sandbox, try await sandbox.siding("sync", "--json"))
    }

    private func names(_ object: [String: JSONValue]?) -> Set<String> { Set((object ?? [:]).keys) }

    @Test func `sync prints one object per resource`() async throws {
        let (service, _, sync) = try await sandbox()
        #expect(sync.error == "")
        let objects = try sync.objects()
        #expect(objects.map { $0["outcome"] } == [.string("saved"), .string("queued"), .string("failed")])
        #expect(names(objects[0]) == Self.report.union(["notes"]))
        #expect(names(objects[1]) == Self.report.union(["entry", "error"]))
        #expect(names(objects[2]) == Self.report.union(["error"]))
        #expect(names(objects[1]["error"]?.members) == Self.error.union(["status", "phase"]))
        #expect(names(objects[2]["error"]?.members) == Self.error.union(["status", "phase", "hint"]))
        #expect(objects[0]["inserted"] == .number(10))
        await service.origin.stop()
    }

    @Test func `records have key, body and times`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let record: Set = ["resource", "key", "body", "first_seen_at", "changed_at", "run"]
        let listed = try await sandbox.siding("records", "list", "items", "--json").objects()
        #expect(listed.count == 10)
        #expect(listed.allSatisfy { names($0) == record })
        #expect(names(try await sandbox.siding("records", "get", "items", "3", "--json").object()) == record)
        let found = try await sandbox.siding("search", "items", "item", "3", "--json").object()
        #expect(names(found) == record.union(["rank", "snippet"]))
        #expect(found["snippet"]?.array?.allSatisfy { names($0.members).isSuperset(of: ["text"]) } == true)
        let count = try await sandbox.siding("records", "count", "--json").objects()
        #expect(count.allSatisfy { names($0) == ["resource", "count", "deleted"] })
    }

    @Test func `times are RFC 3339 in UTC`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let record = try await sandbox.siding("records", "get", "items", "3", "--json").object()
        let time = try #require(record["changed_at"]?.string)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil)
    }

    @Test func `query prints the row's columns with their types`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let outcome = try await sandbox.siding(
            "query", "SELECT 1 AS i, 1.5 AS r, 'ä\n' AS t, NULL AS n, x'00ff' AS b, 9223372036854775807 AS big",
            "--json")
        #expect(outcome.output == #"{"i":1,"r":1.5,"t":"ä\n","n":null,"b":"AP8=","big":9223372036854775807}"# + "\n")
    }

    @Test func `queue list and queue show print entries`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let listed = try await sandbox.siding("queue", "list", "--json").object()
        #expect(names(listed) == Self.entry.union(["next_attempt_at", "last_error"]))
        let id = try #require(listed["id"]?.string)
        let shown = try await sandbox.siding("queue", "show", id, "--json").object()
        #expect(names(shown) == names(listed).union(["why", "next", "history"]))
        #expect(names(shown["history"]?.array?.first?.members) == ["at", "event", "detail", "by"])
        let held = try await sandbox.siding("queue", "hold", id, "--json").object()
        #expect(names(held) == Self.entry.union(["reason", "last_error", "action", "done"]))
        let refused = try await sandbox.siding("queue", "hold", id, "--json").object()
        #expect(names(refused) == Self.entry.union(["reason", "last_error", "action", "done", "refusal"]))
        let released = try await sandbox.siding("queue", "release", id, "--json").object()
        #expect(names(released) == Self.entry.union(["next_attempt_at", "last_error", "action", "done"]))
        let dropped = try await sandbox.siding("queue", "drop", id, "--yes", "--json").object()
        #expect(names(dropped) == Self.entry.union(["completed_at", "last_error", "action", "done"]))
    }

    @Test func `runs have their resources as sync does`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let listed = try await sandbox.siding("runs", "list", "--json").object()
        #expect(names(listed) == Self.run)
        #expect(listed["resources"]?.array?.allSatisfy { names($0.members).isSuperset(of: Self.report) } == true)
        #expect(try await sandbox.siding("runs", "show", "1", "--json").object() == listed)
    }

    @Test func `status is one object`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let status = try await sandbox.siding("status", "--json").object()
        #expect(
            names(status) == [
                "resources", "queue", "last_run", "connectivity", "limits", "targets", "bytes_last_day", "database",
            ])
        #expect(names(status["queue"]?.members) == ["queued", "sending", "parked"])
        #expect(names(status["database"]?.members) == ["path", "bytes", "schema", "free_bytes", "parts"])
        #expect(names(status["connectivity"]?.members) == ["usable_route", "gates"])
        #expect(names(status["last_run"]?.members) == Self.run)
        let resources = try #require(status["resources"]?.array)
        let always: Set = ["resource", "source", "records", "quarantined", "missing", "stale"]
        #expect(names(resources[0].members) == always.union(["completed_at"]))
        #expect(names(resources[1].members) == always.union(["checkpoint_page", "failing_since", "error"]))
    }

    @Test func `check, init, plan, doctor and db print objects too`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let check = try await sandbox.siding("check", "--json").object()
        #expect(names(check) == ["valid", "file", "sources", "resources", "writes", "database"])
        let plan = try await sandbox.siding("plan", "items", "--json").object()
        #expect(names(plan) == ["resource", "method", "url", "conditions", "reason", "paging", "deletes", "limits"])
        let doctor = try await sandbox.siding("doctor", "--json").objects()
        #expect(doctor.allSatisfy { names($0) == ["check", "level", "message"] })
        #expect(names(try await sandbox.siding("db", "path", "--json").object()) == ["path"])
        #expect(names(try await sandbox.siding("db", "check", "--json").object()) == ["ok", "findings"])
        #expect(names(try await sandbox.siding("db", "migrate", "--json").object()) == ["applied"])
        #expect(names(try await sandbox.siding("db", "backup", "copy.db", "--json").object()) == ["path"])
        let made = try await sandbox.siding("init", "--config", "other.yaml", "--json").object()
        #expect(names(made) == ["path", "example"])
    }

    @Test func `failures are one error object on standard output, with the exit code in it`() async throws {
        let (_, sandbox, _) = try await sandbox()
        let failures: [[String]] = [
            ["records", "get", "items", "absent"], ["records", "list", "absent"], ["runs", "show", "99"],
            ["queue", "show", "absent00"], ["sync", "absent"], ["query", "DROP VIEW items"], ["plan", "absent"],
            ["init"], ["db", "backup", "test.db"], ["check", "--config", "absent.yaml"], ["sync", "--limit", "0"],
        ]
        for arguments in failures {
            let outcome = try await sandbox.siding(arguments + ["--json"])
            #expect(outcome.status != 0, "\(arguments)")
            #expect(outcome.error == "", "\(arguments)")
            let object = try outcome.object()
            #expect(names(object) == ["error"], "\(arguments)")
            let error = try #require(object["error"]?.members)
            #expect(Set(error.keys).isSubset(of: ["code", "name", "message", "hint", "place"]))
            #expect(error["code"]?.int == Int(outcome.status), "\(arguments)")
            #expect(error["message"]?.string?.isEmpty == false)
            let words = try await sandbox.siding(arguments)
            #expect(words.status == outcome.status)
            #expect(words.output == "" && words.error != "", "\(arguments)")
        }
    }

    @Test func `stale and parked are exit codes of status, not errors`() async throws {
        let (service, sandbox, _) = try await sandbox()
        let stale = try await sandbox.siding("status", "--max-age", "1h", "--json")
        #expect(stale.status == 5)
        #expect(try stale.object()["resources"] != nil)
        let id = try #require(try await sandbox.siding("queue", "list", "--json").object()["id"]?.string)
        #expect(try await sandbox.siding("queue", "hold", id).status == 0)
        #expect(try await sandbox.siding("status", "--strict").status == 5, "a resource is failing")
        try sandbox.config(service.config(more: "  other: { path: /other, key: id, paginate: link_header }"))
        #expect(try await sandbox.siding("status", "--strict").status == 0, "held is a person's own wish")
    }

    @Test(arguments: [("1ms", Int32(5)), ("1h", 0)])
    func `data older than the config allows is stale`(age: String, code: Int32) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service, resource: "max_age: \(age)")
        #expect(try await sandbox.siding("sync").status == 0)
        let status = try await sandbox.siding("status", "--json")
        #expect(status.status == code)
        #expect(try status.object()["resources"]?.array?.first?["stale"] == .bool(code == 5))
        await service.origin.stop()
    }
}
