// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

@Suite(.serialized)
struct TransformTests {
    @Test(arguments: ["where: { path: $.state, not_equals: spam }", "where: \"state <> 'spam'\""])
    func `only records that fit are kept, and one that fits no longer leaves the view until it fits again`(
        condition: String
    ) async throws {
        let shop = try await Shop(condition)
        shop.put(1, state: "open")
        shop.put(2, state: "spam")
        shop.put(3, state: "open")
        let first = try await shop.sandbox.siding("sync", "--json").object()
        #expect(first["inserted"] == .number(2))
        #expect(try await shop.ids() == [1, 3])

        shop.put(3, state: "spam")
        let second = try await shop.sandbox.siding("sync", "--json").object()
        #expect(second["deleted"] == .number(1))
        #expect(try await shop.ids() == [1])
        shop.put(3, state: "open")
        #expect(try await shop.sandbox.siding("sync").status == 0)
        #expect(try await shop.ids() == [1, 3])
        await shop.service.origin.stop()
    }

    @Test(arguments: [
        ("equals: open", [1]), ("in: [open, closed]", [1, 2]), ("exists: true", [1, 2, 3]), ("exists: false", [4]),
    ])
    func `a comparison of a member decides whether a record is kept`(comparison: String, kept: [Int]) async throws {
        let shop = try await Shop("where: { path: $.state, \(comparison) }")
        for (index, state) in ["open", "closed", "spam"].enumerated() { shop.put(index + 1, state: state) }
        shop.service.items.put(Dataset.Record(key: "4", json: #"{"id":4}"#))
        #expect(try await shop.sandbox.siding("sync").status == 0)
        #expect(try await shop.ids() == kept)
        await shop.service.origin.stop()
    }

    @Test func `a narrowed condition takes effect without a request, and a widened one requests all records`()
        async throws
    {
        let shop = try await Shop("")
        for number in 1...4 { shop.put(number, state: number.isMultiple(of: 2) ? "open" : "closed") }
        #expect(try await shop.sandbox.siding("sync").status == 0)
        try shop.resource("where: \"state = 'open'\"")
        #expect(try await shop.sandbox.siding("sync", "--offline").status == 75)
        #expect(try await shop.ids() == [2, 4])
        try shop.resource("where: \"id > 1\"")
        let wide = try await shop.sandbox.siding("sync")
        #expect(wide.status == 0)
        #expect(wide.error.contains("the definition changed (where): full listing"))
        #expect(try await shop.ids() == [2, 3, 4])
        await shop.service.origin.stop()
    }

    @Test func `a changed condition that leaves out too much does nothing until it is accepted`() async throws {
        let shop = try await Shop("")
        for number in 1...20 { shop.put(number, state: number < 4 ? "open" : "closed") }
        #expect(try await shop.sandbox.siding("sync").status == 0)
        // A misspelt name fits no record.
        try shop.resource("where: \"State = 'open'\"")
        let asked = shop.service.targets.count
        let file = URL(fileURLWithPath: shop.sandbox.file("test.db"))
        let before = try Data(contentsOf: file)
        let plan = try await shop.sandbox.siding("plan")
        #expect(plan.status == 0)
        #expect(
            plan.output.contains(
                "because: nothing now: 'where' would leave out 20 of 20 stored records ('where' names 'State', which no "
                    + "stored record has). That is more than deletes.max (10 %)"), "\(plan.output)")
        #expect(try Data(contentsOf: file) == before)
        let misspelt = try await shop.sandbox.siding("sync")
        #expect(misspelt.status == 4)
        #expect(misspelt.error.contains("'where' would leave out 20 of 20 stored records"), "\(misspelt.error)")
        #expect(misspelt.error.contains("'State', which no stored record has"))
        #expect(misspelt.error.contains("siding sync items --accept-deletes"))
        #expect(shop.service.targets.count == asked)
        #expect(try await shop.ids().count == 20)
        // It is the same the next time.
        try shop.resource("where: \"state = 'open'\"")
        for options in [["--json"], ["--offline", "--json"]] {
            let blocked = try await shop.sandbox.siding(["sync"] + options)
            #expect(blocked.status == 4)
            #expect(try blocked.object()["deletions_blocked"] == .number(17))
        }
        #expect(try await shop.ids().count == 20)
        let accepted = try await shop.sandbox.siding("sync", "--accept-deletes", "--json")
        #expect(accepted.status == 0)
        #expect(try accepted.object()["deleted"] == .number(17))
        #expect(accepted.output.contains("'where' left out 17 stored records; 'siding records undelete 5'"))
        #expect(try await shop.ids() == [1, 2, 3])
        let why = try await shop.sandbox.siding("records", "why", "items", "7")
        #expect(why.output.contains("left out by 'where', in run 5"), "\(why.output)")
        await shop.service.origin.stop()
    }

    @Test func `a member that the origin leaves out from one day on does not empty the copy`() async throws {
        let shop = try await Shop("where: \"state <> 'closed'\"")
        for number in 1...25 { shop.put(number, state: "open") }
        #expect(try await shop.sandbox.siding("sync").status == 0)
        for number in 1...25 { shop.service.items.put(Dataset.Record(key: "\(number)", json: #"{"id":\#(number)}"#)) }
        for _ in 0..<2 {
            let blocked = try await shop.sandbox.siding("sync")
            #expect(blocked.status == 4)
            #expect(
                blocked.error.contains(
                    "'where' leaves out 25 of 25 stored records ('where' names 'state', which no stored record has)"),
                "\(blocked.error)")
            #expect(blocked.error.contains("siding sync items --accept-deletes"))
            #expect(try await shop.ids().count == 25)
        }
        let accepted = try await shop.sandbox.siding("sync", "--accept-deletes", "--json")
        #expect(accepted.status == 0)
        #expect(try accepted.object()["deleted"] == .number(25))
        #expect(try await shop.ids() == [])
        await shop.service.origin.stop()
    }

    @Test func `a column named by the condition is evaluated anew when it changes`() async throws {
        let shop = try await Shop("columns: { score: { path: $.a, type: integer } }, where: \"score > 3\"")
        shop.put(1, state: "open", more: #","a":5,"b":1"#)
        shop.put(2, state: "open", more: #","a":1,"b":5"#)
        shop.put(3, state: "open", more: #","a":5,"b":5"#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        try shop.resource("columns: { score: { path: $.b, type: integer } }, where: \"score > 3\"")
        let changed = try await shop.sandbox.siding("sync")
        #expect(changed.status == 0)
        #expect(changed.error.contains("the definition changed (where): full listing"))
        let keys = try await shop.sandbox.siding("query", "SELECT siding_key FROM items ORDER BY 1", "--json").objects()
        #expect(keys.map { $0["siding_key"] } == [.number(2), .number(3)])
        await shop.service.origin.stop()
    }

    @Test func `a member that a child binds is not dropped`() async throws {
        let service = try await Service.start(items: 0)
        let child = """
              parts:
                for_each: { resource: items, bind: { code: $.owner.code } }
                path: /items/{code}
                key: id
            """
        let sandbox = try Sandbox.with(service, resource: "drop: [$.owner]", more: child)
        let check = try await sandbox.siding("check")
        #expect(check.status == 78)
        #expect(check.error.contains("takes $.owner.code from 'items', which drops it"), "\(check.error)")
        await service.origin.stop()
    }

    @Test func `dropped members never reach the file, and do not make records look changed`() async throws {
        let shop = try await Shop("drop: [$.owner.mail, $.note]")
        shop.put(1, state: "open", more: #","owner":{"mail":"hush@example.org","name":"Ann"},"note":"whisper""#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        #expect(try await shop.body(1) == #"{"id":1,"state":"open","owner":{"name":"Ann"}}"#)
        #expect(try shop.fileHolds("hush@example.org") == false)
        #expect(try shop.fileHolds("whisper") == false)
        let again = try await shop.sandbox.siding("sync", "--full", "--json").object()
        #expect(again["unchanged"] == .number(1))
        await shop.service.origin.stop()
    }

    /// How the origin answers a write: with the record, with it in an envelope, with a refusal that repeats it, or with a part of
    /// it, as so much of a refusal is kept.
    @Test(
        arguments: [
            (200, #"{"id":1,"state":"shut","note":"whisper"}"#), (200, #"{"data":{"id":1,"note":"whisper"}}"#),
            (409, #"{"id":1,"state":"shut","note":"whisper"}"#), (422, #"{"errors":[],"was":[{"note":"whisper"}]}"#),
            (422, #"{"note":"whisper","pad":"\#(String(repeating: "x", count: 70_000))"}"#),
        ], [true, false])
    func `no answer to a write brings dropped members into the file either`(
        answer: (status: Int, body: String), isKnown: Bool
    ) async throws {
        let shop = try await Shop("drop: [$.note]", writes: true)
        shop.put(1, state: "open", more: #","note":"whisper""#)
        if isKnown { #expect(try await shop.sandbox.siding("sync").status == 0) }
        shop.service.listen { _, request in
            request.method == "GET" ? nil : .json(answer.body, status: .init(code: answer.status))
        }
        let sent = try await shop.sandbox.siding("send", "items.update", "1", "-d", #"{"state":"shut"}"#)
        #expect(sent.status == (answer.status == 200 ? 0 : 69), "\(sent.everything)")
        #expect(try shop.fileHolds("whisper") == false)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        #expect(try shop.fileHolds("whisper") == false)
        await shop.service.origin.stop()
    }

    @Test func `a quarantined answer is kept without dropped members`() async throws {
        let rule = "{ when: { body: { path: $.ok, equals: false } }, do: quarantine }"
        let shop = try await Shop("drop: [$.note], errors: [\(rule)]")
        shop.service.listen { _, _ in .json(#"{"ok":false,"was":{"id":1,"note":"whisper"}}"#) }
        #expect(try await shop.sandbox.siding("sync").status == 3)
        let kept = try await shop.sandbox.siding(
            "query", "SELECT CAST(body AS TEXT) AS body FROM siding_quarantine", "--json"
        ).object()
        #expect(kept["body"]?.string == #"{"ok":false,"was":{"id":1}}"#)
        #expect(try shop.fileHolds("whisper") == false)
        await shop.service.origin.stop()
    }

    @Test func `newly dropped members leave the stored records and answers too, without a request`() async throws {
        let shop = try await Shop("", writes: true)
        shop.put(1, state: "open", more: #","note":"whisper""#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        shop.service.listen { _, request in
            request.method == "GET" ? nil : .json(#"{"data":{"id":1,"note":"whisper"}}"#)
        }
        #expect(try await shop.sandbox.siding("send", "items.update", "1", "-d", #"{"state":"shut"}"#).status == 0)
        shop.service.deafen()
        let kept = "SELECT CAST(answer AS TEXT) AS answer FROM siding_outbox_requests WHERE method <> 'GET'"
        let answer = ["query", kept, "--json"]
        #expect(try await shop.sandbox.siding(answer).output.contains("whisper"))
        try shop.resource("drop: [$.note]")
        #expect(try await shop.sandbox.siding("sync", "--offline").status == 75)
        #expect(try await shop.body(1) == #"{"id":1,"state":"shut"}"#)
        #expect(try await shop.sandbox.siding(answer).object()["answer"]?.string == #"{"data":{"id":1}}"#)
        await shop.service.origin.stop()
    }

    @Test func `computed columns follow the config, and rewrite no record`() async throws {
        let shop = try await Shop("set: { total: price * count, label: \"upper(state) || '!'\" }")
        shop.put(1, state: "open", more: #","price":2.50,"count":4"#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        let rows = try await shop.sandbox.siding("query", "SELECT total, label, state FROM items", "--json").object()
        #expect(rows == ["total": .number(10), "label": .string("OPEN!"), "state": .string("open")])
        try shop.resource("set: { label: \"record ->> '$.price'\" }, rename: { state: condition }")
        #expect(try await shop.sandbox.siding("sync", "--offline").status == 75)
        let later = try await shop.sandbox.siding("query", "SELECT label, condition FROM items", "--json").object()
        #expect(later == ["label": .number(2.5), "condition": .string("open")])
        let written = try await shop.sandbox.siding(
            "query", "SELECT 1 FROM siding_records_items WHERE run > 1", "--json")
        #expect(written.output == "")
        await shop.service.origin.stop()
    }

    @Test func `an expression may use declared columns, with their shown values`() async throws {
        let shop = try await Shop(
            "columns: { at: { type: datetime, path: $.meta.at, format: epoch } }, set: { day: \"substr(at, 1, 10)\" }")
        shop.put(1, state: "open", more: #","meta":{"at":86400}"#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        let row = try await shop.sandbox.siding("query", "SELECT day FROM items", "--json").object()
        #expect(row["day"] == .string("1970-01-02"))
        await shop.service.origin.stop()
    }

    @Test func `a condition that cannot be computed fails the page, and says why`() async throws {
        let shop = try await Shop("where: \"abs(big) > 0\"")
        shop.put(1, state: "open", more: #","big":-9223372036854775808"#)
        let sync = try await shop.sandbox.siding("sync")
        #expect(sync.status == 65)
        #expect(sync.error.contains("abs(big) > 0"))
        #expect(sync.error.contains("integer overflow"))
        await shop.service.origin.stop()
    }

    @Test(arguments: [
        ("where: \"state <>\"", "is not an expression over a record"),
        ("where: \"(SELECT 1)\"", "subqueries prohibited"),
        ("where: \"random() > 0\"", "non-deterministic"),
        ("where: \"user.login = 'x'\"", "record ->> '$.user.login'"),
        ("where: \"rowid > 3\"", "write record ->> '$.rowid'"),
        ("where: { path: $.state }", "compares with nothing"),
        ("where: { path: $.state, equals: a, in: [b] }", "compares in several ways"),
        ("drop: [$.id]", "drops its key"), ("drop: [\"$.list[0]\"]", "is not a member that can be left out"),
        ("set: { siding_x: \"1\" }", "siding_"), ("set: { a: \"1\", A: \"2\" }", "two columns are called"),
        ("columns: { a: text }, set: { A: \"1\" }", "two columns are called"),
        ("drop: [$.gone], deletes: { field: $.gone }", "drops $.gone, which marks its deleted records"),
        ("drop: [$.state], where: \"state <> 'spam'\"", "'where' uses $.state, which is dropped"),
        ("drop: [$.o], where: { path: $.o.x, equals: 1 }", "'where' uses $.o.x, which is dropped"),
        ("drop: [$.o], where: \"record ->> '$.o.x' = 1\"", "'where' uses $.o.x, which is dropped"),
        ("drop: [$.o], columns: { x: $.o.x }", "the column 'x' uses $.o.x, which is dropped"),
        ("drop: [$.o], set: { x: o }", "'x' in 'set' uses $.o, which is dropped"),
        (
            "drop: [$.o], children: { x: { path: \"$.o.x[*]\" } }",
            "'x' in 'children' uses $.o.x, which is dropped"
        ),
        ("columns: { a: text }, rename: { b: c }", "declared columns have their names already"),
    ])
    func `a transform that no view or store allows is a fault of the config`(
        resource: String, words: String
    ) async throws {
        let shop = try await Shop(resource)
        let check = try await shop.sandbox.siding("check")
        #expect(check.status == 78)
        #expect(check.error.contains(words), "\(check.error)")
        await shop.service.origin.stop()
    }
}

/// An origin whose items have a state, and a config for it.
private struct Shop {
    let service: Service
    let sandbox: Sandbox
    private let writes: String

    init(_ resource: String, writes: Bool = false) async throws {
        service = try await Service.start(items: 0)
        sandbox = try Sandbox()
        self.writes = writes ? "writes: { items: { update: { path: '/items/{id}' } } }" : ""
        try self.resource(resource)
    }

    func resource(_ members: String) throws {
        try sandbox.config(service.config(resource: members, more: writes))
    }

    func put(_ number: Int, state: String, more: String = "") {
        service.items.put(
            Dataset.Record(key: String(number), json: #"{"id":\#(number),"state":"\#(state)"\#(more)}"#))
    }

    func ids() async throws -> [Int?] {
        try await sandbox.siding("query", "SELECT id FROM items ORDER BY id", "--json").objects().map { $0["id"]?.int }
    }

    func body(_ number: Int) async throws -> String {
        let row = try await sandbox.siding(
            "query", "SELECT body FROM siding_records_items WHERE key = '\(number)'", "--json"
        ).object()
        guard case .string(let body)? = row["body"] else { return "" }
        return body
    }

    func fileHolds(_ text: String) throws -> Bool {
        try ["test.db", "test.db-wal"].contains { name in
            guard FileManager.default.fileExists(atPath: sandbox.file(name)) else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: sandbox.file(name))).range(of: Data(text.utf8)) != nil
        }
    }
}
