// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import Testing

/// What records were and where they came from, as a person asks for it: the built program over a real origin.
@Suite(.serialized)
struct HistoryCommandTests {
    private static func service(_ pages: String...) async throws -> Service {
        let service = try await Service.start()
        service.listen { number, _ in .json(pages[min(number, pages.count) - 1]) }
        return service
    }

    @Test func `history shows the versions, and a query as of each shows what was there`() async throws {
        let service = try await Self.service(
            #"[{"id":1,"title":"one","tags":[1]},{"id":2}]"#, #"[{"id":1,"title":"ONE","tags":[1]},{"id":2}]"#,
            #"[{"id":1,"tags":[1,2]},{"id":2}]"#)
        let sandbox = try Sandbox.with(service, resource: "paginate: none, history: true")
        for _ in 1...3 { #expect(try await sandbox.siding("sync").status == 0) }

        let versions = try await sandbox.siding("records", "history", "items", "1", "--json").objects()
        #expect(versions.map { $0["change"]?.string } == ["updated", "updated", "inserted"])
        #expect(versions.map { $0["run"]?.int } == [3, 2, 1])
        #expect(versions[1]["to"] == versions[0]["from"] && versions[2]["to"] == versions[1]["from"])
        #expect(versions[0]["to"] == nil && versions[2]["differences"] == nil)
        let changed = versions[0]["differences"]?.array
        #expect(changed?.map { $0["path"]?.string } == ["$.tags", "$.title"])
        #expect(changed?[1].members == ["path": .string("$.title"), "old": .string("ONE")])
        for (version, title) in zip(versions, ["", "ONE", "one"]) {
            let moment = try #require(version["from"]?.string)
            let query = try await sandbox.siding("query", "--as-of", moment, "SELECT title FROM items WHERE id = 1")
            #expect(query.output == "title\n\(title)\n")
        }
        let table = try await sandbox.siding("records", "history", "items", "1", "--limit", "2")
        #expect(
            table.output.contains("$.title") && table.output.contains(#""ONE""#) && !table.output.contains("inserted"))
        #expect(table.status == 0 && table.error == "")
        #expect(try await sandbox.siding("records", "history", "items", "9").status == 66)
        #expect(try await sandbox.siding("records", "history", "absent", "9").status == 66)
        #expect(try await sandbox.siding("records", "history", "items", "1", "--limit", "0").status == 64)
        await service.origin.stop()
    }

    @Test func `the config limits the number of earlier versions`() async throws {
        let service = try await Self.service(#"[{"v":1,"id":1}]"#, #"[{"v":2,"id":1}]"#, #"[{"v":3,"id":1}]"#)
        let sandbox = try Sandbox.with(service, resource: "paginate: none, history: { versions: 1 }")
        for _ in 1...3 { #expect(try await sandbox.siding("sync").status == 0) }
        let versions = try await sandbox.siding("records", "history", "items", "1", "--json").objects()
        #expect(versions.map { $0["run"]?.int } == [3, 2])
        await service.origin.stop()
    }

    @Test func `a version replaced longer ago than the config allows is deleted by the next sync`() async throws {
        let service = try await Self.service(#"[{"v":1,"id":1}]"#, #"[{"v":2,"id":1}]"#, #"[{"v":3,"id":1}]"#)
        let sandbox = try Sandbox.with(service, resource: "paginate: none, history: { keep: 1d }")
        for _ in 1...2 { #expect(try await sandbox.siding("sync").status == 0) }
        func runs() async throws -> [Int?] {
            try await sandbox.siding("records", "history", "items", "1", "--json").objects().map { $0["run"]?.int }
        }
        #expect(try await runs() == [2, 1])
        let days = 2 * 86_400 * 1_000_000
        try await sandbox.sqlite(
            sandbox.file("test.db"),
            "UPDATE siding_history SET valid_from = valid_from - \(days), valid_to = valid_to - \(days)")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await runs() == [3, 2])
        await service.origin.stop()
    }

    @Test func `looking back where nothing is known is refused with 64 and the reason`() async throws {
        let service = try await Self.service(#"[{"id":1}]"#)
        let plain = "  plain: { source: shop, path: /items, key: id, paginate: none }"
        let sandbox = try Sandbox.with(service, resource: "paginate: none, history: { keep: 1d }", more: plain)
        #expect(try await sandbox.siding("sync").status == 0)
        for (time, sql, reason) in [
            ("1h", "SELECT * FROM items", "the history of 'items' reaches back to"),
            ("0s", "SELECT * FROM plain", "'plain' keeps no history"),
            ("0s", "SELECT * FROM siding_records_items", "'siding_records_items' has only its present content"),
            ("2999-01-01", "SELECT * FROM items", "lies in the future"),
        ] {
            let outcome = try await sandbox.siding("query", "--as-of", time, sql)
            #expect(outcome.status == 64 && outcome.error.contains(reason) && outcome.output == "", "\(outcome.error)")
        }
        let error = try await sandbox.siding("query", "--as-of", "1h", "SELECT * FROM items", "--json").object()[
            "error"]
        #expect(error?["name"] == .string("invalid_query"))
        #expect(try await sandbox.siding("query", "--as-of", "yesterday", "SELECT 1").status == 64)
        let present = try await sandbox.siding("records", "history", "plain", "1")
        #expect(present.status == 0 && present.error.contains("'plain' keeps no history"))
        await service.origin.stop()
    }

    @Test func `why prints run, request and page of a record, and a 304 that confirmed it`() async throws {
        let service = try await Service.start(items: 20, pageSize: 10)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let first = try await sandbox.siding("records", "why", "items", "15", "--json").object()
        #expect(first["cause"] == .string("page") && first["run"]?.int == 1 && first["command"]?.string == "sync")
        let request = try #require(first["request"]?.members)
        #expect(request["method"] == .string("GET") && request["page"]?.int == 2 && request["status"]?.int == 200)
        #expect(request["url"]?.string?.hasPrefix(service.url) == true && request["etag"]?.string?.isEmpty == false)
        #expect(first["confirmed_at"] == request["at"] && first["page_status"]?.int == 200)

        #expect(try await sandbox.siding("sync").status == 0)
        let second = try await sandbox.siding("records", "why", "items", "15", "--json").object()
        #expect(second["request"] == first["request"] && second["page_status"]?.int == 304)
        #expect(second["listing_run"]?.int == 2 && second["confirmed_at"]?.string != first["confirmed_at"]?.string)
        let report = try await sandbox.siding("records", "why", "items", "15")
        #expect(report.output.contains("its page is unchanged (304)") && report.output.contains("1 (sync)"))
        #expect(try await sandbox.siding("records", "why", "items", "99").status == 66)
        await service.origin.stop()
    }
}
