// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// `queue purge`, `edit` and `resolve` mean entries as their sister commands do, rehearse, and tell what was refused.
@Suite(.serialized)
struct QueueDecisionTests {
    // MARK: Selecting

    @Test func `reasons narrow the list and the release`() async throws {
        let shop = try await QueueShop()
        let held = try await shop.keep("a")
        let expired = try await shop.keep("b")
        _ = try await shop.keep("c")
        #expect(try await shop.queue("hold", held).status == 0)
        try await shop.park(expired, "expired")
        func listed(_ reasons: String...) async throws -> [String?] {
            try await shop.sandbox.siding(["queue", "list", "--json"] + reasons.flatMap { ["--reason", $0] }).objects()
                .map { $0["id"]?.string }
        }
        #expect(try await listed("expired") == [expired])
        #expect(try await listed("expired", "held") == [held, expired])
        #expect(try await listed("rejected") == [])
        #expect(try await shop.queue("list", "--reason", "tired").status == 64)
        #expect(try await shop.queue("release", "--reason", "expired").status == 0)
        #expect(try await listed("expired", "held") == [held])
        await shop.service.origin.stop()
    }

    @Test(arguments: [
        (["retry", "--all"], "done"), (["retry", "--state", "parked"], "done"), (["release", "--all"], "queued"),
        (["edit", "--all", "--body", "[]"], "dropped"),
    ])
    func `an entry that may have arrived is left alone and counted, unless an id or a reason names it`(
        command: [String], end: String
    ) async throws {
        let shop = try await QueueShop()
        let entries = try await [shop.keep("a"), shop.keep("b"), shop.keep("c")]
        for (id, reason) in zip(entries, ["expired", "uncertain", "key_expired"]) { try await shop.park(id, reason) }
        let left = try await shop.sandbox.siding(["queue"] + command)
        #expect(left.status == 0, "\(left.error)")
        #expect(left.error.contains("2 writes that may have arrived were left unchanged"), "\(left.error)")
        for (id, state) in zip(entries, [end, "parked", "parked"]) {
            #expect(try await shop.shown(id)["state"]?.string == state)
        }
        let named = try await shop.queue("release", "--reason", "uncertain")
        #expect(named.status == 0 && named.error.contains("released"), "\(named.error)")
        #expect(try await shop.queue("release", entries[2]).status == 0)
        await shop.service.origin.stop()
    }

    @Test(arguments: ["list", "run", "retry", "hold", "release", "drop", "purge"], ["--source", "--resource"])
    func `a name that neither the config nor the queue has is a fault`(command: String, option: String) async throws {
        let shop = try await QueueShop()
        _ = try await shop.keep("a")
        let refused = try await shop.queue(command, option, "shpo")
        #expect(refused.status == 66)
        #expect(refused.error.contains("'shpo'") && refused.error.contains(option == "--source" ? "shop" : "items"))
        try await shop.sql("UPDATE siding_outbox SET source = 'shpo', resource = 'shpo'")
        #expect(try await shop.queue("list", option, "shpo", "--json").objects().count == 1)
        await shop.service.origin.stop()
    }

    @Test func `the list ends with the number of entries, and has the origin's own message`() async throws {
        let shop = try await QueueShop()
        for path in ["a", "b", "c"] { _ = try await shop.keep(path) }
        shop.service.listen { _, _ in .json(#"{"message":"the title is empty"}"#, status: .unprocessableContent) }
        #expect(try await shop.queue("run").status == 69)
        let all = try await shop.queue("list")
        #expect(all.error == "3 entries\n")
        #expect(
            all.output.contains("the origin answered 422 Unprocessable Content: the title is empty"), "\(all.output)")
        #expect(try await shop.queue("list", "--limit", "2").error == "3 entries; 2 shown, --limit 0 shows all\n")
        await shop.service.origin.stop()
    }

    @Test(arguments: [["purge"], ["edit", "--body", "[]"], ["resolve", "--mine"]])
    func `without a selection nothing is done, exit 64`(command: [String]) async throws {
        let shop = try await QueueShop()
        _ = try await shop.keep("a")
        let refused = try await shop.sandbox.siding(["queue"] + command + ["--yes"])
        #expect(refused.status == 64)
        #expect(refused.error.contains("--all"))
        await shop.service.origin.stop()
    }

    // MARK: purge

    @Test func `purge forgets what is selected and completed, and refuses what still waits`() async throws {
        let shop = try await QueueShop()
        let first = try await shop.keep("a", "--lane", "l")
        let second = try await shop.keep("b")
        let open = try await shop.keep("c")
        #expect(try await shop.queue("drop", first, second, "--yes").status == 0)
        #expect(try await shop.queue("purge", "--older-than", "1h", "--yes", "--json").object()["entries"]?.int == 0)
        let dry = try await shop.queue("purge", "--all", "--dry-run")
        #expect(dry.status == 0 && dry.error == "2 entries would be forgotten\n")
        let some = try await shop.queue("purge", first, open, "--yes", "--json")
        #expect(some.status == 3)
        let told = try some.objects()
        #expect(told.first?["refusal"]?.string == "it is not completed (queued)")
        #expect(told.last?["entries"]?.int == 1 && told.last?["done"]?.bool == true)
        #expect(try await shop.queue("purge", open, "--yes").status == 1)
        let left = try await shop.queue("list", "--json", "--state", "dropped", "--state", "queued").objects()
        #expect(left.map { $0["id"]?.string } == [second, open])
        await shop.service.origin.stop()
    }

    @Test(arguments: [true, false])
    func `a purged key stays taken for as long as its origin remembers it`(isKeyed: Bool) async throws {
        let shop = try await QueueShop(source: isKeyed ? ", idempotency: { lifetime: 2h }" : "")
        let send = ["send", "POST", "shop:/orders", "--key", "k", "-d"]
        let id = try await shop.sandbox.siding(send + [#"{"a":"confidential"}"#]).output
        #expect(try await shop.queue("purge", "--all", "--yes").status == 0)
        #expect(try await shop.queue("list", "--state", "done", "--json").output == "")
        #expect(try await !shop.rows().contains("confidential"), "nothing of the request is left")
        let again = try await shop.sandbox.siding(send + [#"{"a":"confidential"}"#])
        #expect(again.status == 0 && again.output == id)
        #expect(try await shop.sandbox.siding(send + [#"{"a":"other"}"#]).status == 64)
        #expect(shop.service.targets == ["/orders"])
        let second = try await shop.queue("purge", id.trimmingCharacters(in: .newlines), "--yes")
        #expect(second.status == 1 && second.error.contains("only its idempotency key is left"))
        // Its time goes by, and any look for a key forgets it.
        try await shop.sql("UPDATE siding_idempotency_keys SET kept_until = 1")
        let new = try await shop.sandbox.siding(send + [#"{"a":"other"}"#])
        #expect(new.status == 0 && new.output != id)
        #expect(shop.service.targets == ["/orders", "/orders"])
        await shop.service.origin.stop()
    }

    @Test func `purge removes a completed entry that has lost its request, and its key is free again`() async throws {
        let shop = try await QueueShop()
        let send = ["send", "POST", "shop:/orders", "-d", "{}", "--key", "k"]
        let id = try await shop.sandbox.siding(send).output.trimmingCharacters(in: .newlines)
        try await shop.sql("DELETE FROM siding_outbox_requests")
        #expect(try await shop.queue("purge", id, "--yes").status == 0)
        #expect(try await shop.rows() == "")
        let again = try await shop.sandbox.siding(send)
        #expect(again.status == 0, "\(again.error)")
        await shop.service.origin.stop()
    }

    // MARK: edit

    @Test func `several entries are edited at once, and refusals are reported`() async throws {
        let shop = try await QueueShop()
        let first = try await shop.keep("a", "--lane", "l")
        let second = try await shop.keep("b", "--lane", "l")
        let completed = try await shop.keep("c", "--lane", "l")
        #expect(try await shop.queue("drop", completed, "--yes").status == 0)
        let edited = try await shop.queue("edit", first, second, completed, "--body", "[1]", "-H", "X-Why: mended")
        #expect(edited.status == 3)
        #expect(edited.lines.count == 2)
        #expect(edited.error.contains("\(completed.prefix(8)): not replaced: it is completed (dropped)"))
        #expect(try await shop.queue("run").status == 0)
        #expect(shop.service.targets == ["/a", "/b"])
        #expect(shop.service.origin.requests.allSatisfy { $0.body == Array("[1]".utf8) })
        #expect(try await shop.queue("edit", completed, "--body", "[]").status == 1)
        await shop.service.origin.stop()
    }

    @Test func `an editor opens for one entry alone`() async throws {
        let shop = try await QueueShop()
        _ = try await shop.keep("a")
        _ = try await shop.keep("b")
        let refused = try await shop.queue("edit", "--all")
        #expect(refused.status == 64)
        #expect(refused.error.contains("an editor is for one entry, and 2 are selected"))
        #expect(refused.error.contains("--body, --header or --url"))
        await shop.service.origin.stop()
    }

    @Test func `an editor reads from the terminal, and its text is sent`() async throws {
        let shop = try await QueueShop()
        let id = try await shop.keep("orders")
        try shop.sandbox.write("read text < /dev/tty; echo \"$text\" > \"$1\"", to: "editor")
        let edit = "\(try SidingBinary.path()) queue edit \(id)"
        let edited = try await shop.sandbox.run(
            "/usr/bin/script", ["-qec", edit, "/dev/null"],
            environment: ["EDITOR": "/bin/sh \(shop.sandbox.file("editor"))"], input: "{\"n\":1}\n")
        #expect(edited.status == 0, "\(edited.output)")
        #expect(try await shop.queue("run").status == 0)
        #expect(shop.service.origin.requests.first?.body == Array("{\"n\":1}\n".utf8))
        await shop.service.origin.stop()
    }

    @Test func `a new path or URL replaces the old one, and is refused where send refuses it`() async throws {
        let shop = try await QueueShop()
        let id = try await shop.keep("ordres")
        let refused: [(String, String)] = [
            ("https://elsewhere.test/orders", "is not at"), ("orders", "begins with /"),
            ("other:/orders", "has no source"), ("/orders?access_token=CANARY", "looks like a credential"),
            ("\(shop.service.url)/orders?token=CANARY", "looks like a credential"),
        ]
        for (url, words) in refused {
            let outcome = try await shop.queue("edit", id, "--url", url)
            #expect([64, 66].contains(outcome.status), "\(url): \(outcome.error)")
            #expect(outcome.error.contains(words) && !outcome.error.contains("CANARY"), "\(url): \(outcome.error)")
        }
        let edited = try await shop.queue("edit", id, "--url", "/orders?x=1")
        #expect(edited.status == 0, "\(edited.error)")
        let next = try #require(edited.lines.first.map(String.init))
        #expect(try await shop.shown(next)["url"]?.string == "\(shop.service.url)/orders?x=1")
        #expect(try await shop.queue("edit", next, "--url", "\(shop.service.url)/orders/2").status == 0)
        #expect(try await shop.queue("run").status == 0)
        #expect(shop.service.targets == ["/orders/2"])
        #expect(shop.service.origin.requests.first?.body == Array("{}".utf8))
        await shop.service.origin.stop()
    }

    @Test func `a rehearsed edit prints the new request and writes nothing`() async throws {
        let shop = try await QueueShop()
        let id = try await shop.keep("a")
        let before = try await shop.rows()
        let edit = ["queue", "edit", id, "--url", "/b", "--body", "[1,2]", "--dry-run"]
        let told = try await shop.sandbox.siding(edit)
        #expect(told.status == 0 && told.output == "")
        #expect(
            told.error == """
                \(id.prefix(8)): would be replaced: POST \(shop.service.url)/b, Content-Type, a body of 5 B

                """)
        let object = try await shop.sandbox.siding(edit + ["--json"]).object()
        #expect(object["id"]?.string == id && object["action"]?.string == "edit" && object["done"]?.bool == false)
        #expect(object["request"]?["url"]?.string == "\(shop.service.url)/b")
        #expect(object["request"]?["headers"] == .array([.string("Content-Type")]))
        #expect(object["request"]?["body_bytes"]?.int == 5)
        #expect(try await shop.rows() == before)
        await shop.service.origin.stop()
    }

    // MARK: resolve

    @Test func `conflicts are resolved by their reason, after a rehearsal that writes nothing`() async throws {
        let shop = try await QueueShop()
        #expect(try await shop.sandbox.siding("sync").status == 0)
        let (first, second) = (try await shop.conflict(1), try await shop.conflict(2))
        let before = try await shop.rows()
        let resolve = ["queue", "resolve", "--reason", "conflict"]
        let dry = try await shop.sandbox.siding(resolve + ["--theirs", "--dry-run"])
        #expect(dry.status == 0)
        #expect(dry.error == "\(first.prefix(8)): would be dropped\n\(second.prefix(8)): would be dropped\n")
        let object = try await shop.sandbox.siding(resolve + ["--mine", "--dry-run", "--json"]).objects().first
        #expect(object?["action"]?.string == "resolve" && object?["state"]?.string == "parked")
        #expect(try await shop.rows() == before)
        #expect(try await shop.sandbox.siding(resolve + ["--theirs"]).status == 64, "nobody was asked")
        for more in [["--merge", "x.json"], ["--arrived", "--real-id", "7"]] {
            try shop.sandbox.write("{}", to: "x.json")
            let refused = try await shop.sandbox.siding(resolve + more)
            #expect(refused.status == 64 && refused.error.contains("is for one entry, and 2 are selected"))
        }
        #expect(try await shop.sandbox.siding(resolve + ["--theirs", "--yes"]).status == 0)
        #expect(try await shop.shown(first)["state"]?.string == "dropped")
        #expect(try await shop.shown(first)["why"]?.string == "it was dropped; its history says by whom.")
        #expect(try await shop.sandbox.siding(resolve + ["--theirs", "--yes"]).status == 66)
        await shop.service.origin.stop()
    }

    @Test func `uncertain entries are resolved as arrived together, and others are refused`() async throws {
        let shop = try await QueueShop()
        let (first, second) = (try await shop.keep("a"), try await shop.keep("b"))
        let third = try await shop.keep("c")
        for id in [first, second] { try await shop.park(id, "uncertain") }
        let some = try await shop.queue("resolve", "--all", "--arrived", "--json")
        #expect(some.status == 3)
        #expect(try some.objects().map { $0["state"]?.string } == ["done", "done", "queued"])
        #expect(try some.objects().last?["refusal"]?.string == "it is not uncertain whether it arrived")
        #expect(try await shop.queue("resolve", third, "--mine").status == 1)
        await shop.service.origin.stop()
    }

    // MARK: release

    @Test(arguments: ["release", "retry"])
    func `a damaged entry is released, and the next sender parks it as invalid`(action: String) async throws {
        let shop = try await QueueShop()
        let (damaged, sound) = (try await shop.keep("a"), try await shop.keep("b"))
        #expect(try await shop.queue("hold", damaged, sound).status == 0)
        try await shop.sql(
            """
            UPDATE siding_outbox_requests SET url = 'no url'
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = '\(damaged)')
            """)
        let done = try await shop.queue(action, damaged, sound)
        #expect(done.status == (action == "release" ? 0 : 3), "\(done.error)")
        if action == "release" { #expect(try await shop.queue("run").status != 0) }
        #expect(try await shop.shown(damaged)["reason"]?.string == "invalid")
        #expect(shop.service.targets == ["/b"])
        #expect(try await shop.queue("edit", damaged, "--url", "/a").status == 0)
        #expect(try await shop.queue("run").status == 0)
        #expect(shop.service.targets == ["/b", "/a"])
        await shop.service.origin.stop()
    }
}
