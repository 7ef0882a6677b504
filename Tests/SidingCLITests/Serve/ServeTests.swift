// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing
import TestSupport

/// `siding serve` as a process: its work, its log, and the commands beside it.
@Suite(.serialized)
struct ServeTests {
    @Test func `it syncs what is due and sends writes, beside commands that meet no error`() async throws {
        let service = try await Service.start(items: 40)
        let sandbox = try Sandbox.with(service, resource: "max_age: 1s")
        let seen = Tally()
        service.listen { _, request in
            seen.note("\(request.method) \(request.path)")
            return request.method == "POST" ? .json("{}", status: .created) : nil
        }
        let ended = try await sandbox.serve { serving in
            // Four pages, and those of the next listing, which the resource's age begins.
            try await seen.reaches(5, "GET /items")
            let sent = try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}", "--no-send")
            #expect(sent.status == 0, "\(sent.error)")
            // The service looks at the queue every ten seconds, and when the config is loaded anew.
            try await serving.reload()
            try await seen.reaches(1, "POST /orders")
            for command in [
                ["sync", "--wait-lock", "30s"], ["status"], ["queue", "list"], ["queue", "run"], ["runs", "list"],
                ["records", "count", "items"], ["db", "check"],
            ] {
                let beside = try await sandbox.siding(command)
                // 5: the resource is older than its max_age, a second.
                let isWell = beside.status == 0 || command == ["status"] && beside.status == 5
                let said = command == ["db", "check"] ? "the database is sound\n" : ""
                #expect(isWell && beside.error == said, "\(command): \(beside.everything)")
            }
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(ended.output == "")
        #expect(seen("POST /orders") == 1)
        #expect(try await sandbox.differences(from: service.items) == [])
        for line in [
            " serves ", "synced new=40 resource=items", "loaded the config ", "delivered ", "stopping", "stopped",
        ] {
            #expect(ended.error.contains(line), "\(line): \(ended.error)")
        }
        #expect(!ended.error.contains("error:") && !ended.error.contains("warning:"), "\(ended.error)")
        await service.origin.stop()
    }

    @Test func `serve ends with an error once its database was removed`() async throws {
        let service = try await Service.start(items: 10)
        let sandbox = try Sandbox.with(service, resource: "max_age: 1h")
        let ended = try await sandbox.serve(signal: nil) { serving in
            while try await sandbox.siding("status", "--strict").status != 0 {}
            try FileManager.default.removeItem(atPath: sandbox.file("test.db"))
            // A reload looks for work at once.
            serving.child.send(SIGHUP)
        }
        #expect(ended.status == 74, "\(ended.error)")
        #expect(ended.error.contains("the database was removed or replaced while it was open"), "\(ended.error)")
        await service.origin.stop()
    }

    @Test func `a failure is logged once until it changes, and its end is logged`() async throws {
        let service = try await Service.start(items: 10)
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }", resource: "max_age: 1h")
        let seen = Tally()
        let status = Mutex<HTTPResponse.Status?>(.forbidden)
        service.listen { _, request in
            defer { seen.note("asked") }
            return status.withLock { $0 }.map { .json("{}", status: $0) }
        }
        let ended = try await sandbox.serve("--log-format", "json") { serving in
            // A new config tries what failed at once.
            for number in 1...3 {
                try await seen.reaches(number, "asked")
                try await serving.reload()
            }
            status.withLock { $0 = nil }
            try await serving.reload()
            while try await sandbox.siding("status", "--strict").status != 0 {}
        }
        #expect(ended.status == 0, "\(ended.error)")
        let lines = try ended.error.split(separator: "\n").map {
            try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
        }
        #expect(lines.count { $0["message"]?.string == "the sync failed" } == 1, "\(ended.error)")
        #expect(lines.contains { $0["message"]?.string == "synced" && $0["new"]?.string == "10" }, "\(ended.error)")
        await service.origin.stop()
    }

    @Test func `after kill -9 serve continues, and every write arrives once`() async throws {
        let ledger = WriteLedger(seed: 3)
        let service = try await Service.start(items: 40, routes: [ledger])
        let sandbox = try Sandbox.with(service)
        for number in 1...5 {
            let sent = try await sandbox.siding(
                "send", "PUT", "shop:/lanes/a/\(number)", "-d", "{}", "-H", "X-Write-Key: a-\(number)", "--lane", "a",
                "--no-send")
            #expect(sent.status == 0, "\(sent.error)")
        }
        let (hasArrived, isKilled) = (Tally(), Latch())
        service.listen { _, request in
            guard request.target == "/items?page=3" || request.path == "/lanes/a/3" else { return nil }
            hasArrived.note(request.path)
            try? await isKilled.wait()
            // Nobody hears it. The ledger is to see no request of the dead process, beside or after those of the next.
            return OriginResponse(status: .serviceUnavailable)
        }
        let killed = try await sandbox.serve(signal: SIGKILL) { _ in
            try await hasArrived.reaches(1, "/items")
            try await hasArrived.reaches(1, "/lanes/a/3")
        }
        isKilled.open()
        #expect(killed.status == 128 + SIGKILL)
        service.deafen()
        let ended = try await sandbox.serve { _ in
            while try await sandbox.siding("queue", "list", "--json").output != "" {}
            while try await sandbox.count() != 40 {}
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(ledger.entries.effects.count == 5)
        #expect(ledger.entries.duplicates == 0 && ledger.entries.inversions() == 0)
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test(arguments: [
        (["--listen", "8787"], 64), (["--listen", "0.0.0.0:0"], 64), (["--listen", "none", "--token-file", "t"], 64),
        (["--token-file", "missing"], 78),
    ])
    func `an invalid address or token is refused before any request`(arguments: [String], status: Int) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let refused = try await sandbox.siding(["serve"] + arguments)
        #expect(Int(refused.status) == status, "\(refused.error)")
        #expect(service.targets == [])
        await service.origin.stop()
    }

    @Test func `serve warns of a token that others can read, and of a time zone that does not exist`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service, resource: #"schedule: { cron: "0 6 * * *" }"#)
        try sandbox.write("a-token-of-some-length", to: "token")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: sandbox.file("token"))
        let address = "unix:\(sandbox.file("socket"))"
        let ended = try await sandbox.serve(
            "--listen", address, "--token-file", "token", environment: ["TZ": "Mars/Phobos"]
        ) { _ in }
        #expect(ended.status == 0, "\(ended.error)")
        for warning in [
            "token has mode 644: others can read it; 'chmod o-rwx' stops that",
            "TZ is 'Mars/Phobos', which is no",
        ] {
            #expect(ended.error.contains("warning: \(warning)"), "\(ended.error)")
        }
        await service.origin.stop()
    }

    @Test(.disabled(if: Proof.isUnderThreadSanitizer, "it measures"))
    func `an idle service keeps little memory, and sleeps`() async throws {
        let service = try await Service.start(items: 40)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        let measured = Mutex<(memory: Int, switches: Int)>((0, .max))
        let ended = try await sandbox.serve { serving in
            // The first look ends meanwhile; a span of time is what is measured.
            try await Task.sleep(for: .seconds(1))
            // On a slow machine that look falls into the first span, as may the unmapping of code: the best counts.
            for _ in 1...3 where measured.withLock({ $0.switches > 20 }) {
                let before = try ProcessCost(of: serving.child)
                try await Task.sleep(for: .seconds(2))
                let after = try ProcessCost(of: serving.child)
                measured.withLock { $0 = (after.memory, min($0.switches, after.switches - before.switches)) }
            }
        }
        #expect(ended.status == 0)
        let (memory, switches) = measured.withLock { $0 }
        print("an idle service: \(memory) KiB of its own, \(switches) context switches in 2 seconds")
        // Beside its own memory are the pages of the executable, which debug builds have more of.
        #expect(memory <= 20_000)
        #expect(switches <= 20, "it does not sleep")
        await service.origin.stop()
    }
}

/// What a process costs, by proc(5).
private struct ProcessCost: Sendable {
    /// Its own memory (`RssAnon`), in KiB.
    let memory: Int
    /// How often its threads went to sleep.
    let switches: Int

    init(of child: Child) throws {
        let folder = "/proc/\(child.processID)"
        let status = try String(contentsOfFile: "\(folder)/status", encoding: .utf8)
        memory = Int(status.firstMatch(of: /RssAnon:\s+([0-9]+) kB/)?.1 ?? "") ?? 0
        switches = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/task").reduce(into: 0) {
            sum, thread in
            // A thread may have ended meanwhile.
            let text = try? String(contentsOfFile: "\(folder)/task/\(thread)/status", encoding: .utf8)
            sum += Int(text?.firstMatch(of: /\nvoluntary_ctxt_switches:\s+([0-9]+)/)?.1 ?? "") ?? 0
        }
    }
}
