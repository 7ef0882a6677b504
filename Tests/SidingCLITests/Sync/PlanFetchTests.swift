// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import TestSupport
import Testing

@Suite(.serialized)
struct PlanFetchTests {
    @Test(arguments: 1...Proof.choose(short: 3, middle: 4, long: 60) as ClosedRange<UInt64>)
    func `plan --fetch shows the requests and rows of the sync after it`(seed: UInt64) async throws {
        let service = try await Service.start(items: 25)
        let sandbox = try Sandbox.with(service)
        var generator = SeededGenerator(seed: seed)
        for pass in 0..<3 {
            let before = try await dump(sandbox)
            service.origin.forgetRequests()
            let planned = try await sandbox.siding("plan", "--fetch", "--json")
            let asked = service.origin.requests.map { [$0.target, $0.headerFields[.ifNoneMatch] ?? ""] }
            #expect(try await dump(sandbox) == before)

            service.origin.forgetRequests()
            let synced = try await sandbox.siding("sync", "--json")
            #expect(service.origin.requests.map { [$0.target, $0.headerFields[.ifNoneMatch] ?? ""] } == asked)
            #expect(planned.status == synced.status)
            let (plan, sync) = (try planned.object(), try synced.object())
            for name in sync.keys where name != "duration_ms" && name != "notes" {
                #expect(plan[name] == sync[name], "\(name) in pass \(pass)")
            }
            #expect(Set(changes(plan)) == (try await changed(from: before, to: dump(sandbox))))
            mutate(service, &generator)
        }
        await service.origin.stop()
    }

    @Test func `before the first sync it makes no database, and it leaves no copy behind`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        try FileManager.default.createDirectory(atPath: sandbox.file("scratch"), withIntermediateDirectories: true)
        let plan = try await sandbox.siding(
            ["plan", "--fetch"], environment: ["TMPDIR": sandbox.file("scratch")])
        #expect(plan.status == 0)
        #expect(plan.output.contains("items: a sync would save 3 new, 0 changed, 0 deleted"))
        #expect(plan.output.contains("GET \(service.url)/items: 200"))
        #expect(plan.output.contains("inserted 2"))
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("test.db")))
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.file("scratch")) == [])
        await service.origin.stop()
    }

    @Test func `a failure is shown with the code of the sync, and nothing is retained`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
        let plan = try await sandbox.siding("plan", "--fetch", "--json")
        #expect(plan.status == 75)
        #expect(try plan.object()["outcome"] == .string("queued"))
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
    }

    @Test func `plan --fetch describes every outcome in a sentence`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        func plan() async throws -> String { try await sandbox.siding("plan", "--fetch").output }
        #expect(
            try await plan().hasPrefix("items: a sync would save 3 new, 0 changed, 0 deleted, 0 unchanged (1 page)\n"))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await plan().hasPrefix("items: a sync would change nothing: 0 new, 0 changed, 0 deleted, "))
        await service.origin.stop()
        #expect(try await plan().hasPrefix("items: a sync would queue a page: 0 new, 0 changed, 0 deleted, "))
    }

    @Test func `writes that wait are not sent`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("send", "--no-send", "POST", "shop:/items", "-d", "{}").status == 0)
        #expect(try await sandbox.siding("plan", "--fetch").status == 0)
        #expect(service.origin.requests.allSatisfy { $0.method == "GET" })
        await service.origin.stop()
    }

    @Test func `its requests count for the limits of the source`() async throws {
        let service = try await Service.start(items: 30)
        let sandbox = try Sandbox.with(service, source: "limits: [{ match: \"**\", rate: 8/h }]")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("plan", "--fetch").status == 0)
        #expect(service.origin.requests.count == 6)
        let third = try await sandbox.siding("plan", "--fetch", "--json")
        #expect(third.status == 75)
        #expect(service.origin.requests.count == 8)
        await service.origin.stop()
    }

    @Test func `its requests count before there is a database, those of each parent too, and it makes one for that`()
        async throws
    {
        let tracker = try await Tracker.start(issues: 3)
        let sandbox = try await Sandbox.with(tracker)
        let plain = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        let limits = #"retry: { inline: 0 }, limits: [{ match: "**", rate: 100/h }]"#
        try sandbox.config(plain.replacing("retry: { inline: 0 }", with: limits))
        let plan = try await sandbox.siding("plan", "--fetch")
        #expect(plan.status == 0, "\(plan.everything)")
        #expect(try await tracker.origin.requests.count == 4)
        let limit = try await sandbox.siding("status", "--json").object()["limits"]?.array?.first?.members
        #expect(limit?["used"]?.int == 4)
        let stored = try await sandbox.siding(
            "query", "--json", "SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'siding_records_%'")
        #expect(try stored.object()["n"]?.int == 0)
        try await tracker.origin.stop()
    }

    @Test(arguments: [["plan"], ["plan", "--fetch"], ["sync"]])
    func `parents come first in a plan as they do in a sync`(command: [String]) async throws {
        let tracker = try await Tracker.start(issues: 2)
        let sandbox = try await Sandbox.with(tracker)
        let told = try await sandbox.siding(command + ["comments", "issues", "--json"])
        #expect(try told.objects().map { $0["resource"]?.string } == ["issues", "comments"])
        try await tracker.origin.stop()
    }

    @Test(
        arguments: [
            ["--limit", "3"], ["--full"], ["--since", "4"], ["--backfill", "2..5"], ["--accept-deletes"],
        ])
    func `a plan takes the options of a sync`(flags: [String]) async throws {
        let service = try await Service.start(items: 30)
        let sandbox = try Sandbox.with(
            service, resource: #"query: { since: "{cursor}", until: "{until}" }, cursor: { path: $.id, type: integer }"#
        )
        #expect(try await sandbox.siding("sync").status == 0)
        let plan = try await sandbox.siding(["plan", "--json"] + flags).object()
        service.origin.forgetRequests()
        let fetched = try await sandbox.siding(["plan", "--fetch", "--json"] + flags)
        let asked = service.targets
        service.origin.forgetRequests()
        let synced = try await sandbox.siding(["sync", "--json"] + flags)
        #expect(service.targets == asked)
        #expect(plan["url"]?.string == "\(service.url)\(asked.first ?? "")")
        #expect(fetched.status == synced.status)
        for name in ["inserted", "updated", "unchanged", "deleted", "pages"] {
            #expect(try fetched.object()[name] == synced.object()[name], "\(name)")
        }
        await service.origin.stop()
    }

    @Test func `an invalid cursor value is refused before any request`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("plan", "--since", "4").status == 64)
        #expect(try await sandbox.siding("plan", "--full", "--since", "4").status == 64)
        #expect(try await sandbox.siding("plan", "--limit", "0").status == 64)
        await service.origin.stop()
    }

    @Test func `secrets in URLs are not shown`() async throws {
        let service = try await Service.start(items: 2)
        let sandbox = try Sandbox.with(
            service, source: "auth: { type: api_key, in: query, name: pass, key: { env: PASS } }")
        let plan = try await sandbox.siding(["plan", "--fetch", "--json"], environment: ["PASS": "hush-hush"])
        #expect(plan.status == 0)
        #expect(service.targets.contains { $0.contains("hush-hush") })
        #expect(!plan.everything.contains("hush-hush"))
        await service.origin.stop()
    }

    // MARK: What is compared

    /// Every record, tombstones included.
    private func dump(_ sandbox: Sandbox) async throws -> [String: String] {
        guard FileManager.default.fileExists(atPath: sandbox.file("test.db")) else { return [:] }
        let tables = try await sandbox.siding(
            "query", "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'siding_records_%'", "--json")
        var texts: [String: String] = [:]
        for table in try tables.objects().compactMap({ $0["name"]?.string }) {
            let rows = try await sandbox.siding(
                "query",
                """
                SELECT CAST(key AS TEXT) AS key, body || COALESCE(' deleted ' || deleted_at, '') AS text FROM "\(table)"
                """, "--json")
            for row in try rows.objects() {
                guard case .string(let key)? = row["key"], case .string(let text)? = row["text"] else { continue }
                texts[key] = text
            }
        }
        return texts
    }

    private func changes(_ plan: [String: JSONValue]) -> [String] {
        guard case .array(let changes)? = plan["changes"] else { return [] }
        return changes.compactMap { change in
            guard case .object(let members) = change, case .string(let key)? = members["key"],
                case .string(let kind)? = members["change"]
            else { return nil }
            return "\(kind) \(key)"
        }
    }

    private func changed(from before: [String: String], to after: [String: String]) -> Set<String> {
        after.reduce(into: []) { changes, record in
            let (was, isNow) = (isLive(before[record.key]), isLive(record.value))
            switch (was, isNow) {
            case (true, true): if before[record.key] != record.value { changes.insert("updated \(record.key)") }
            case (true, false): changes.insert("deleted \(record.key)")
            case (false, true): changes.insert("inserted \(record.key)")
            case (false, false): break
            }
        }
    }

    private func isLive(_ text: String?) -> Bool { text.map { !$0.contains(" deleted ") } ?? false }

    private func mutate(_ service: Service, _ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let number = Int.random(in: 1...35, using: &generator)
            if Bool.random(using: &generator) {
                service.items.put(Service.item(number, title: "v\(Int.random(in: 0...9, using: &generator))"))
            } else {
                _ = service.items.remove(String(number))
            }
        }
    }
}
