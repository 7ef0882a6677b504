// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// Records that go at the origin, with the binary, over a socket, into a file.
@Suite(.serialized)
struct DeletionTests {
    private static let absence = "deletes: { detect: complete_listing }"

    @Test func `records deleted at the origin are deleted here, a few at a time, and keep their bodies`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: "\(Self.absence), stable: true")
        #expect(try await sandbox.siding("sync").status == 0)
        for key in ["7", "30"] { service.items.remove(key) }
        let report = try await sandbox.siding("sync", "--json").object()
        #expect(report["deleted"] == .number(2))
        #expect(report["deletions_blocked"] == .number(0))
        #expect(try await sandbox.differences(from: service.items) == [])
        let gone = try await sandbox.siding("records", "list", "items", "--deleted", "--json").objects()
        #expect(gone.map { $0["key"] } == [.string("7"), .string("30")])
        #expect(try await sandbox.siding("records", "get", "items", "7").output.contains("item 7"))
        #expect(try await sandbox.siding("runs", "show", "2").output.contains("deleted 2"))
        service.items.put(Service.item(7))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `without deletes in the config every record stays`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        for run in 0..<3 {
            let outcome = try await sandbox.siding("sync", "-v")
            #expect(outcome.status == 0)
            let isTold = outcome.error.contains("items: 1 stored record was not listed (no 'deletes:')")
            if run < 2 { #expect(isTold == (run == 1), "\(outcome.error)") }
            service.items.remove("7")
        }
        #expect(try await sandbox.count() == 40)
        #expect(try await sandbox.siding("status").output.contains("keeps 1 that the origin no longer lists"))
        let gone = try await sandbox.siding("records", "why", "items", "7").output
        #expect(gone.contains("it did not contain the record") && !gone.contains("unchanged"), "\(gone)")
        #expect(gone.contains("without 'deletes: { detect: complete_listing }' it stays"), "\(gone)")
        #expect(try await sandbox.siding("records", "why", "items", "8").output.contains("the record was unchanged"))
        await service.origin.stop()
    }

    @Test
    func `most records missing: none is deleted, exit 4; accepted they are deleted, and undelete restores them`()
        async throws
    {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: Self.absence)
        #expect(try await sandbox.siding("sync").status == 0)
        let all = service.items.records
        for number in 1...24 { service.items.remove(String(number)) }
        // Numbered pages shift: three listings have to lack the records.
        for _ in 0..<2 { #expect(try await sandbox.siding("sync").status == 0) }
        #expect(try await sandbox.count() == 40)
        #expect(try await sandbox.siding("status").output.contains("24 missing at the origin, not deleted yet"))
        let why = try await sandbox.siding("records", "why", "items", "1").output
        #expect(why.contains("2 of 3 complete listings in a row did not contain it"), "\(why)")
        for _ in 0..<2 {
            let blocked = try await sandbox.siding("sync")
            #expect(blocked.status == 4)
            #expect(blocked.output == "")
            #expect(blocked.error.contains("24 records are missing at the origin"))
            #expect(blocked.error.contains("1, 2, 3, 4, 5, …"))
            #expect(blocked.error.contains("siding sync items --accept-deletes"))
            #expect(try await sandbox.count() == 40)
        }
        #expect(
            try await sandbox.siding("status").output.contains("blocked; 24 missing"))
        let quiet = try await sandbox.siding("status", "--strict", "-q")
        #expect(quiet.status == 5 && quiet.output.contains("blocked; 24 missing"))
        let shown = try await sandbox.siding("status", "--json").object()["resources"]?.array?.first
        #expect(shown?["deletions_blocked"] == .bool(true))
        #expect(try await sandbox.siding("sync", "--json").object()["deletions_blocked"] == .number(24))
        let runs = try await sandbox.siding("runs", "list").output.split(separator: "\n").map { line in
            line.split(separator: " ", omittingEmptySubsequences: true)
        }
        #expect(runs.first?.suffix(3) == ["DELETED", "BLOCKED", "COMMAND"])
        #expect(runs.dropFirst().map { $0.suffix(2).first } == ["24", "24", "24", "0", "0", "0"], "\(runs)")
        let accepted = try await sandbox.siding("sync", "--accept-deletes", "--json")
        #expect(accepted.status == 0)
        #expect(try accepted.object()["deleted"] == .number(24))
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(try await sandbox.siding("sync").everything == "")
        #expect(try await sandbox.siding("status", "--strict", "-q").everything == "")

        let newest = try await sandbox.siding("runs", "list", "--json").objects()
        let run = try #require(newest.first { $0["command"] == .string("sync --accept-deletes") }?["id"]?.int)
        // What came back meanwhile stays as it is.
        service.items.put(Service.item(1, title: "again"))
        #expect(try await sandbox.siding("sync").status == 0)
        let back = try await sandbox.siding("records", "undelete", String(run), "--json")
        #expect(back.status == 0)
        #expect(try back.object()["undeleted"] == .number(23))
        #expect(try await sandbox.count() == 40)
        #expect(try await sandbox.siding("records", "get", "items", "1").output.contains("again"))
        // No run wrote what lives again by a person's word.
        let records = try await sandbox.siding("records", "list", "items", "--json").objects()
        #expect(records.count { $0["run"] == nil } == 23 && records.allSatisfy { $0["run"] != .number(0) })
        let alive = try #require(records.first { $0["run"] == nil }?["key"]?.string)
        let reason = try await sandbox.siding("records", "why", "items", alive)
        #expect(reason.output.contains("lives again") && reason.output.contains("siding records undelete"), "\(reason)")
        #expect(try await sandbox.siding("records", "why", "items", alive, "--json").object()["undeleted_at"] != nil)
        for record in all.dropFirst() {
            #expect(try await sandbox.siding("query", "SELECT 1 AS n FROM items WHERE id = \(record.key)").status == 0)
        }
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.count() == 40)
        let again = try await sandbox.siding("records", "undelete", String(run))
        #expect(again.status == 0)
        #expect(again.error.contains("nothing that is still deleted"))
        #expect(try await sandbox.siding("records", "undelete", "999").status == 66)
        await service.origin.stop()
    }

    @Test func `undelete fails for deleted records that are no longer kept`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        // The run's list names a record whose tombstone was removed since.
        try await sandbox.sqlite(sandbox.file("test.db"), "INSERT INTO siding_tombstones VALUES (1, 1, 9999, 1)")
        let refused = try await sandbox.siding("records", "undelete", "1")
        #expect(refused.status == 66)
        #expect(refused.error.contains("1 record that run 1 deleted is not kept any longer"), "\(refused.error)")
        await service.origin.stop()
    }

    private static let asking = "deletes: { detect: complete_listing, verify: '/items/{id}' }"

    @Test
    func `with verification by GET a record hidden by listings stays, and one that answers 404 is deleted at once`()
        async throws
    {
        let service = try await Service.start()
        let hidden = Set(["7", "30"])
        service.listen { _, request in
            guard let key = request.path.split(separator: "/").dropFirst().first.map(String.init) else { return nil }
            return hidden.contains(key) ? .json(#"{"id":\#(key)}"#) : nil
        }
        let sandbox = try Sandbox.with(service, resource: Self.asking)
        #expect(try await sandbox.siding("sync").status == 0)
        for key in ["7", "12", "30"] { service.items.remove(key) }
        let report = try await sandbox.siding("sync", "--json").object()
        #expect(report["deleted"] == .number(1))
        #expect(service.targets.filter { $0.hasPrefix("/items/") }.sorted() == ["/items/12", "/items/30", "/items/7"])
        // What is there is not asked for again on the same day, however often listings lack it.
        for _ in 0..<2 { #expect(try await sandbox.siding("sync", "--json").object()["deleted"] == .number(0)) }
        #expect(service.targets.filter { $0.hasPrefix("/items/") }.count == 3)
        #expect(try await sandbox.count() == 39)
        #expect(try await sandbox.siding("db", "check").status == 0)
        await service.origin.stop()
    }

    @Test func `one resource that is blocked does not hold up the others, and 4 is the code of all`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service, resource: "\(Self.absence), stable: true", more: "  more: { path: /items, key: id }")
        #expect(try await sandbox.siding("sync").status == 0)
        // Two pages are left: a listing that shrinks to a single one would not count at once.
        for number in 1...25 { service.items.remove(String(number)) }
        let outcome = try await sandbox.siding("sync", "--json")
        #expect(outcome.status == 4)
        #expect(try outcome.objects().map { $0["resource"] } == [.string("items"), .string("more")])
        await service.origin.stop()
    }

    @Test func `an unchanged origin still costs no row, now that its pages' records are kept`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: Self.absence)
        for _ in 0..<2 { #expect(try await sandbox.siding("sync").status == 0) }
        let dump = "SELECT key, run, revision FROM siding_records_items; SELECT * FROM siding_missing"
        let before = try await sandbox.sqlite(sandbox.file("test.db"), dump).output
        #expect(try await sandbox.siding("sync", "--json").object()["outcome"] == .string("not_modified"))
        #expect(try await sandbox.sqlite(sandbox.file("test.db"), dump).output == before)
        await service.origin.stop()
    }

    @Test func `plan names the records that would count as deleted`() async throws {
        let service = try await Service.start()
        for (resource, words) in [
            ("", "deleted: nothing"), (Self.absence, "deleted: records missing from two complete listings"),
            ("\(Self.absence), stable: true", "deleted: records missing from a complete listing"),
            ("deletes: { field: $.gone, equals: true }", "deleted: records with $.gone = true"),
            (Self.asking, "deleted: records missing from a complete listing if /items/{id} answers 404 or 410"),
        ] {
            let sandbox = try Sandbox.with(service, resource: resource)
            #expect(try await sandbox.siding("plan").output.contains(words))
        }
        await service.origin.stop()
    }
}
