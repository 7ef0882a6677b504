// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingTesting
import Testing

/// `siding send` and what becomes of writes, over real sockets into a real file.
@Suite(.serialized)
struct SendTests {
    /// An origin that takes writes to `/items`, and a sandbox whose config declares them.
    private static func shop(
        source: String = "", writes: String = ""
    ) async throws -> (service: Service, sandbox: Sandbox) {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox()
        let declared = """
            writes:
              items:
                create: { path: /items }
                update: { path: "/items/{id}" }
                delete: { path: "/items/{id}" }
            """
        try sandbox.config(
            service.config(source: "retry: { inline: 0 }\(source)") + "\n" + (writes.isEmpty ? declared : writes))
        service.listen { _, request in await RecordWrites("/items", to: service.items, firstID: 100).answer(request) }
        return (service, sandbox)
    }

    @Test func `a write is delivered at once, with its id alone on standard output`() async throws {
        let (service, sandbox) = try await Self.shop()
        let sent = try await sandbox.siding("send", "POST", "shop:/items", "-d", #"{"title":"new"}"#)
        #expect(sent.status == 0)
        #expect(sent.output.wholeMatch(of: /[0-9a-z]{26}\n/) != nil)
        #expect(sent.error == "")
        let request = try #require(service.origin.requests.first)
        #expect(request.method == "POST" && request.target == "/items")
        #expect(request.body == Array(#"{"title":"new"}"#.utf8))
        #expect(request.headerFields[.contentType] == "application/json")
        #expect(HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] }?.count == 36)
        let shown = try await sandbox.siding("queue", "show", String(sent.output.prefix(8)), "--json").objects()
        #expect(shown.first?["state"]?.string == "done")
        await service.origin.stop()
    }

    @Test func `a config may send only: sync sends what waits, and there is nothing to fetch`() async throws {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { shop: { base_url: \(service.url) } }
            writes: { items: { update: { method: PUT, path: "/items/{id}" } } }
            """)
        service.listen { _, _ in .json("{}") }
        let check = try await sandbox.siding("check", "--json")
        #expect(check.status == 0, "\(check.everything)")
        #expect(try check.object()["writes"]?.array?.first?.string == "items")
        #expect(try await sandbox.siding("send", "items.update", "7", "-d", "{}", "--no-send").status == 0)
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0, "\(sync.everything)")
        #expect(service.targets == ["/items/7"])
        for command in ["sync", "plan", "status"] {
            let said = try await sandbox.siding(command)
            #expect(said.status == 0, "\(command): \(said.everything)")
        }
        #expect(try await sandbox.siding("sync", "items").status == 66)
        await service.origin.stop()
    }

    @Test func `a refused write waits, exit 69, and its correction replaces it`() async throws {
        let (service, sandbox) = try await Self.shop()
        service.origin.inject(.status(422))
        let bad = try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}", "--lane", "l")
        #expect(bad.status == 69)
        #expect(bad.error.contains("parked: rejected: the origin answered 422"))
        let next = try await sandbox.siding("send", "POST", "shop:/items", "-d", #"{"title":"2"}"#, "--lane", "l")
        #expect(next.status == 75)
        let edited = try await sandbox.siding(
            "queue", "edit", String(bad.output.prefix(8)), "--body", #"{"title":"1"}"#)
        #expect(edited.status == 0)
        #expect(try await sandbox.siding("queue", "run").status == 0)
        let bodies = service.origin.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies == ["{}", #"{"title":"1"}"#, #"{"title":"2"}"#])
        let keys = service.origin.requests.compactMap { request in
            HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] }
        }
        #expect(Set(keys).count == 3, "an edited body never travels under the old key")
        await service.origin.stop()
    }

    @Test func `without a line a write is kept, exit 75, and the next sync sends it before it fetches`() async throws {
        let (service, sandbox) = try await Self.shop()
        let kept = try await sandbox.siding("send", "DELETE", "shop:/items/2", "--no-send")
        #expect(kept.status == 0)
        #expect(service.targets == [])
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.targets.first == "/items/2")
        #expect(try await sandbox.siding("query", "select count(*) as n from items").output.contains("2"))
        await service.origin.stop()
    }

    @Test func `a declared write shows in the view at once, marked, and the answer takes its place`() async throws {
        let (service, sandbox) = try await Self.shop()
        #expect(try await sandbox.siding("sync").status == 0)
        let sent = try await sandbox.siding("send", "items.update", "2", "-d", #"{"title":"mine"}"#, "--no-send")
        #expect(sent.status == 0, "\(sent.error)")
        let query = "select title, siding_pending from items where id = 2"
        let pending = try await sandbox.siding("query", query, "--json").objects().first
        #expect(pending?["title"]?.string == "mine" && pending?["siding_pending"]?.int == 1)
        #expect(try await sandbox.siding("sync", "--no-queue", "--full").status == 0)
        #expect(try await sandbox.siding("query", query, "--json").objects().first?["title"]?.string == "mine")
        #expect(try await sandbox.siding("queue", "run").status == 0)
        let done = try await sandbox.siding("query", query, "--json").objects().first
        #expect(done?["siding_pending"]?.int == 0)
        await service.origin.stop()
    }

    @Test func `a record that is created is edited by its temporary id before the origin has made it`() async throws {
        let (service, sandbox) = try await Self.shop()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("send", "items.create", "-d", #"{"title":"new"}"#, "--no-send").status == 0)
        let key = try #require(
            try await sandbox.siding("query", "select key from siding_records_items where key like 'tmp-%'", "--json")
                .objects().first?["key"]?.string)
        let update = try await sandbox.siding("send", "items.update", key, "-d", #"{"title":"newer"}"#, "--no-send")
        #expect(update.status == 0, "\(update.error)")
        #expect(try await sandbox.siding("queue", "run").status == 0)
        #expect(service.targets.suffix(2) == ["/items", "/items/100"])
        let left = try await sandbox.siding("query", "select title from items where id = 100", "--json").objects()
        #expect(left.first?["title"]?.string == "newer")
        await service.origin.stop()
    }

    @Test func `a write that creates a record prints its temporary id, and then the origin's id`() async throws {
        let (service, sandbox) = try await Self.shop()
        let kept = try await sandbox.siding("send", "items.create", "-d", #"{"title":"new"}"#, "--no-send")
        #expect(kept.lines.count == 1)
        let temporary = try #require(kept.error.firstMatch(of: /the new record of 'items' is (tmp-[0-9a-z]{26})/)?.1)
        let shown = try await sandbox.siding("queue", "show", String(kept.output.prefix(8)), "--json").object()
        #expect(shown["record_key"]?.string == String(temporary))
        let sent = try await sandbox.siding("send", "items.create", "-d", #"{"title":"newer"}"#)
        #expect(sent.error.contains(/the new record of 'items' is tmp-[0-9a-z]{26}\n/), "\(sent.error)")
        #expect(sent.error.contains(/the new record of 'items' is 1[0-9]{2}\n/), "\(sent.error)")
        await service.origin.stop()
    }

    @Test func `a refused creation shows, and the command of the document leaves it out of a count`() async throws {
        let (service, sandbox) = try await Self.shop()
        #expect(try await sandbox.siding("sync").status == 0)
        let live = try #require(try await sandbox.count())
        service.origin.inject(.status(422), at: OriginPattern(method: "POST"))
        #expect(try await sandbox.siding("send", "items.create", "-d", #"{"title":"no"}"#).status == 69)
        // One that waits is counted, and so is a record with a change that waits.
        #expect(try await sandbox.siding("send", "items.create", "-d", #"{"title":"new"}"#, "--no-send").status == 0)
        #expect(try await sandbox.siding("send", "items.update", "1", "-d", "{}", "--no-send").status == 0)
        #expect(try await sandbox.count() == live + 2)
        let page = try DocumentPages.text("Docs/Queue.md")
        let command = try #require(page.firstMatch(of: /siding query "(SELECT count\(\*\) FROM issues[^"]*)"/))
        let statement = String(command.1).replacing("issues", with: "items")
        let counted = try await sandbox.siding("query", statement, "--format", "csv")
        #expect(counted.output.contains("\(live + 1)"), "\(counted.everything)")
        await service.origin.stop()
    }

    @Test func `a conflict is shown side by side and resolved by an operator`() async throws {
        let (service, sandbox) = try await Self.shop()
        #expect(try await sandbox.siding("sync").status == 0)
        service.origin.inject(.status(409), at: OriginPattern(method: "PATCH"))
        let sent = try await sandbox.siding("send", "items.update", "1", "-d", #"{"title":"mine"}"#)
        #expect(sent.status == 69)
        let shown = try await sandbox.siding("queue", "show", String(sent.output.prefix(8)))
        #expect(shown.output.contains("parked: conflict") && shown.output.contains("$.title"))
        let id = String(sent.output.prefix(8))
        #expect(try await sandbox.siding("queue", "resolve", id, "--theirs").status == 64, "nobody was asked")
        let resolved = try await sandbox.siding("queue", "resolve", id, "--theirs", "--yes")
        #expect(resolved.status == 0)
        let row = try await sandbox.siding("query", "select title from items where id = 1", "--json").objects().first
        #expect(row?["title"]?.string == "item 1")
        await service.origin.stop()
    }

    /// Words, and the exit code that they get.
    private static let refused: [([String], Int32)] = [
        (["POST", "shop:/items", "-H", "Authorization: Bearer CANARY"], 64),
        (["POST", "shop:/items?access_token=CANARY"], 64), (["POST", "shop:/items", "-d", "{"], 65),
        (["GET", "shop:/items"], 64), (["POST", "https://elsewhere.test/items"], 64), (["POST", "other:/items"], 66),
        (["items.rename", "1"], 64), (["others.create"], 66), (["items.update"], 64), (["POST"], 64),
        (["POST", "shop:/items", "-d", "@missing.json"], 66), (["POST", "shop:/items", "--after", "0000"], 66),
    ]

    @Test(arguments: refused)
    func `bad input is refused in plain words, and nothing is kept`(arguments: [String], status: Int32) async throws {
        let (service, sandbox) = try await Self.shop()
        let refused = try await sandbox.siding(["send"] + arguments)
        #expect(refused.status == status, "\(refused.error)")
        #expect(!refused.error.isEmpty && !refused.error.contains("CANARY"))
        #expect(refused.output == "")
        #expect(service.targets == [])
        await service.origin.stop()
    }

    @Test func `the same key leads to the same entry, which is sent once`() async throws {
        let (service, sandbox) = try await Self.shop()
        let first = try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}", "--key", "k")
        let again = try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}", "--key", "k")
        #expect(first.output == again.output && again.status == 0)
        #expect(service.targets.count == 1)
        let other = try await sandbox.siding("send", "POST", "shop:/items", "-d", "[]", "--key", "k")
        #expect(other.status == 64)
        await service.origin.stop()
    }

    @Test func `a command shows the same request for curl, with quotes that a shell undoes`() async throws {
        let (service, sandbox) = try await Self.shop()
        // The second quote has an accent: one character of Swift, and a quote for a shell.
        let body = "{\"title\":\"it's '\u{301}\"}"
        let sent = try await sandbox.siding("send", "POST", "shop:/items", "-d", body, "--no-send")
        let curl = try await sandbox.siding("queue", "show", String(sent.output.prefix(8)), "--curl").output
        #expect(curl.contains("--data-raw '{\"title\":\"it'\\''s '\\''\u{301}\"}'"))
        #expect(curl.contains("-H 'Content-Type: application/json'"))
        let printed = try await sandbox.siding("queue", "show", String(sent.output.prefix(8)), "--body")
        #expect(printed.output == body)
        await service.origin.stop()
    }

    @Test func `a body over the queue's limit is refused before it is read whole`() async throws {
        let (service, sandbox) = try await Self.shop()
        let kept = try await sandbox.siding("send", "PUT", "shop:/items/1", "-d", "{}", "--no-send").output
        let id = String(kept.prefix(8))
        // Sparse, and far larger than any memory.
        try sandbox.write("", to: "huge.json")
        let file = try FileHandle(forWritingTo: URL(filePath: sandbox.file("huge.json")))
        try file.truncate(atOffset: 1 << 40)
        try file.close()
        for command in [
            ["send", "POST", "shop:/items", "-d", "@huge.json"], ["queue", "edit", id, "--body", "@huge.json"],
            ["queue", "resolve", id, "--merge", "huge.json"],
        ] {
            let refused = try await sandbox.siding(command)
            #expect(refused.status == 64, "\(refused.error)")
            #expect(refused.error.contains("huge.json holds more than 64.0 MiB"), "\(refused.error)")
        }
        let endless = try await sandbox.run(
            "/bin/sh", ["-c", "exec \"$0\" send POST shop:/items -d - < /dev/zero", SidingBinary.path()])
        #expect(endless.status == 64 && endless.error.contains("standard input holds more than 64.0 MiB"))
        #expect(try await sandbox.siding("queue", "list", "--json").objects().count == 1)
        await service.origin.stop()
    }

    @Test func `in JSON an accepted write is a line before it is sent, and its outcome another`() async throws {
        let (service, sandbox) = try await Self.shop()
        let send = ["send", "POST", "shop:/items", "-d", #"{"title":"new"}"#, "--json"]
        let lines = try await sandbox.siding(send).objects()
        #expect(lines.count == 2)
        #expect(lines.map { $0["state"]?.string } == ["queued", "done"])
        #expect(lines[0]["id"]?.string?.count == 26 && lines[0]["id"] == lines[1]["id"])
        #expect(lines[0]["history"] == nil && lines[1]["history"]?.array?.isEmpty == false)
        let kept = try await sandbox.siding(send + ["--no-send"]).objects()
        #expect(kept.map { $0["state"]?.string } == ["queued", "queued"])
        await service.origin.stop()
    }

    @Test func `in JSON the id is printed although the sender is killed during its try`() async throws {
        let (service, sandbox) = try await Self.shop()
        let child = Promise<Child>()
        service.listen { _, _ in
            try? await child.value().send(SIGKILL)
            return nil
        }
        let killed = try await sandbox.siding(["send", "POST", "shop:/items", "-d", "{}", "--json"]) {
            child.fulfil($0)
        }
        #expect(killed.status == 137)
        let id = try #require(try killed.object()["id"]?.string)
        let shown = try await sandbox.siding("queue", "show", id)
        #expect(shown.status == 0)
        #expect(shown.output.contains("sending: its sender died"), "\(shown.output)")
        #expect(shown.output.contains("the next 'siding queue run' or 'siding sync' decides"), "\(shown.output)")
        #expect(!shown.output.contains("was not delivered") && !shown.output.contains("is sending it now"))
        #expect(try await sandbox.siding("queue", "list").output.contains("next run"))
        #expect(try await sandbox.siding("status").output.contains("queue: 1 whose sender died"))
        await service.origin.stop()
    }

    @Test func `purge forgets completed entries, not waiting ones`() async throws {
        let (service, sandbox) = try await Self.shop()
        #expect(try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}").status == 0)
        #expect(try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}", "--no-send").status == 0)
        #expect(try await sandbox.siding("queue", "purge", "--all").status == 64, "nobody can be asked")
        #expect(try await sandbox.siding("queue", "purge", "--all", "--yes").status == 0)
        let left = try await sandbox.siding("queue", "list", "--json", "--state", "done", "--state", "queued").objects()
        #expect(left.compactMap { $0["state"]?.string } == ["queued"])
        await service.origin.stop()
    }
}
