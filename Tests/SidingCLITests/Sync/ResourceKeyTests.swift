// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// Keys of a resource whose effect a command shows.
@Suite(.serialized)
struct ResourceKeyTests {
    // MARK: Listings

    @Test func `a listing ends after the most pages of the config`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: "stop: { max_pages: 2 }")
        _ = try await sandbox.siding("sync")
        #expect(service.targets == ["/items", "/items?page=2"])
        #expect(try await sandbox.count() == 20)
        await service.origin.stop()
    }

    @Test(arguments: [("auto", true), ("off", false)])
    func `pages are requested on condition unless the config turns it off`(
        conditional: String, isAsked: Bool
    ) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: "conditional: \(conditional)")
        #expect(try await sandbox.siding("sync").status == 0)
        service.origin.forgetRequests()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.origin.requests.count == 4)
        #expect(service.origin.requests.allSatisfy { ($0.headerFields[.ifNoneMatch] != nil) == isAsked })
        await service.origin.stop()
    }

    @Test func `a listing continues where it stopped`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.origin.inject(.status(500), skipping: 2)
        #expect(try await sandbox.siding("sync").status == 75)
        service.origin.forgetRequests()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.targets.first == "/items?page=3")
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test(arguments: ["envelope: $.token", "header: X-Mark"])
    func `a cursor may be a value that the origin sends beside the records`(place: String) async throws {
        let service = try await Service.start()
        let mark = try #require(HTTPField.Name("X-Mark"))
        let sandbox = try Sandbox.with(
            service,
            resource: "paginate: none, query: { since: \"{cursor}\" }, cursor: { \(place), type: text }")
        service.listen { _, _ in .json(#"{"items":[{"id":1}],"token":"t7"}"#, headerFields: [mark: "t7"]) }
        for _ in 1...2 { #expect(try await sandbox.siding("sync").status == 0) }
        #expect(service.targets == ["/items", "/items?since=t7"])
        await service.origin.stop()
    }

    @Test(arguments: [("1ms", "/items"), ("1h", "/items?since=t7")])
    func `a cursor is used for as long as the config says that the origin remembers`(
        retention: String, target: String
    ) async throws {
        let service = try await Service.start()
        let cursor = "cursor: { envelope: $.token, type: text, retention: \(retention) }"
        let sandbox = try Sandbox.with(service, resource: "paginate: none, query: { since: \"{cursor}\" }, \(cursor)")
        service.listen { _, _ in .json(#"{"items":[{"id":1}],"token":"t7"}"#) }
        for _ in 1...2 { #expect(try await sandbox.siding("sync").status == 0) }
        #expect(service.targets == ["/items", target])
        await service.origin.stop()
    }

    // MARK: Records

    @Test func `a column that is indexed is looked up by its index`() async throws {
        let service = try await Service.start()
        for (index, isUsed) in [(false, false), (true, true)] {
            let sandbox = try Sandbox.with(
                service, resource: "columns: { id: integer, title: { type: text, index: \(index) } }")
            #expect(try await sandbox.siding("sync").status == 0)
            let plan = try await sandbox.siding(
                "query", "EXPLAIN QUERY PLAN SELECT id FROM items WHERE title = 'item 7'")
            #expect(plan.output.contains("USING INDEX siding_index_") == isUsed, "\(plan.everything)")
        }
        await service.origin.stop()
    }

    @Test func `elements have the key of the config`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service, resource: "paginate: none, children: { tags: { path: \"$.tags[*]\", key: name } }")
        service.listen { _, _ in .json(#"[{"id":1,"tags":[{"name":"a"},{"name":"b"}]}]"#) }
        #expect(try await sandbox.siding("sync").status == 0)
        let rows = try await sandbox.siding("query", "SELECT siding_key FROM items_tags ORDER BY 1", "--json").objects()
        #expect(rows.map { $0["siding_key"]?.string } == ["a", "b"])
        await service.origin.stop()
    }

    @Test(arguments: [("quarantine", Int32(3), 1), ("fail", 65, 0)])
    func `a record without a key is quarantined or fails its page`(
        missingKey: String, code: Int32, kept: Int
    ) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service, resource: "paginate: none, contract: { missing_key: \(missingKey) }")
        service.listen { _, _ in .json(#"[{"id":1},{"title":"none"}]"#) }
        #expect(try await sandbox.siding("sync").status == code)
        #expect(try await sandbox.count() == kept)
        await service.origin.stop()
    }

    @Test(arguments: [("field: $.gone", ["2"]), ("field: $.state, equals: deleted", ["3"])])
    func `a record that the origin marks is deleted at once`(mark: String, kept: [String]) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, resource: "paginate: none, deletes: { \(mark) }")
        let all = #"{"id":1,"gone":"2026","state":"deleted"},{"id":2,"gone":null,"state":"deleted"}"#
        service.listen { _, _ in .json(#"[\#(all),{"id":3,"gone":"2026","state":"open"}]"#) }
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(
            try await sandbox.siding("records", "list", "items", "--json").objects().compactMap { $0["key"]?.string }
                == kept)
        await service.origin.stop()
    }

    @Test(arguments: [("10%", Int32(4), 40), ("60%", 0, 20)])
    func `the config limits the number of records deleted at once`(most: String, code: Int32, left: Int) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service, resource: "stable: true, deletes: { detect: complete_listing, max: \(most) }")
        #expect(try await sandbox.siding("sync").status == 0)
        for number in 1...20 { service.items.remove(String(number)) }
        #expect(try await sandbox.siding("sync").status == code)
        #expect(try await sandbox.count() == left)
        await service.origin.stop()
    }

    // MARK: Parents

    @Test(arguments: [
        "where: { path: $.state, not_equals: closed }",
        "where: { query: \"SELECT siding_key FROM issues WHERE state = 'open' OR number = 3\" }",
    ])
    func `parents are chosen by a member or by a statement`(choice: String) async throws {
        let states = ["open", "closed", "new"].enumerated()
        let tracker = try await Tracker.start(
            issues: states.map { #"{"id":"k\#($0 + 1)","number":\#($0 + 1),"state":"\#($1)"}"# })
        let sandbox = try await Sandbox.with(tracker, each: choice)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(
            config.replacing(
                "issues: { path: /issues, key: id }",
                with: "issues: { path: /issues, key: id, columns: { number: integer, state: text } }"))
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0, "\(sync.everything)")
        #expect(tracker.takeAsked() == ["/issues/1/comments", "/issues/3/comments"])
        try await tracker.origin.stop()
    }

    // MARK: A changed key

    @Test func `a changed key is refused until the records under the old one are forgotten`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(config.replacing("key: id", with: "key: title"))
        service.origin.forgetRequests()
        let refused = try await sandbox.siding("sync", "--json").object()
        #expect(refused["outcome"]?.string == "failed")
        #expect(refused["error"]?.members?["name"]?.string == "key_changed")
        #expect(refused["error"]?.members?["hint"]?.string?.contains("siding records forget items") == true)
        #expect(service.targets.isEmpty)
        #expect(try await sandbox.siding("plan").everything.contains("records forget items"))
        #expect(try await sandbox.count() == 40)
        let forgotten = try await sandbox.siding("records", "forget", "items", "--json", "--yes").object()
        #expect(forgotten["forgotten"]?.int == 40 && forgotten["done"]?.bool == true)
        #expect(try await sandbox.siding("records", "forget", "items", "--yes").status == 66)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.count() == 40)
        let key = try await sandbox.siding("records", "get", "items", "item 7")
        #expect(key.output.contains("\"id\":7"))
        await service.origin.stop()
    }

    @Test func `records are forgotten only by an operator, who can see their number first`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let unasked = try await sandbox.siding("records", "forget", "items")
        #expect(unasked.status == 64, "\(unasked.everything)")
        #expect(unasked.error.contains("forgetting 40 records of 'items' needs --yes"), "\(unasked.error)")
        let rehearsed = try await sandbox.siding("records", "forget", "items", "--dry-run", "-v")
        #expect(rehearsed.status == 0)
        #expect(rehearsed.everything.contains("items: 40 records would be forgotten"), "\(rehearsed.everything)")
        let foretold = try await sandbox.siding("records", "forget", "items", "--dry-run", "--json").object()
        #expect(foretold["forgotten"]?.int == 40 && foretold["done"]?.bool == false)
        #expect(try await sandbox.count() == 40)
        #expect(try await sandbox.siding("records", "forget", "items", "--yes").status == 0)
        #expect(try await sandbox.siding("records", "forget", "items", "--dry-run").status == 66)
        await service.origin.stop()
    }

    private static let creates = "writes: { items: { create: { path: /items } } }"

    @Test func `the doctor names a config and a secret that others can change or read`() async throws {
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { s: { base_url: http://127.0.0.1:9, auth: { type: bearer, token: { file: token } } } }
            resources: { items: { path: /items, key: id } }
            """)
        // The mode of a link says nothing.
        try sandbox.write("secret", to: "kept")
        try FileManager.default.createSymbolicLink(atPath: sandbox.file("token"), withDestinationPath: "kept")
        #expect(try await !sandbox.siding("doctor").output.contains("permissions"))
        for (file, name, mode, what) in [
            ("siding.yaml", "siding.yaml", 0o666, "change"), ("kept", "token", 0o644, "read"),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sandbox.file(file))
            let told = "\(name) has mode \(String(mode, radix: 8)): others can \(what) it; 'chmod "
            #expect(try await sandbox.siding("doctor").output.contains(told))
        }
    }

    @Test func `a resource with writes that are not completed is not forgotten, and one that left the config is named`()
        async throws
    {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, more: Self.creates)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("send", "items.create", "-d", #"{"title":"new"}"#, "--no-send").status == 0)
        let refused = try await sandbox.siding("records", "forget", "items", "--dry-run")
        #expect(
            refused.status == 64 && refused.error.contains("1 write to 'items' is not completed"), "\(refused.error)")
        #expect(try await sandbox.count() == 41)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(config.replacing("\n  items:", with: "\n  others:").replacing(Self.creates, with: ""))
        let looked = try await sandbox.siding("doctor")
        #expect(looked.output.contains("'siding records forget items' removes them"), "\(looked.output)")
        await service.origin.stop()
    }
}
