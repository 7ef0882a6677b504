// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

@Suite(.serialized)
struct UnchangedTests {
    @Test func `a second sync of unchanged data sends conditional requests only, writes no record, and prints nothing`()
        async throws
    {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let before = try await sandbox.siding("records", "list", "items", "--json").output
        service.origin.forgetRequests()

        let second = try await sandbox.siding("sync")
        #expect(second.status == 0)
        #expect(second.everything == "")
        #expect(service.origin.requests.count == 4)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.ifNoneMatch] != nil })
        #expect(try await sandbox.siding("records", "list", "items", "--json").output == before)
        let written = try await sandbox.siding(
            "query", "SELECT count(*) AS rows FROM siding_records_items WHERE run > 1", "--json")
        #expect(try written.object()["rows"] == .number(0))
        let shown = try await sandbox.siding("runs", "show", "2")
        #expect(shown.output.contains("items: not modified"))
        #expect(try await sandbox.siding("runs", "show", "2", "--json").object()["outcome"] == .string("not_modified"))
        await service.origin.stop()
    }

    @Test func `hundreds of unchanged pages are as many conditional requests, and no record is written`() async throws {
        let pages = Proof.choose(short: 300, middle: 1_000, long: 1_000)
        let service = try await Service.start(items: 2 * pages, pageSize: 2)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        service.origin.forgetRequests()
        let second = try await sandbox.siding("sync", "--json").object()
        #expect(second["outcome"] == .string("not_modified"))
        #expect(second["not_modified"] == .number(Double(pages)))
        #expect(service.origin.requests.count == pages)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.ifNoneMatch] != nil })
        let written = try await sandbox.siding(
            "query", "SELECT count(*) AS rows FROM siding_records_items WHERE run > 1", "--json")
        #expect(try written.object()["rows"] == .number(0))
        await service.origin.stop()
    }

    @Test func `where one record changed, one row is written`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        service.items.put(Service.item(25, title: "changed"))
        let report = try await sandbox.siding("sync", "--json").object()
        #expect(report["updated"] == .number(1))
        #expect(report["inserted"] == .number(0))
        #expect(report["not_modified"] == .number(3))
        let written = try await sandbox.siding("query", "SELECT key FROM siding_records_items WHERE run = 2", "--json")
        #expect(try written.object()["key"] == .number(25))
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `an origin without validators is read whole, and still no record is written`() async throws {
        let service = try await Service.start(validators: [])
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let report = try await sandbox.siding("sync", "--json").object()
        #expect(report["unchanged"] == .number(40))
        let written = try await sandbox.siding("query", "SELECT 1 FROM siding_records_items WHERE run = 2", "--json")
        #expect(written.output == "")
        await service.origin.stop()
    }
}
