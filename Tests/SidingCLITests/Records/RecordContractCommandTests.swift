// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// Columns, children, contract and quarantine as a person meets them: the built program over a real origin.
@Suite(.serialized)
struct RecordContractCommandTests {
    private static let strict = "paginate: none, contract: { new_fields: quarantine, type_change: quarantine }"

    private static func service(_ pages: String...) async throws -> Service {
        let service = try await Service.start()
        service.listen { number, _ in .json(pages[min(number, pages.count) - 1]) }
        return service
    }

    @Test func `records that break the contract are quarantined, exit 3, and the rest is saved`() async throws {
        let service = try await Self.service(
            #"[{"id":1,"v":1}]"#, #"[{"id":1,"v":2},{"id":2,"v":"x"},{"id":3,"w":1}]"#)
        let sandbox = try Sandbox.with(service, resource: Self.strict)
        #expect(try await sandbox.siding("sync").status == 0)
        let second = try await sandbox.siding("sync")
        #expect(second.status == 3)
        #expect(second.error.contains("2 records broke the contract: 'siding quarantine list'"))
        #expect(try await sandbox.siding("records", "get", "items", "1").output == #"{"id":1,"v":2}"# + "\n")
        #expect(try await sandbox.count() == 1)

        let listed = try await sandbox.siding("quarantine", "list", "--json").objects()
        #expect(listed.map { $0["key"]?.string } == ["2", "3"])
        #expect(listed.map { $0["rule"]?.string } == ["type_change", "new_field"])
        #expect(listed.allSatisfy { $0["run"]?.int == 2 && $0["url"]?.string?.hasSuffix("/items") == true })
        let table = try await sandbox.siding("quarantine", "list")
        #expect(table.lines.count == 3 && table.output.contains("'v' is a string, before it was a number"))
        let id = try #require(listed[1]["id"]?.int).description
        let shown = try await sandbox.siding("quarantine", "show", id)
        #expect(shown.output.contains("the member 'w' is new") && shown.output.contains(#"{"id":3,"w":1}"#))
        #expect(try await sandbox.siding("quarantine", "show", id, "--body").output == #"{"id":3,"w":1}"#)
        let object = try await sandbox.siding("quarantine", "show", id, "--json").object()
        #expect(object["body"] == .object(["id": .number(3), "w": .number(1)]))
        await service.origin.stop()
    }

    @Test(arguments: [
        (#"{"id":"a2"}"#, "'siding records forget items' removes the records with the old ones"),
        (#"{"v":2}"#, "name the member that has the key in `key:` of 'items' in the config"),
        (#"{"id":[2]}"#, "name the member that has the key in `key:` of 'items' in the config"),
    ])
    func `a record without a key of the resource's kind names the way out`(record: String, way: String) async throws {
        let service = try await Self.service(#"[{"id":1}]"#, #"[{"id":1},\#(record)]"#)
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        #expect(try await sandbox.siding("sync").status == 0)
        let second = try await sandbox.siding("sync")
        #expect(second.status == 3)
        #expect(second.error.contains("1 record was not saved (") && second.error.contains(way), "\(second.error)")
        let listed = try await sandbox.siding("quarantine", "list", "--json").object()
        let id = try #require(listed["id"]?.int).description
        #expect(try await sandbox.siding("quarantine", "show", id).output.contains(way))
        await service.origin.stop()
    }

    @Test func `with fail the page is a fault: exit 65, and no record is saved`() async throws {
        let service = try await Self.service(#"[{"id":1,"v":1}]"#, #"[{"id":2,"v":2},{"id":3,"v":"x"}]"#)
        let sandbox = try Sandbox.with(service, resource: "paginate: none, contract: { type_change: fail }")
        #expect(try await sandbox.siding("sync").status == 0)
        let second = try await sandbox.siding("sync")
        #expect(second.status == 65)
        #expect(second.error.contains("'v' is a string, before it was a number"))
        #expect(second.error.contains("\(service.url)/items"))
        #expect(try await sandbox.count() == 1)
        #expect(try await sandbox.siding("quarantine", "list", "--json").output == "")
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        await service.origin.stop()
    }

    @Test func `retry saves the records that the present config accepts, without a request`() async throws {
        let service = try await Self.service(#"[{"id":1,"v":1},{"id":2,"v":"x"},{"v":3}]"#)
        let sandbox = try Sandbox.with(service, resource: Self.strict)
        #expect(try await sandbox.siding("sync").status == 3)
        let refused = try await sandbox.siding("quarantine", "retry")
        #expect(refused.status == 1 && refused.error.contains("stays in quarantine"))
        service.origin.forgetRequests()
        try sandbox.config(service.config(resource: "paginate: none"))
        let retried = try await sandbox.siding("quarantine", "retry", "--json")
        #expect(retried.status == 3)
        #expect(try retried.objects().map { $0["done"]?.bool } == [true, false])
        #expect(service.targets == [])
        #expect(try await sandbox.count() == 2)
        let run = try #require(try await sandbox.siding("runs", "list", "--json").objects().first)
        #expect(run["command"] == .string("quarantine retry") && run["outcome"] == .string("partial"))
        #expect(run["resources"]?.array?.first?["inserted"] == .number(1))
        await service.origin.stop()
    }

    @Test func `drop needs --yes, and forgets the selected records`() async throws {
        let service = try await Self.service(#"[{"id":1},{"v":3},{"v":4}]"#)
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        #expect(try await sandbox.siding("sync").status == 3)
        #expect(try await sandbox.siding("quarantine", "drop").status == 64)
        let unasked = try await sandbox.siding("quarantine", "drop", "1")
        #expect(unasked.status == 64 && unasked.error.contains("needs --yes"))
        #expect(try await sandbox.siding("quarantine", "drop", "--all", "--dry-run").status == 0)
        #expect(try await sandbox.siding("quarantine", "list", "--json").objects().count == 2)
        #expect(try await sandbox.siding("quarantine", "drop", "1", "--yes", "--json").object()["done"] == .bool(true))
        #expect(try await sandbox.siding("quarantine", "drop", "--resource", "items", "--yes").status == 0)
        #expect(try await sandbox.siding("quarantine", "list", "--json").output == "")
        for arguments in [["drop", "--all", "--yes"], ["show", "9"], ["retry", "9"], ["drop", "9", "--yes"]] {
            let refused = try await sandbox.siding(["quarantine"] + arguments)
            #expect(refused.status == 66, "\(arguments)")
            let why =
                arguments.contains("--all")
                ? "no quarantined record is selected" : "no quarantined record has the number 9"
            #expect(refused.error.contains(why), "\(refused.error)")
        }
        #expect(try await sandbox.siding("quarantine", "retry").status == 0)
        await service.origin.stop()
    }

    @Test func `a sync without a line makes the columns of the config`() async throws {
        let service = try await Self.service(
            #"[{"id":1,"at":"2024-01-31T10:00:00+02:00","tags":["a","b"],"user":{"login":"ada"}}]"#)
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
        try sandbox.config(
            service.config(
                resource:
                    "paginate: none, columns: { at: { type: datetime, index: true }, who: $.user.login }, children: { tags: { path: \"$.tags[*]\" } }"
            ))
        #expect(try await sandbox.siding("sync").status == 75)
        let query = "SELECT i.*, t.value FROM items i JOIN items_tags t ON t.siding_parent = i.siding_key ORDER BY 4"
        #expect(
            try await sandbox.siding("query", query).output
                == "at\twho\tsiding_key\tvalue\n2024-01-31T08:00:00.000Z\tada\t1\ta\n2024-01-31T08:00:00.000Z\tada\t1\tb\n"
        )
        #expect(try await sandbox.siding("db", "check").status == 0)
    }

    @Test func `columns of elements are shown by their type and the format of the config`() async throws {
        let service = try await Self.service(
            #"[{"id":1,"events":[{"at":86400},{"at":86400000}]},{"id":2,"events":[]}]"#)
        let columns =
            "{ at: { type: datetime, format: epoch }, late: { type: datetime, path: $.at, format: epoch_ms } }"
        let sandbox = try Sandbox.with(
            service, resource: "paginate: none, children: { events: { path: \"$.events[*]\", columns: \(columns) } }")
        #expect(try await sandbox.siding("sync").status == 0)
        let rows = try await sandbox.siding(
            "query", "SELECT at, late FROM items_events ORDER BY siding_position", "--json"
        ).objects()
        #expect(rows.first?["at"] == .string("1970-01-02T00:00:00.000Z"))
        #expect(rows.last?["late"] == .string("1970-01-02T00:00:00.000Z"))
        await service.origin.stop()
    }

    @Test func `schema prints types, shares, new fields, and fitting columns`() async throws {
        let service = try await Self.service(
            #"[{"id":1,"at":"2024-01-31T10:00:00Z","n":null,"user":{"login":"ada"},"tags":[{"name":"x"}]},{"id":2,"at":"2024-02-01T00:00:00+01:00"}]"#,
            #"[{"id":1,"at":"2024-01-31T10:00:00Z","big":18446744073709551616,"q\"x":1},{"id":2,"at":"2024-02-01T00:00:00Z"}]"#
        )
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        #expect(try await sandbox.siding("sync").status == 0)
        let first = try await sandbox.siding("schema", "items", "--json").object()
        #expect(first["records"] == .number(2) && first["scanned"] == .number(2))
        let fields = try #require(first["fields"]?.array)
        #expect(
            fields.compactMap { $0["path"]?.string } == ["$.id", "$.at", "$.n", "$.user", "$.user.login", "$.tags"])
        #expect(fields[0]["types"] == .object(["integer": .number(2)]) && fields[0]["column"] == .string("id"))
        #expect(fields[2]["nulls"] == .number(1) && fields[2]["missing"] == .number(1))
        #expect(fields.allSatisfy { $0["new"] == .bool(false) })

        let yaml = try await sandbox.siding("schema", "items", "--suggest")
        #expect(
            yaml.output == """
                columns:
                  id: integer
                  at: { type: datetime, index: true }
                  'n': '$.n'
                  user_login: { type: text, path: '$.user.login' }
                children:
                  tags: { path: '$.tags[*]' }

                """)
        let indented = yaml.output.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        let plain = service.config().replacing(
            "items: { path: /items, key: id }", with: "items:\n    path: /items\n    key: id")
        try sandbox.config(plain.replacing("key: id", with: "key: id\n    paginate: none\n\(indented)"))
        #expect(try await sandbox.siding("check").status == 0)

        #expect(try await sandbox.siding("sync").status == 0)
        let second = try await sandbox.siding("schema", "--json").object()
        let news = try #require(second["fields"]?.array).filter { $0["new"] == .bool(true) }
        #expect(news.compactMap { $0["path"]?.string } == ["$.big", #"$."q\"x""#])
        #expect(news[1]["problems"]?.array?.first?.string?.contains("escapes") == true)
        let words = try await sandbox.siding("schema")
        #expect(words.status == 0 && words.output.contains("items: 2 records") && words.output.contains("+ "))
        #expect(try await sandbox.siding("schema", "absent").status == 66)
        #expect(try await sandbox.siding("schema", "--suggest").status == 64)
        await service.origin.stop()
    }
}
