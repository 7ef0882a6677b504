// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

@Suite(.serialized)
struct DataFaultTests {
    @Test func `a page of broken JSON in mid-listing exits 65, keeps the pages before it, and saves no record`()
        async throws
    {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        service.origin.inject(.wrongJSON, skipping: 2, times: nil)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 65)
        #expect(outcome.output == "")
        #expect(outcome.error.contains("items: failed: "))
        #expect(outcome.error.contains("\(service.url)/items?page=3"))
        #expect(outcome.error.firstMatch(of: /(byte|offset) \d+/) != nil)
        #expect(try await sandbox.count() == 20)
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")

        service.origin.lift()
        service.origin.forgetRequests()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.targets.first == "/items?page=3")
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `with --json the fault is in the resource's object, and the exit code is the same`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        service.origin.inject(.content(type: "text/html", body: Array("Welcome.".utf8)), times: nil)
        let outcome = try await sandbox.siding("sync", "--json")
        #expect(outcome.status == 65)
        let object = try outcome.object()
        #expect(object["outcome"] == .string("failed"))
        #expect(object["error"]?["name"] == .string("contract"))
        #expect(object["error"]?["message"]?.string?.contains("text/html") == true)
        await service.origin.stop()
    }

    @Test func `a web page in place of JSON is queued, exit 75, and the next sync ends the listing`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        service.origin.inject(.notJSON, skipping: 2, times: nil)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 75)
        #expect(
            outcome.error.contains("items: queued: a web page answered instead: a login page of this network? (GET "))
        #expect(!outcome.error.contains("may be wrong"))
        #expect(try await sandbox.count() == 20)
        service.origin.lift()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `a web page where JSON never came from may be the answer to a wrong URL`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        service.origin.inject(.notJSON, times: nil)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 75)
        #expect(outcome.error.contains("'base_url' or 'path' may be wrong"))
        await service.origin.stop()
    }

    @Test
    func `records that break the contract are quarantined with their reason, the rest is saved, and the exit is 3`()
        async throws
    {
        let service = try await Service.start(routes: [])
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        service.listen { _, _ in
            .json(#"[{"id":1,"title":"good"},{"title":"no key"},{"id":2,"id":3,"title":"a name twice"},{"id":4}]"#)
        }
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 3)
        #expect(outcome.error.contains("2 records broke the contract"))
        #expect(try await sandbox.count() == 2)
        let rows = try await sandbox.siding(
            "query", "SELECT position, reason FROM siding_quarantine ORDER BY position", "--json"
        ).objects()
        #expect(rows.map { $0["position"] } == [.number(25), .number(44)], "the byte at which each record begins")
        #expect(rows.allSatisfy { $0["reason"]?.string?.isEmpty == false })
        await service.origin.stop()
    }

    @Test func `of records with one key on a page the last one stays, and the others are counted`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        service.listen { _, _ in .json(#"[{"id":1,"n":1},{"id":2},{"id":1,"n":2},{"id":1,"n":3}]"#) }
        let report = try await sandbox.siding("sync", "--json").object()
        #expect(report["outcome"] == .string("saved"))
        #expect(report["duplicates"] == .number(2))
        #expect(try await sandbox.siding("records", "get", "items", "1").output == #"{"id":1,"n":3}"# + "\n")
        await service.origin.stop()
    }

    @Test func `a body over the limit exits 65 and names the setting that raises it`() async throws {
        let service = try await Service.start(items: 2_000, pageSize: 2_000)
        let sandbox = try Sandbox.with(service, source: "http: { max_body: 16KiB }")
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("http.max_body"))
        await service.origin.stop()
    }

    /// Lists within lists.
    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `JSON that is nested too deep exits 65, and is not saved`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        service.listen { _, _ in .json(#"{"items":[{"id":1}],"rest":{"a":\#(Self.nested(127))}}"#) }
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 65)
        #expect(outcome.error.contains("nested deeper than 128"), "\(outcome.error)")
        #expect(try await sandbox.count() == 0)
        service.listen { _, _ in .json(#"{"items":[{"id":1}],"rest":{"a":\#(Self.nested(126))}}"#) }
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.count() == 1)
        await service.origin.stop()
    }

    @Test func `a record that is nested too deep is quarantined`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        service.listen { _, _ in .json(#"[{"id":1,"a":\#(Self.nested(127))},{"id":2,"a":\#(Self.nested(128))}]"#) }
        #expect(try await sandbox.siding("sync").status == 3)
        let row = try await sandbox.siding("query", "SELECT reason FROM siding_quarantine", "--json").object()
        #expect(row["reason"]?.string?.hasSuffix("nested deeper than 128") == true, "\(row)")
        await service.origin.stop()
    }

    @Test func `a changed records place is reported, even to cron, and the listing is full`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        service.origin.forgetRequests()
        try sandbox.config(service.config(resource: "records: '$[*]'"))
        let third = try await sandbox.siding("sync")
        #expect(third.status == 0)
        #expect(third.error.contains("items: the definition changed (records): full listing"))
        #expect(service.origin.requests.count == 4)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        let fourth = try await sandbox.siding("sync")
        #expect(fourth.everything == "")
        await service.origin.stop()
    }
}
