// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

/// What `writes:` says of the requests and of their answers, as the origin sees it.
@Suite(.serialized)
struct WriteDeclarationTests {
    /// An origin with the items 1, 2 and 3, whose answers to writes `answer` gives, and a sandbox that has synced them.
    private static func shop(
        _ writes: String, of name: String = "items", source: String = "",
        answer: @escaping @Sendable (OriginRequest, Int) -> OriginResponse
    ) async throws -> (service: Service, sandbox: Sandbox) {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox()
        try sandbox.config(
            service.config(source: "retry: { inline: 0 }\(source)") + "\nwrites: { \(name): { \(writes) } }\n")
        let sync = try await sandbox.siding("sync")
        try #require(sync.status == 0, "\(sync.everything)")
        service.origin.forgetRequests()
        service.listen { number, request in request.method == "GET" ? nil : answer(request, number) }
        return (service, sandbox)
    }

    private static func echo(_ request: OriginRequest) -> OriginResponse {
        .json(String(decoding: request.body, as: UTF8.self))
    }

    private func values(_ name: String, _ service: Service) throws -> [String?] {
        let field = try #require(HTTPField.Name(name))
        return service.origin.requests.map { $0.headerFields[field] }
    }

    // MARK: Requests

    @Test func `a record is created as the config says, and its id is where the config says`() async throws {
        let create = "create: { method: PUT, path: /items/new, id: $.data.number }"
        let (service, sandbox) = try await Self.shop("\(create), update: { path: \"/items/{id}\" }") { request, _ in
            request.method == "PUT" ? .json(#"{"data":{"number":77}}"#, status: .created) : Self.echo(request)
        }
        #expect(try await sandbox.siding("send", "items.create", "-d", #"{"title":"new"}"#, "--no-send").status == 0)
        let key = try #require(
            try await sandbox.siding("query", "select key from siding_records_items where key like 'tmp-%'", "--json")
                .object()["key"]?.string)
        let update = try await sandbox.siding("send", "items.update", key, "-d", #"{"title":"newer"}"#, "--no-send")
        #expect(update.status == 0, "\(update.error)")
        #expect(try await sandbox.siding("queue", "run").status == 0)
        #expect(service.origin.requests.map(\.method) == ["PUT", "PATCH"])
        #expect(service.targets == ["/items/new", "/items/77"])
        await service.origin.stop()
    }

    @Test func `a record is deleted by the method and path of the config`() async throws {
        let (service, sandbox) = try await Self.shop("delete: { method: POST, path: \"/items/{id}/remove\" }") { _, _ in
            OriginResponse(status: .noContent)
        }
        let sent = try await sandbox.siding("send", "items.delete", "2")
        #expect(sent.status == 0, "\(sent.everything)")
        #expect(service.origin.requests.map(\.method) == ["POST"])
        #expect(service.targets == ["/items/2/remove"])
        #expect(try await sandbox.count() == 2)
        await service.origin.stop()
    }

    @Test func `a record may be created under an id of one's own`() async throws {
        let (service, sandbox) = try await Self.shop("create: { method: PUT, path: \"/items/{id}\" }") { request, _ in
            Self.echo(request)
        }
        let nameless = try await sandbox.siding("send", "items.create", "-d", "{}")
        #expect(nameless.status == 64 && nameless.error.contains("needs the id of the record"))
        let sent = try await sandbox.siding("send", "items.create", "77", "-d", #"{"id":77,"title":"new"}"#)
        #expect(sent.status == 0, "\(sent.everything)")
        #expect(service.origin.requests.map(\.method) == ["PUT"] && service.targets == ["/items/77"])
        #expect(try await sandbox.siding("records", "get", "items", "77").output.contains("new"))
        await service.origin.stop()
    }

    /// Of a resource that is kept here, and of records of which nothing is kept.
    @Test(
        arguments: ["items", "notes"],
        [
            ("DELETE", "", Int32(0)), ("DELETE", ", gone_is_done: false", 69), ("POST", ", method: POST", 0),
            ("POST", ", method: POST, gone_is_done: false", 69),
        ])
    func `a deletion of a missing record is completed by any method, unless the config says otherwise`(
        name: String, told: (method: String, more: String, code: Int32)
    ) async throws {
        let (service, sandbox) = try await Self.shop("delete: { path: \"/items/{id}\"\(told.more) }", of: name) {
            _, _ in
            .notFound
        }
        #expect(try await sandbox.siding("send", "\(name).delete", "2").status == told.code)
        #expect(service.origin.requests.map(\.method) == [told.method])
        await service.origin.stop()
    }

    @Test(arguments: [(true, false), (false, true)])
    func `the validator of an answer is the condition of the next write whose verb asks for it`(
        update: Bool, delete: Bool
    ) async throws {
        let path = "path: \"/items/{id}\", if_match:"
        let (service, sandbox) = try await Self.shop("update: { \(path) \(update) }, delete: { \(path) \(delete) }") {
            _, _ in .json(#"{"id":1,"title":"theirs"}"#, headerFields: [.eTag: "\"v2\""])
        }
        for title in ["a", "b"] {
            let sent = try await sandbox.siding("send", "items.update", "1", "-d", #"{"title":"\#(title)"}"#)
            #expect(sent.status == 0, "\(sent.everything)")
        }
        #expect(try await sandbox.siding("send", "items.delete", "1").status == 0)
        #expect(service.origin.requests.map(\.method) == (update ? ["GET"] : []) + ["PATCH", "PATCH", "DELETE"])
        let conditions = try values("If-Match", service).suffix(3)
        #expect((conditions.first != .some(nil)) == update, "\(conditions)")
        #expect(Array(conditions.dropFirst()) == [update ? "\"v2\"" : nil, delete ? "\"v2\"" : nil])
        await service.origin.stop()
    }

    @Test func `an edit asks for its record first where a listing has no ETags, and overwrites nothing`() async throws {
        let (service, sandbox) = try await Self.shop("update: { path: \"/items/{id}\", if_match: true }") { _, _ in
            OriginResponse(status: .noContent)
        }
        // Somebody else has changed the second one since.
        let now = [
            "/items/1": #"{"id":1,"title":"item 1","price":1.50}"#,
            "/items/2": #"{"id":2,"title":"theirs","price":1.50}"#,
        ]
        service.listen { _, request in
            guard request.method == "GET" else { return OriginResponse(status: .noContent) }
            return now[request.path].map { .json($0, headerFields: [.eTag: "\"v2\""]) }
        }
        for (id, status) in [("1", Int32(0)), ("2", 69)] {
            let sent = try await sandbox.siding("send", "items.update", id, "-d", #"{"title":"mine"}"#)
            #expect(sent.status == status, "\(sent.everything)")
        }
        #expect(service.origin.requests.map(\.method) == ["GET", "PATCH", "GET"])
        #expect(try values("If-Match", service) == [nil, "\"v2\"", nil])
        await service.origin.stop()
    }

    // MARK: Conflicts

    /// What becomes of an edit of the title that meets a 409 with `theirs`.
    struct Conflict: Sendable {
        let policy: String
        /// What the origin has meanwhile.
        let theirs: String
        /// How often the edit goes out.
        let tries: Int
        let state: String
        /// What the view shows at the end.
        let title: String
    }

    private static let theirTitle = #"{"id":1,"title":"theirs","price":1.50}"#
    private static let theirPrice = #"{"id":1,"title":"item 1","price":9}"#

    @Test(arguments: [
        Conflict(policy: "hold", theirs: theirPrice, tries: 1, state: "parked", title: "mine"),
        Conflict(policy: "mine", theirs: theirTitle, tries: 2, state: "done", title: "mine"),
        Conflict(policy: "theirs", theirs: theirTitle, tries: 1, state: "dropped", title: "theirs"),
        Conflict(policy: "merge", theirs: theirPrice, tries: 2, state: "done", title: "mine"),
        Conflict(policy: "merge", theirs: theirTitle, tries: 1, state: "parked", title: "mine"),
    ])
    func `a conflict ends as the config says`(conflict: Conflict) async throws {
        let (service, sandbox) = try await Self.shop(
            "update: { path: \"/items/{id}\" }, conflict: { then: \(conflict.policy) }"
        ) { request, _ in Self.echo(request) }
        service.listen { number, request in
            if request.method == "GET" { return request.path == "/items/1" ? .json(conflict.theirs) : nil }
            return number == 1
                ? .json(conflict.theirs, status: .conflict) : .json(#"{"id":1,"title":"mine","price":9}"#)
        }
        let sent = try await sandbox.siding("send", "items.update", "1", "-d", #"{"title":"mine"}"#)
        let id = try #require(sent.lines.first.map(String.init))
        func state() async throws -> String? {
            try await sandbox.siding("queue", "show", id, "--json").object()["state"]?.string
        }
        // What goes out again waits for its turn.
        if try await state() == "queued" { #expect(try await sandbox.siding("queue", "retry", id).status == 0) }
        #expect(try await state() == conflict.state)
        #expect(service.origin.requests.count { $0.method == "PATCH" } == conflict.tries)
        let row = try await sandbox.siding("query", "select title from items where id = 1", "--json").object()
        #expect(row["title"]?.string == conflict.title)
        if conflict.policy == "theirs" {
            let why = try await sandbox.siding("records", "why", "items", "1").output
            #expect(why.contains("a GET that asked about your own write \(id.prefix(8))"), "\(why)")
            #expect(why.contains("GET \(service.url)/items/1"), "\(why)")
        }
        await service.origin.stop()
    }

    private static let dropped = "dropped (the origin has changed $.title, and the config prefers the origin's record)"

    @Test(arguments: [(["queue", "run"], 69), (["sync"], 3), (["queue", "retry", "ID"], 69)] as [([String], Int32)])
    func `an edit that the config drops before it is sent is reported, and does not exit 0`(
        command: [String], status: Int32
    ) async throws {
        let (service, sandbox) = try await Self.shop("update: { path: \"/items/{id}\" }, conflict: { then: theirs }") {
            _, _ in .json("{}")
        }
        let kept = try await sandbox.siding("send", "items.update", "1", "-d", #"{"title":"mine"}"#, "--no-send")
        let id = try #require(kept.lines.first.map(String.init))
        #expect(try await sandbox.siding("queue", "hold", id).status == 0)
        service.items.put(Service.item(1, title: "theirs"))
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("queue", "release", id).status == 0)
        let outcome = try await sandbox.siding(command.map { $0 == "ID" ? id : $0 })
        #expect(outcome.status == status, "\(outcome.everything)")
        #expect(outcome.error.contains("\(id.prefix(8)) PATCH \(service.url)/items/1: \(Self.dropped)"))
        #expect(try await sandbox.siding("queue", "show", id, "--json").object()["state"]?.string == "dropped")
        #expect(service.origin.requests.allSatisfy { $0.method == "GET" })
        #expect(try await sandbox.siding("queue", "run").status == 0, "it is told once")
        await service.origin.stop()
    }

    @Test func `an edit dropped by a page of a sync is reported by that sync`() async throws {
        let (service, sandbox) = try await Self.shop("update: { path: \"/items/{id}\" }, conflict: { then: theirs }") {
            _, _ in .json("{}")
        }
        let kept = try await sandbox.siding("send", "items.update", "1", "-d", #"{"title":"mine"}"#, "--no-send")
        #expect(kept.status == 0)
        service.items.put(Service.item(1, title: "theirs"))
        let sync = try await sandbox.siding("sync", "--no-queue")
        #expect(sync.status == 3, "\(sync.everything)")
        #expect(sync.error.contains(Self.dropped))
        await service.origin.stop()
    }

    @Test(arguments: [(422, "conflict"), (409, "rejected")])
    func `the config declares what counts as a conflict`(status: Int, reason: String) async throws {
        let (service, sandbox) = try await Self.shop("update: { path: \"/items/{id}\" }, conflict: { on: [422] }") {
            _, _ in OriginResponse(status: .init(code: status))
        }
        #expect(try await sandbox.siding("send", "items.update", "1", "-d", "{}").status == 69)
        let parked = try await sandbox.siding("queue", "list", "--json").object()
        #expect(parked["reason"]?.string == reason)
        await service.origin.stop()
    }

    // MARK: Sources and lanes

    @Test func `a write goes to its source, in its lane`() async throws {
        let (service, other) = (try await Service.start(items: 1), try await Service.start(items: 1))
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { shop: { base_url: \(service.url) }, desk: { base_url: \(other.url) } }
            resources: { items: { source: shop, path: /items, key: id } }
            writes: { notes: { source: desk, update: { path: "/notes/{id}" }, lane: "desk/{id}" } }
            """)
        other.listen { _, _ in .json("{}") }
        #expect(try await sandbox.siding("send", "notes.update", "7", "-d", "{}", "--no-send").status == 0)
        #expect(try await sandbox.siding("queue", "list", "--json").object()["lane"]?.string == "desk/7")
        #expect(try await sandbox.siding("queue", "run").status == 0)
        #expect(other.targets == ["/notes/7"] && service.targets == [])
        await service.origin.stop()
        await other.origin.stop()
    }

    // MARK: Idempotency keys

    @Test func `each write has its key in the field of its declaration, else of its source`() async throws {
        let (service, sandbox) = try await Self.shop(
            "create: { path: /items }, idempotency: { header: X-Item-Key }",
            source: ", idempotency: { header: X-Shop-Key }"
        ) { _, number in .json(#"{"id":\#(100 + number)}"#, status: .created) }
        #expect(try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}").status == 0)
        #expect(try await sandbox.siding("send", "items.create", "-d", "{}").status == 0)
        #expect(service.targets == ["/orders", "/items"])
        let (shop, item) = (try values("X-Shop-Key", service), try values("X-Item-Key", service))
        #expect(shop[0]?.wholeMatch(of: /[0-9a-f-]{36}/) != nil && item[0] == nil)
        #expect(item[1]?.wholeMatch(of: /[0-9a-f-]{36}/) != nil && shop[1] == nil)
        #expect(try values("Idempotency-Key", service) == [nil, nil])
        await service.origin.stop()
    }

    @Test func `a key is valid for the lifetime of its declaration, else of its source`() async throws {
        let (service, sandbox) = try await Self.shop(
            "create: { path: /items }, idempotency: { lifetime: 2h }", source: ", idempotency: { lifetime: 1h }"
        ) { _, number in .json(#"{"id":\#(100 + number)}"#, status: .created) }
        let order = try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}", "--no-send")
        let item = try await sandbox.siding("send", "items.create", "-d", "{}", "--no-send")
        #expect(order.status == 0 && item.status == 0)
        try await sandbox.sqlite(
            sandbox.file("test.db"),
            """
            UPDATE siding_outbox SET tried = json_set(tried, '$.first_sent_at',
                (CAST(strftime('%s', 'now') AS INTEGER) - 90 * 60) * 1000000)
            """)
        #expect(try await sandbox.siding("queue", "run").status == 75)
        #expect(service.targets == ["/items"])
        let parked = try await sandbox.siding("queue", "list", "--state", "parked", "--json").object()
        #expect(parked["id"]?.string == order.lines.first.map(String.init))
        #expect(parked["reason"]?.string == "key_expired")
        await service.origin.stop()
    }

    @Test func `pending edits can be queried as soon as writes are declared, before the first edit`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let query = ["query", "SELECT COUNT(*) AS n FROM items WHERE siding_pending = 0", "--json"]
        #expect(try await sandbox.siding(query).status == 64)
        try sandbox.config(service.config() + "\nwrites: { items: { create: { path: /items } } }\n")
        // Its pages are unchanged.
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding(query).object()["n"]?.int == 3)
        #expect(try await sandbox.siding("send", "items.create", "-d", "{}", "--no-send").status == 0)
        #expect(try await sandbox.siding(query).object()["n"]?.int == 3)
        await service.origin.stop()
    }
}
