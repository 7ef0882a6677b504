// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// The text that an origin answers with now.
private final class Answer: Sendable {
    private let text: Mutex<String>

    init(_ text: String) { self.text = Mutex(text) }

    var value: String {
        get { text.withLock { $0 } }
        set { text.withLock { $0 = newValue } }
    }
}

/// Origins whose answers are lines, or objects of objects, with the binary: what it says leads to a config that works.
@Suite(.serialized)
struct RecordFormTests {
    private static let lines = (1...3).map { #"{"id":\#($0),"name":"n\#($0)"}"# + "\n" }.joined()

    private func service(_ body: String, type: String = "application/json", _ fields: HTTPFields = [:]) async throws
        -> Service
    {
        let service = try await Service.start()
        var fields = fields
        fields[.contentType] = type
        service.listen { [fields] _, _ in OriginResponse(headerFields: fields, body: Array(body.utf8)) }
        return service
    }

    // MARK: Lines

    @Test(arguments: [
        "application/x-ndjson", "application/jsonl", "application/ndjson; charset=utf-8", "Application/X-JSONLines",
    ])
    func `lines are found by their content type, and plan --fetch and -v report that`(type: String) async throws {
        let service = try await service(Self.lines, type: type)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("plan", "--fetch").output.contains("records: lines"))
        let sync = try await sandbox.siding("sync", "-v")
        #expect(sync.status == 0 && sync.everything.contains("items: records: lines"), "\(sync)")
        #expect(try await sandbox.count() == 3)
        #expect(try await sandbox.siding("sync", "--json").object()["unchanged"] == .number(3))
        await service.origin.stop()
    }

    @Test func `an array under the content type of lines is read as an array`() async throws {
        let service = try await service(#"[{"id":1},{"id":2}]"#, type: "application/x-ndjson")
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.count() == 2)
        await service.origin.stop()
    }

    @Test func `the message about lines under another content type names a remedy that works`() async throws {
        let service = try await service(Self.lines, type: "text/plain")
        let sandbox = try Sandbox.with(service)
        for arguments in [["sync"], ["plan", "--fetch"]] {
            let refused = try await sandbox.siding(arguments)
            #expect(refused.status == 65 && refused.everything.contains("declare records: lines"), "\(refused)")
        }
        try sandbox.config(service.config(resource: "records: lines"))
        #expect(try await sandbox.siding("check").status == 0)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.count() == 3)
        await service.origin.stop()
    }

    @Test func `a truncated body of lines deletes nothing and is reported, and the next listing continues`()
        async throws
    {
        let service = try await Service.start()
        let body = Answer(Self.lines)
        service.listen { _, _ in
            OriginResponse(
                headerFields: [.contentType: "application/x-ndjson"], body: Array(body.value.utf8))
        }
        let sandbox = try Sandbox.with(service, resource: "deletes: { detect: complete_listing, max: 100% }")
        #expect(try await sandbox.siding("sync").status == 0)
        body.value = String(Self.lines.dropLast(5))
        for _ in 1...3 {
            let cut = try await sandbox.siding("sync")
            #expect(cut.status == 65 && cut.error.contains("the page is not JSON"), "\(cut)")
        }
        #expect(try await sandbox.count() == 3)
        body.value = Self.lines + #"{"id":4}"# + "\n{\"name\":\"no key\"}\n"
        #expect(try await sandbox.siding("sync").status == 3)
        #expect(try await sandbox.count() == 4)
        #expect(try await sandbox.siding("quarantine", "list").output.contains("the key $.id is missing"))
        await service.origin.stop()
    }

    @Test(arguments: [
        ("paginate: { type: page, param: page, size_param: per_page, size: 2 }", "page"),
        ("paginate: { type: offset, limit: 2 }", "offset"),
        ("paginate: { type: cursor, last: $.id, param: after }", "after"), ("", "page"),
    ])
    func `lines are paged by numbers, offsets, their last record and a Link`(_ paginate: String, _ parameter: String)
        async throws
    {
        let service = try await Service.start()
        service.listen { _, request in
            let asked = request.target.split { "?&".contains($0) }.first { $0.hasPrefix("\(parameter)=") }
            let number = asked.flatMap { Int($0.dropFirst(parameter.count + 1)) }
            let first = parameter == "page" ? ((number ?? 1) - 1) * 2 : number ?? 0
            let text = (first + 1...first + 2).filter { $0 <= 5 }.map { #"{"id":\#($0)}"# + "\n" }.joined()
            var fields: HTTPFields = [.contentType: "application/x-ndjson"]
            if paginate.isEmpty, first < 4 {
                fields[HTTPField.Name("Link")!] = "</items?page=\(first / 2 + 2)>; rel=\"next\""
            }
            return OriginResponse(headerFields: fields, body: Array(text.utf8))
        }
        let sandbox = try Sandbox.with(service, resource: paginate)
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0 && service.targets.count >= 3, "\(sync) \(service.targets)")
        #expect(try await sandbox.count() == 5)
        await service.origin.stop()
    }

    @Test
    func `lines are requested with their cursor and conditions, and one line has no ETag of its own`() async throws {
        let service = try await service(
            #"{"id":1,"at":7}"# + "\n", type: "application/x-ndjson", [.eTag: #""e""#])
        let cursor = "query: { since: '{cursor}' }, cursor: { path: $.at, type: integer, order: asc }"
        let sandbox = try Sandbox.with(service, resource: cursor)
        for _ in 1...2 { #expect(try await sandbox.siding("sync").status == 0) }
        #expect(service.targets == ["/items", "/items?since=7"])
        let stored = try await sandbox.sqlite(sandbox.file("test.db"), "SELECT etag IS NULL FROM siding_records_items")
        #expect(stored.output == "1\n")
        await service.origin.stop()
    }

    // MARK: Members

    @Test func `an object of objects is reported, and the suggested remedy works`() async throws {
        let service = try await service(#"{"items":{"a1":{"name":"x"},"b2":{"name":"y"}}}"#)
        let sandbox = try Sandbox.with(service)
        let refused = try await sandbox.siding("sync")
        #expect(refused.status == 65 && refused.error.contains("$.items.*, with key: $key"), "\(refused)")
        try sandbox.config(
            service.config(resource: "records: $.items.*").replacing("key: id", with: "key: $key"))
        #expect(try await sandbox.siding("check").status == 0)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("sync", "--json").object()["unchanged"] == .number(2))
        let rows = try await sandbox.siding("query", "SELECT siding_key, name FROM items ORDER BY 1")
        #expect(rows.output.contains("a1") && rows.output.contains("b2"))
        #expect(try await sandbox.siding("records", "get", "items", "b2").output.contains(#"{"name":"y"}"#))
        await service.origin.stop()
    }

    @Test func `members removed from the object are deleted, and a repeated one is reported`() async throws {
        let service = try await Service.start()
        let body = Answer(#"{"a":{"n":1},"b":{"n":2},"a":{"n":3}}"#)
        service.listen { _, _ in .json(body.value) }
        let sandbox = try Sandbox()
        let config = service.config(
            resource: "records: $.*, paginate: none, deletes: { detect: complete_listing, max: 100% }")
        try sandbox.config(config.replacing("key: id", with: "key: $key"))
        let first = try await sandbox.siding("sync", "-v")
        #expect(first.status == 0 && first.everything.contains("1 with a key that its page repeats"), "\(first)")
        #expect(try await sandbox.siding("records", "get", "items", "a").output.contains(#"{"n":3}"#))
        body.value = #"{"a":{"n":3}}"#
        for _ in 1...2 { #expect(try await sandbox.siding("sync").status == 0) }
        #expect(try await sandbox.count() == 1)
        await service.origin.stop()
    }

    @Test func `a quarantined member keeps its name, and is saved under it when its contract allows it`() async throws {
        let service = try await Service.start()
        let body = Answer(#"{"a":{"n":1}}"#)
        service.listen { _, _ in .json(body.value) }
        let sandbox = try Sandbox()
        func declare(_ contract: String) throws {
            let config = service.config(resource: "records: $.*, paginate: none\(contract)")
            try sandbox.config(config.replacing("key: id", with: "key: $key"))
        }
        try declare(", contract: { new_fields: quarantine }")
        #expect(try await sandbox.siding("sync").status == 0)
        body.value = #"{"a":{"n":1},"b \"2":{"n":2,"m":3}}"#
        let plan = try await sandbox.siding("plan", "--fetch")
        #expect(plan.status == 3 && plan.output.contains("1 quarantined"), "\(plan)")
        #expect(try await sandbox.siding("sync").status == 3)
        try declare("")
        let retried = try await sandbox.siding("quarantine", "retry")
        #expect(retried.status == 0, "\(retried)")
        #expect(try await sandbox.siding("records", "get", "items", "b \"2").output.contains(#"{"n":2,"m":3}"#))
        await service.origin.stop()
    }

    @Test func `a member that is not an object is a record as well, and a declared column shows it`() async throws {
        let service = try await service(#"{"base":"EUR","rates":{"USD":1.10,"CHF":0.95,"XAU":null}}"#)
        let sandbox = try Sandbox()
        let config = service.config(resource: "records: $.rates.*, columns: { rate: $ }")
        try sandbox.config(config.replacing("key: id", with: "key: $key"))
        #expect(try await sandbox.siding("sync").status == 3)
        #expect(try await sandbox.siding("quarantine", "list").output.contains("the record is null"))
        #expect(try await sandbox.count() == 2)
        let rows = try await sandbox.siding("query", "SELECT siding_key, rate FROM items ORDER BY 1")
        #expect(rows.output.contains("USD") && rows.output.contains("0.95"), "\(rows)")
        #expect(try await sandbox.siding("records", "get", "items", "USD").output == "1.10\n")
        await service.origin.stop()
    }

    // MARK: Messages

    @Test func `a loop of redirects says how to find the URL that answers`() async throws {
        let service = try await Service.start()
        service.listen { _, request in
            OriginResponse(status: .found, headerFields: [.location: request.target == "/items" ? "/other" : "/items"])
        }
        let sandbox = try Sandbox.with(service)
        let refused = try await sandbox.siding("sync")
        #expect(refused.status == 69 && refused.error.contains("'curl -IL' with this URL"), "\(refused)")
        #expect(!refused.error.contains("redirect_to"))
        await service.origin.stop()
    }
}
