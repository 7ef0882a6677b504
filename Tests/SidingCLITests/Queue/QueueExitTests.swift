// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// What commands on writes say, and with which code they end, where not all went as it was asked.
@Suite(.serialized)
struct QueueExitTests {
    // MARK: run

    @Test(arguments: [
        ["--lane", "l"], ["--state", "queued"], ["--resource", "items"], ["--older-than", "0s"], ["ID"],
    ])
    func `watching takes no selector but the source, and sends nothing that was not meant`(
        selector: [String]
    ) async throws {
        let shop = try await QueueShop()
        let id = try await shop.keep("orders")
        let named = selector.map { $0 == "ID" ? id : $0 }
        let refused = try await shop.sandbox.siding(["queue", "run", "--watch"] + named)
        #expect(refused.status == 64)
        #expect(refused.error.contains("--source"))
        #expect(shop.service.targets == [])
        #expect(try await shop.sandbox.siding("queue", "run", "--watch", "--source", "shop").status == 0)
        #expect(shop.service.targets == ["/orders"])
        await shop.service.origin.stop()
    }

    @Test func `writes behind five equal refusals wait, are reported, and are sent when an operator asks`()
        async throws
    {
        let shop = try await QueueShop(source: ", http: { concurrency: 1 }")
        shop.service.listen { _, request in
            request.method == "GET" ? nil : .json(#"{"message":"the token is read-only"}"#, status: .forbidden)
        }
        for _ in 1...9 { _ = try await shop.keep("orders") }
        let run = try await shop.sandbox.siding("queue", "run")
        #expect(run.status == 69)
        #expect(shop.service.targets.count == 5)
        #expect(
            run.error.contains(
                "shop: 4 writes wait 30 s, as 5 writes in a row were refused in the same way: 403 Forbidden: "
                    + "the token is read-only"), "\(run.error)")
        #expect(try await shop.sandbox.siding("queue", "run").status == 69)
        #expect(shop.service.targets.count == 6, "a person's run tries one")
        let retry = try await shop.sandbox.siding("queue", "retry", "--reason", "rejected")
        #expect(retry.status == 69)
        #expect(shop.service.targets.count == 7, "so does one who names them all")
        shop.service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .created) }
        #expect(try await shop.sandbox.siding("queue", "run").status == 0)
        let left = try await shop.sandbox.siding("queue", "list", "--json").objects()
        #expect(left.map { $0["reason"]?.string } == ["rejected"])
        await shop.service.origin.stop()
    }

    @Test(arguments: [["run"], ["run", "--source", "shop"]])
    func `a write that is refused for its own content does not hold up those behind it, once the token is repaired`(
        command: [String]
    ) async throws {
        let shop = try await QueueShop(source: ", http: { concurrency: 1 }")
        shop.service.listen { _, request in
            request.method == "GET" ? nil : .json(#"{"message":"the token is read-only"}"#, status: .forbidden)
        }
        for _ in 1...5 { _ = try await shop.keep("orders") }
        #expect(try await shop.sandbox.siding("queue", "run").status == 69)
        for path in ["taken", "a", "b"] { _ = try await shop.keep(path) }
        shop.service.listen { _, request in
            if request.method == "GET" { return nil }
            return request.target == "/taken"
                ? .json(#"{"message":"name is taken"}"#, status: .unprocessableContent) : .json("{}", status: .created)
        }
        _ = try await shop.sandbox.siding(["queue"] + command)
        #expect(shop.service.targets.suffix(3) == ["/taken", "/a", "/b"])
        let left = try await shop.sandbox.siding("queue", "list", "--json").objects()
        #expect(left.count == 6 && left.allSatisfy { $0["reason"]?.string == "rejected" })
        await shop.service.origin.stop()
    }

    @Test(arguments: ["run", "retry"])
    func `a write whose key the origin has forgotten is parked, reported, and not counted as delivered`(
        command: String
    ) async throws {
        let shop = try await QueueShop(source: ", idempotency: {}")
        let id = try await shop.keep("orders")
        try await shop.sandbox.sqlite(
            shop.sandbox.file("test.db"),
            """
            UPDATE siding_outbox SET tried = json_set(tried, '$.first_sent_at', 1);
            UPDATE siding_idempotency_keys SET lifetime_us = 1
            """)
        let run = try await shop.sandbox.siding("queue", command, id)
        #expect(run.status == 75)
        #expect(run.error.contains("parked: key_expired"))
        #expect(shop.service.targets == [])
        await shop.service.origin.stop()
    }

    @Test func `an entry behind others in its lane is reported, and not counted as delivered`() async throws {
        let shop = try await QueueShop()
        let head = try await shop.keep("orders/1", "--lane", "l")
        let second = try await shop.keep("orders/2", "--lane", "l")
        #expect(try await shop.sandbox.siding("queue", "hold", head).status == 0)
        let run = try await shop.sandbox.siding("queue", "run", second, "-v")
        #expect(run.status == 75)
        #expect(run.error.contains("other entries are before it in its lane"))
        let told = try await shop.sandbox.siding("queue", "run", second, "--json").object()
        #expect(told["id"]?.string == second && told["state"]?.string == "queued")
        #expect(shop.service.targets == [])
        await shop.service.origin.stop()
    }

    @Test func `a lane whose head was edited is delivered whole, in its order`() async throws {
        let shop = try await QueueShop()
        let head = try await shop.keep("orders/1", "--lane", "l")
        _ = try await shop.keep("orders/2", "--lane", "l")
        _ = try await shop.keep("orders/3", "--lane", "l")
        #expect(try await shop.sandbox.siding("queue", "edit", head, "--body", #"{"a":1}"#).status == 0)
        #expect(try await shop.sandbox.siding("queue", "run", "--lane", "l").status == 0)
        #expect(shop.service.targets == ["/orders/1", "/orders/2", "/orders/3"])
        #expect(try await shop.sandbox.siding("queue", "list", "--json").output == "")
        await shop.service.origin.stop()
    }

    @Test func `writes of a source removed from the config are reported, exit 66, and others are sent`() async throws {
        let shop = try await QueueShop()
        let lost = try await shop.keep("lost")
        let config = shop.service.config(source: "retry: { inline: 0 }")
        try shop.sandbox.config(
            config.replacing("  shop:", with: "  mart:").replacing("path: /items", with: "source: mart, path: /items"))
        for command in [["run"], ["run", "--watch"], ["run", "--source", "shop"], ["run", lost], ["retry", lost]] {
            let outcome = try await shop.sandbox.siding(["queue"] + command)
            #expect(outcome.status == 66, "\(command): \(outcome.error)")
            #expect(outcome.error.contains("the config no longer has source 'shop'"), "\(command)")
            #expect(outcome.error.contains("siding queue drop"), "\(command)")
        }
        #expect(shop.service.targets == [])
        #expect(try await shop.sandbox.siding("send", "POST", "mart:/kept", "-d", "{}", "--no-send").status == 0)
        #expect(try await shop.sandbox.siding("queue", "run").status == 3)
        #expect(shop.service.targets == ["/kept"])
        #expect(try await shop.sandbox.siding("queue", "drop", lost, "--yes").status == 0)
        #expect(try await shop.sandbox.siding("queue", "run").status == 0)
        await shop.service.origin.stop()
    }

    @Test func `a signal ends a retry of many after the one that is under way`() async throws {
        let shop = try await QueueShop(source: ", idempotency: {}")
        var ids: [String] = []
        for number in 1...3 { ids.append(try await shop.keep("orders/\(number)")) }
        let child = Promise<Child>()
        let over = Latch()
        shop.service.listen { _, _ in
            try? await child.value().send(SIGINT)
            try? await over.wait()
            return nil
        }
        let stopped = try await shop.sandbox.siding(["queue", "retry", "--all"]) { child.fulfil($0) }
        over.open()
        #expect(stopped.status == 130)
        #expect(shop.service.targets == ["/orders/1"])
        for id in ids.dropFirst() { #expect(try await !shop.events(id).contains("claimed")) }
        await shop.service.origin.stop()
    }

    // MARK: hold, release, drop, retry

    @Test(arguments: ["hold", "release", "drop", "retry"], [true, false])
    func `a refused action exits 1, and exits 3 where others succeeded`(action: String, isDry: Bool) async throws {
        let shop = try await QueueShop()
        let completed = try await shop.keep("orders/1")
        #expect(try await shop.sandbox.siding("queue", "drop", completed, "--yes").status == 0)
        let open = try await shop.keep("orders/2")
        if action == "release" { #expect(try await shop.sandbox.siding("queue", "hold", open).status == 0) }
        let more = (isDry ? ["--dry-run"] : []) + ["--yes"]
        let refused = try await shop.sandbox.siding(["queue", action, completed] + more)
        #expect(refused.status == 1)
        #expect(refused.error.contains("it is completed (dropped)") && !refused.error.contains("would be"))
        let some = try await shop.sandbox.siding(["queue", action, completed, open] + more)
        #expect(some.status == 3)
        #expect(
            try await shop.sandbox.siding(["queue", action, completed, "--json"] + more).object()["refusal"] != nil)
        await shop.service.origin.stop()
    }

    @Test func `a dry run does not promise what is done to an entry that is being sent`() async throws {
        let shop = try await QueueShop()
        let id = try await shop.keep("orders")
        try await shop.sandbox.sqlite(
            shop.sandbox.file("test.db"), "UPDATE siding_outbox SET state = 'sending', owner = 'somebody'")
        let dropped = try await shop.sandbox.siding("queue", "drop", id, "--dry-run")
        #expect(dropped.status == 1)
        #expect(dropped.error.contains("not dropped: it is being sent right now"))
        await shop.service.origin.stop()
    }

    // MARK: send

    @Test func `the key of a dropped write leads to its entry, exit 69`() async throws {
        let shop = try await QueueShop()
        let id = try await shop.keep("orders", "--key", "k")
        #expect(try await shop.sandbox.siding("queue", "drop", id, "--yes").status == 0)
        for more in [[], ["--no-send"]] {
            let again = try await shop.sandbox.siding(
                ["send", "POST", "shop:/orders", "-d", "{}", "--key", "k"] + more)
            #expect(again.status == 69)
            #expect(again.output == id + "\n")
            #expect(again.error.contains("dropped (by an operator)") && !again.error.contains("undoes"))
        }
        #expect(shop.service.targets == [])
        await shop.service.origin.stop()
    }

    @Test func `the key of an edited write leads to its entry, exit 69, and names the replacement`() async throws {
        let shop = try await QueueShop()
        let id = try await shop.keep("orders", "--key", "k")
        let edited = try await shop.sandbox.siding("queue", "edit", id, "--body", "[]")
        let again = try await shop.sandbox.siding("send", "POST", "shop:/orders", "-d", "{}", "--key", "k")
        #expect(again.status == 69)
        #expect(again.error.contains("replaced by \(edited.output.prefix(8)), its edited form"))
        await shop.service.origin.stop()
    }

    @Test func `a deletion of a record whose create was not sent drops both, and says so`() async throws {
        let shop = try await QueueShop(
            more: """
                writes:
                  items: { coalesce: true, create: { path: /items }, delete: { path: "/items/{id}" } }
                """)
        #expect(try await shop.sandbox.siding("send", "items.create", "-d", "{}", "--no-send").status == 0)
        let key = try #require(
            try await shop.sandbox.siding("query", "select record_key from siding_outbox_edits", "--json")
                .objects().first?["record_key"]?.string)
        let deleted = try await shop.sandbox.siding("send", "items.delete", key, "-v")
        #expect(deleted.status == 0, "\(deleted.error)")
        #expect(deleted.error.contains("dropped, as it undoes a write that was not sent yet"))
        #expect(try await shop.sandbox.siding("queue", "list", "--json").output == "")
        #expect(shop.service.targets == [])
        await shop.service.origin.stop()
    }

    @Test func `the curl command of a write has its key`() async throws {
        let shop = try await QueueShop(source: ", idempotency: {}")
        let id = try await shop.keep("orders", "--key", "k-1")
        let curl = try await shop.sandbox.siding("queue", "show", id, "--curl").output
        #expect(curl.contains("-H 'Idempotency-Key: k-1'"))
        await shop.service.origin.stop()
    }

    // MARK: sync

    @Test func `a sync reports the writes that wait behind refused ones, exit 75, but not with --no-queue`()
        async throws
    {
        let shop = try await QueueShop(source: ", http: { concurrency: 1 }")
        shop.service.listen { _, request in
            request.method == "GET" ? nil : .json(#"{"message":"the token is read-only"}"#, status: .forbidden)
        }
        for _ in 1...7 { _ = try await shop.keep("orders") }
        #expect(try await shop.sandbox.siding("queue", "run").status == 69)
        let sync = try await shop.sandbox.siding("sync")
        #expect(sync.status == 75, "\(sync.everything)")
        #expect(sync.error.contains("shop: 2 writes wait "), "\(sync.error)")
        let status = try await shop.sandbox.siding("status")
        #expect(status.output.contains("source shop: gate closed, "), "\(status.output)")
        #expect(try await shop.sandbox.siding("doctor").output.contains("shop: gate closed: "))
        #expect(try await shop.sandbox.siding("sync", "--json").status == 75)
        let other = try await shop.sandbox.siding("sync", "--no-queue")
        #expect(other.status == 0 && !other.error.contains("wait"), "\(other.everything)")
        #expect(shop.service.targets.count { $0 == "/orders" } == 5)
        await shop.service.origin.stop()
    }

    // MARK: Clock

    @Test(arguments: [(429, "300"), (503, "300"), (503, nil)])
    func `sync --now sends the writes that wait, too`(status: Int, retryAfter: String?) async throws {
        let shop = try await QueueShop()
        shop.service.origin.inject(
            .status(status, retryAfter: retryAfter), at: OriginPattern(method: "PATCH"))
        let sent = try await shop.sandbox.siding("send", "items.update", "1", "-d", "{}")
        #expect(sent.status == 75, "\(sent.everything)")
        let id = try #require(sent.lines.first.map(String.init))
        let asked = try await shop.sandbox.siding("sync", "--now")
        #expect(asked.status == 0, "\(asked.everything)")
        #expect(try await shop.state(id) == "done")
        await shop.service.origin.stop()
    }

    @Test func `an entry of a clock that was ahead has a true age, and doctor warns`() async throws {
        let shop = try await QueueShop()
        _ = try await shop.keep("orders")
        #expect(try await !shop.sandbox.siding("doctor").output.contains("the clock was ahead"))
        let ahead = ["created_at", "not_before"].map { "\($0) = \($0) + 34560000000000" }.joined(separator: ", ")
        try await shop.sql("UPDATE siding_outbox SET \(ahead)")
        let doctor = try await shop.sandbox.siding("doctor")
        #expect(
            doctor.output.contains(/queue entry \w+ was made 400 d after the present time: the clock was ahead then/),
            "\(doctor.output)")
        let list = try await shop.sandbox.siding("queue", "list")
        #expect(list.output.contains(/400 d in the future +0 +due/), "\(list.output)")
        await shop.service.origin.stop()
    }

    @Test func `send reports a limit field that cannot be read`() async throws {
        let shop = try await QueueShop(source: #", limits: [{ match: "**", remaining_header: X-Left }]"#)
        let left = try #require(HTTPField.Name("X-Left"))
        shop.service.listen { _, request in
            request.method == "GET" ? nil : .json("{}", status: .created, headerFields: [left: "many"])
        }
        let sent = try await shop.sandbox.siding("send", "POST", "shop:/orders", "-d", "{}")
        #expect(sent.status == 0)
        #expect(
            sent.error.contains("'remaining_header' of the limit '**' has no effect: X-Left is 'many', not a number"),
            "\(sent.error)")
        await shop.service.origin.stop()
    }
}
