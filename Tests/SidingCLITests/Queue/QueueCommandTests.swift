// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized)
struct QueueCommandTests {
    /// Two resources that both stopped before their second page.
    private struct Stopped {
        let service: Service
        let sandbox: Sandbox
        /// The entry of `items`, then that of `other`.
        let ids: [String]

        var items: String { ids[0] }

        init() async throws {
            let other = RecordListing("/other", of: Dataset((1...20).map { Service.item($0) }), pageSize: 10)
            service = try await Service.start(routes: [other])
            sandbox = try Sandbox.with(
                service, source: "retry: { inline: 0 }", more: "  other: { path: /other, key: id }")
            for path in ["/items", "/other"] {
                service.origin.inject(
                    .status(500), at: OriginPattern(path: path, query: ["page": "2"]))
            }
            try #require(try await sandbox.siding("sync").status == 75)
            ids = try await sandbox.siding("queue", "list", "--json").objects().compactMap { $0["id"]?.string }
            try #require(ids.count == 2)
            service.origin.forgetRequests()
        }

        func states() async throws -> [String?] {
            let all = ["queued", "sending", "parked", "done", "dropped"].flatMap { ["--state", $0] }
            return try await sandbox.siding(["queue", "list", "--json"] + all).objects().map { $0["state"]?.string }
        }
    }

    @Test func `a held page keeps sync from any request, exit 75, until it is released`() async throws {
        let stopped = try await Stopped()
        let held = try await stopped.sandbox.siding("queue", "hold", String(stopped.items.prefix(8)))
        #expect(held.status == 0)
        #expect(held.error == "\(stopped.items.prefix(8)): held\n")
        let sync = try await stopped.sandbox.siding("sync", "items")
        #expect(sync.status == 75)
        #expect(stopped.service.targets == [])
        #expect(sync.error.contains("the queued page \(stopped.items.prefix(8)) is parked (held)"))
        let shown = try await stopped.sandbox.siding("queue", "show", stopped.items)
        #expect(shown.output.contains("an operator put it on hold"))
        #expect(shown.output.contains("nothing, until 'siding queue release \(stopped.items.prefix(8))'"))

        #expect(try await stopped.sandbox.siding("queue", "release", stopped.items).status == 0)
        #expect(try await stopped.sandbox.siding("sync", "items").status == 0)
        #expect(stopped.service.targets.first == "/items?page=2")
        #expect(try await stopped.sandbox.differences(from: stopped.service.items) == [])
    }

    @Test func `retry sends at once, held or not, and its listing continues to the end`() async throws {
        let stopped = try await Stopped()
        #expect(try await stopped.sandbox.siding("queue", "hold", stopped.items).status == 0)
        let retried = try await stopped.sandbox.siding("queue", "retry", stopped.items)
        #expect(retried.status == 0)
        #expect(stopped.service.targets == ["/items?page=2", "/items?page=3", "/items?page=4"])
        #expect(try await stopped.states() == ["done", "queued"])
        #expect(try await stopped.sandbox.differences(from: stopped.service.items) == [])
    }

    @Test func `run tries what is due and leaves what is not`() async throws {
        let stopped = try await Stopped()
        #expect(try await stopped.sandbox.siding("queue", "release", "--all").status != 70)
        let early = try await stopped.sandbox.siding("queue", "run", "--resource", "nothing")
        #expect(early.status == 66)
        #expect(stopped.service.targets == [])
        #expect(try await stopped.sandbox.siding("queue", "hold", stopped.items).status == 0)
        #expect(try await stopped.sandbox.siding("queue", "release", stopped.items).status == 0)
        #expect(try await stopped.sandbox.siding("queue", "run", "--resource", "items").status == 0)
        #expect(stopped.service.targets.first == "/items?page=2")
        #expect(try await stopped.states() == ["done", "queued"])
    }

    @Test func `a dropped page is given up, and the next sync starts at the first page`() async throws {
        let stopped = try await Stopped()
        let refused = try await stopped.sandbox.siding("queue", "drop", stopped.items)
        #expect(refused.status == 64)
        #expect(refused.error.contains("--yes"))
        #expect(try await stopped.states() == ["queued", "queued"])
        #expect(try await stopped.sandbox.siding("queue", "drop", stopped.items, "--yes").status == 0)
        #expect(try await stopped.states() == ["dropped", "queued"])
        #expect(try await stopped.sandbox.count() == 10)
        #expect(try await stopped.sandbox.siding("sync", "items").status == 0)
        #expect(stopped.service.targets.first == "/items")
        #expect(try await stopped.sandbox.differences(from: stopped.service.items) == [])
    }

    @Test(arguments: ["hold", "release", "drop", "retry"])
    func `--dry-run reports the effect and changes nothing`(action: String) async throws {
        let stopped = try await Stopped()
        let isRelease = action == "release"
        if isRelease { #expect(try await stopped.sandbox.siding("queue", "hold", "--all").status == 0) }
        let outcome = try await stopped.sandbox.siding("queue", action, "--all", "--dry-run")
        #expect(outcome.status == 0)
        #expect(outcome.error.split(separator: "\n").allSatisfy { $0.contains("would be ") })
        #expect(outcome.error.split(separator: "\n").count == 2)
        let objects = try await stopped.sandbox.siding("queue", action, "--all", "--dry-run", "--json").objects()
        #expect(objects.allSatisfy { $0["done"] == .bool(false) })
        #expect(stopped.service.targets == [])
        #expect(try await stopped.states() == (isRelease ? ["parked", "parked"] : ["queued", "queued"]))
    }

    @Test func `ids are read from standard input, and none there never means all`() async throws {
        let stopped = try await Stopped()
        for command in [
            ["hold", "-"], ["drop", "-", "--yes"], ["drop", "-", "--resource", "items", "--yes"], ["run", "-"],
        ] {
            let outcome = try await stopped.sandbox.siding(["queue"] + command)
            #expect(outcome.status == 66, "\(command)")
        }
        #expect(try await stopped.sandbox.siding("queue", "list", "-").status == 66)
        #expect(stopped.service.targets == [])
        #expect(try await stopped.states() == ["queued", "queued"])
        let held = try await stopped.sandbox.siding(
            "queue", "hold", "-", input: stopped.ids.joined(separator: "\n") + "\n")
        #expect(held.status == 0)
        #expect(try await stopped.states() == ["parked", "parked"])
        let dropped = try await stopped.sandbox.siding("queue", "drop", "-", "--yes", input: stopped.items + "\n")
        #expect(dropped.status == 0)
        #expect(try await stopped.states() == ["dropped", "parked"])
    }

    @Test func `an entry has to match all selectors`() async throws {
        let stopped = try await Stopped()
        func ids(_ selectors: String...) async throws -> [String?] {
            try await stopped.sandbox.siding(["queue", "list", "--json"] + selectors).objects()
                .map { $0["id"]?.string }
        }
        #expect(try await ids("--resource", "items") == [stopped.items])
        #expect(try await ids("--resource", "items", "--resource", "other") == stopped.ids)
        #expect(try await ids("--source", "shop") == stopped.ids)
        #expect(try await ids("--lane", "fetch:other") == [stopped.ids[1]])
        #expect(try await ids("--state", "parked") == [])
        #expect(try await ids("--older-than", "1d") == [])
        #expect(try await ids("--older-than", "0s") == stopped.ids)
        #expect(try await ids("--resource", "items", "--state", "queued") == [stopped.items])
        #expect(try await ids(stopped.items.prefix(6).uppercased()) == [stopped.items])
    }

    @Test(arguments: [["abc"], ["zzzzzzzz"], ["; drop"], [""]])
    func `an id that means no entry, or is too short to be sure, exits 66`(ids: [String]) async throws {
        let stopped = try await Stopped()
        for action in ["show", "hold", "retry"] {
            let outcome = try await stopped.sandbox.siding(["queue", action] + ids)
            #expect(outcome.status == 66)
            #expect(outcome.error.hasPrefix("siding: "))
        }
        #expect(try await stopped.states() == ["queued", "queued"])
    }

    @Test func `actions without a selection are refused with 64`() async throws {
        let stopped = try await Stopped()
        for action in ["hold", "release", "drop", "retry"] {
            let outcome = try await stopped.sandbox.siding("queue", action)
            #expect(outcome.status == 64)
            #expect(outcome.error.contains("--all"))
        }
        #expect(try await stopped.states() == ["queued", "queued"])
    }

    @Test func `an action that an entry does not allow is reported, and nothing else changes`() async throws {
        let stopped = try await Stopped()
        let notParked = try await stopped.sandbox.siding("queue", "release", stopped.items, "--json").object()
        #expect(notParked["done"] == .bool(false))
        #expect(notParked["refusal"] == .string("it is not parked"))
        #expect(try await stopped.sandbox.siding("queue", "drop", stopped.items, "--yes").status == 0)
        let completed = try await stopped.sandbox.siding("queue", "hold", stopped.items)
        #expect(completed.error.contains("it is completed (dropped)"))
        #expect(try await stopped.states() == ["dropped", "queued"])
    }

    @Test func `the curl command of an entry holds its request, quoted for a shell, and no credential`() async throws {
        let stopped = try await Stopped()
        let curl = try await stopped.sandbox.siding("queue", "show", stopped.items, "--curl")
        #expect(curl.output.hasPrefix("curl -sS -X GET '\(stopped.service.url)/items?page=2'"))
    }

    @Test func `a page whose sender was killed three times is parked as poison`() async throws {
        let stopped = try await Stopped()
        for _ in 0..<3 {
            let child = Promise<Child>()
            stopped.service.listen { _, _ in
                try? await child.value().send(SIGKILL)
                return nil
            }
            let killed = try await stopped.sandbox.siding(["sync", "items"]) { child.fulfil($0) }
            #expect(killed.status == 137)
        }
        stopped.service.deafen()
        stopped.service.origin.forgetRequests()
        #expect(try await stopped.sandbox.siding("sync", "items").status == 75)
        #expect(stopped.service.targets == [])
        let shown = try await stopped.sandbox.siding("queue", "show", stopped.items)
        #expect(shown.output.contains("three senders died while they sent it"))
        #expect(try await stopped.sandbox.siding("queue", "retry", stopped.items).status == 0)
        #expect(try await stopped.sandbox.differences(from: stopped.service.items) == [])
    }
}
