import Foundation
import HTTPTypes
import SidingOrigin
import Testing

@Suite(.serialized)
struct TransformTests {
    @Test(arguments: ["where: { path: $.state, not_equals: spam }", "where: \"state <> 'spam'\""])
    func `Only records that fit are kept, and one that fits no longer leaves the view until it fits again`(
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
    func `A record is kept by how a member of it compares`(comparison: String, kept: [Int]) async throws {
        let shop = try await Shop("where: { path: $.state, \(comparison) }")
        for (index, state) in ["open", "closed", "spam"].enumerated() { shop.put(index + 1, state: state) }
        shop.service.items.put(Dataset.Record(key: "4", json: #"{"id":4}"#))
        #expect(try await shop.sandbox.siding("sync").status == 0)
        #expect(try await shop.ids() == kept)
        await shop.service.origin.stop()
    }

    @Test func `A condition that is narrowed takes effect without a line, and one that is widened asks for all`()
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

    @Test func `What is dropped never reaches the file, and does not make records look changed`() async throws {
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

    @Test func `What is dropped from now on leaves the stored records too, without a line`() async throws {
        let shop = try await Shop("")
        shop.put(1, state: "open", more: #","note":"whisper""#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        try shop.resource("drop: [$.note]")
        #expect(try await shop.sandbox.siding("sync", "--offline").status == 75)
        #expect(try await shop.body(1) == #"{"id":1,"state":"open"}"#)
        await shop.service.origin.stop()
    }

    @Test func `Computed columns follow the config, and rewrite no record`() async throws {
        let shop = try await Shop("set: { total: price * count, label: \"upper(state) || '!'\" }")
        shop.put(1, state: "open", more: #","price":2.50,"count":4"#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        let rows = try await shop.sandbox.siding("query", "SELECT total, label, state FROM items", "--json").object()
        #expect(rows == ["total": .number(10), "label": .string("OPEN!"), "state": .string("open")])
        try shop.resource("set: { label: \"record ->> '$.price'\" }, rename: { state: condition }")
        #expect(try await shop.sandbox.siding("sync", "--offline").status == 75)
        let later = try await shop.sandbox.siding("query", "SELECT label, condition FROM items", "--json").object()
        #expect(later == ["label": .number(2.5), "condition": .string("open")])
        let written = try await shop.sandbox.siding("query", "SELECT 1 FROM siding_records WHERE run > 1", "--json")
        #expect(written.output == "")
        await shop.service.origin.stop()
    }

    @Test func `An expression may use declared columns, with what they are shown as`() async throws {
        let shop = try await Shop(
            "columns: { at: { type: datetime, path: $.meta.at, format: epoch } }, set: { day: \"substr(at, 1, 10)\" }")
        shop.put(1, state: "open", more: #","meta":{"at":86400}"#)
        #expect(try await shop.sandbox.siding("sync").status == 0)
        let row = try await shop.sandbox.siding("query", "SELECT day FROM items", "--json").object()
        #expect(row["day"] == .string("1970-01-02"))
        await shop.service.origin.stop()
    }

    @Test func `A condition that cannot be computed fails the page, and says why`() async throws {
        let shop = try await Shop("where: \"abs(big) > 0\"")
        shop.put(1, state: "open", more: #","big":-9223372036854775808"#)
        let sync = try await shop.sandbox.siding("sync")
        #expect(sync.status == 65)
        #expect(sync.error.contains("abs(big) > 0"))
        #expect(sync.error.contains("integer overflow"))
        await shop.service.origin.stop()
    }

    @Test(arguments: [
        ("where: \"state <>\"", "is no expression over a record"),
        ("where: \"(SELECT 1)\"", "subqueries prohibited"),
        ("where: \"random() > 0\"", "non-deterministic"),
        ("where: \"user.login = 'x'\"", "record ->> '$.user.login'"),
        ("where: { path: $.state }", "compares with nothing"),
        ("where: { path: $.state, equals: a, in: [b] }", "compares in several ways"),
        ("drop: [$.id]", "drops its key"), ("drop: [\"$.list[0]\"]", "is no member that can be left out"),
        ("set: { siding_x: \"1\" }", "siding_"), ("set: { a: \"1\", A: \"2\" }", "two columns are called"),
        ("columns: { a: text }, set: { A: \"1\" }", "two columns are called"),
        ("columns: { a: text }, rename: { b: c }", "declared columns have their names already"),
    ])
    func `What no view or store can be like is a fault of the config`(resource: String, words: String) async throws {
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

    init(_ resource: String) async throws {
        service = try await Service.start(items: 0)
        sandbox = try Sandbox()
        try self.resource(resource)
    }

    func resource(_ members: String) throws {
        try sandbox.config(service.config(resource: members))
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
            "query", "SELECT body FROM siding_records WHERE key = '\(number)'", "--json"
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
