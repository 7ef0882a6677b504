// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

/// Hooks of the config, called by the executable.
@Suite(.serialized)
struct NotifyTests {
    /// A hook that adds each notification to the file `calls` as a line.
    private static let writing = "{ command: [/bin/sh, -c, 'cat >>calls'] }"

    private func sandbox(_ service: Service, _ hooks: String...) throws -> Sandbox {
        let lines = hooks.map { "\n  - \($0)" }.joined()
        return try Sandbox.with(service, source: "retry: { inline: 0 }", more: "notify:\(lines)")
    }

    /// `failed items`, `recovered items` for each line of `calls`.
    private func calls(_ sandbox: Sandbox) throws -> [String] {
        let text = (try? String(contentsOfFile: sandbox.file("calls"), encoding: .utf8)) ?? ""
        return try text.split(separator: "\n").map { line in
            let event = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
            return "\(event["event"]?.string ?? "") \(event["subject"]?.string ?? "")"
        }
    }

    @Test func `a program is run once when a resource fails and once when it works again`() async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(service, Self.writing)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try calls(sandbox) == [])
        let fault = service.origin.inject(.status(403), times: nil)
        for _ in 1...3 {
            let sync = try await sandbox.siding("sync")
            #expect(sync.status == 69)
            #expect(!sync.error.contains("notify"))
        }
        #expect(try calls(sandbox) == ["failed items"])
        let listed = try await sandbox.siding("notify", "list", "--json").object()
        #expect(listed["kind"] == .string("failed"))
        #expect(listed["subject"] == .string("items"))
        #expect(listed["notified"] == .number(1))
        #expect(try await sandbox.siding("notify").output.contains("failed  items"))
        service.origin.lift(fault)
        for _ in 1...2 { #expect(try await sandbox.siding("sync").status == 0) }
        #expect(try calls(sandbox) == ["failed items", "recovered items"])
        #expect(try await sandbox.siding("notify", "list").output == "")
    }

    @Test func `hooks that fail change no exit code, and are messages that say which`() async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(
            service, "{ command: [/bin/false] }", "{ command: [/nowhere/alert] }", "{ url: { env: MISSING } }",
            Self.writing)
        #expect(try await sandbox.siding("sync").status == 0)
        let fault = service.origin.inject(.status(403), times: nil)
        let failed = try await sandbox.siding("sync")
        #expect(failed.status == 69)
        #expect(failed.error.contains("notify: command false failed: the program 'false' ended with status 1"))
        #expect(failed.error.contains("notify: command alert failed: there is no program 'alert'"))
        #expect(failed.error.contains("notify: url env MISSING failed: "))
        #expect(try await !sandbox.siding("sync").error.contains("notify: "), "they are told once, then after a while")
        let listed = try await sandbox.siding("notify", "list", "--json").object()
        #expect(listed["failed"] == .number(3) && listed["notified"] == .number(1))
        // From cron, too: who expects notifications has to know that none comes.
        _ = try await sandbox.sqlite("test.db", "UPDATE siding_incidents SET failed_calls = '{}'")
        #expect(try await sandbox.siding("sync", "--quiet").error.contains("notify: command false failed: "))
        service.origin.lift(fault)
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try calls(sandbox) == ["failed items", "recovered items"])
    }

    @Test func `a URL gets a POST with its header fields, after it was down for some runs`() async throws {
        let service = try await Service.start(items: 5)
        let receiver = try await Origin.start { _ in OriginResponse(status: .noContent) }
        let sandbox = try sandbox(
            service, "{ url: \(receiver.url.origin)/hook, headers: { X-Title: siding, Authorization: { env: HOOK } } }")
        let environment = ["HOOK": "Bearer canary"]
        await receiver.stop()
        service.origin.inject(.status(403), times: nil)
        let down = try await sandbox.siding("sync", environment: environment)
        #expect(down.status == 69)
        #expect(down.error.contains("notify: url 127.0.0.1:\(receiver.url.port) failed: "), "\(down.error)")
        try await receiver.restart()
        #expect(try await !sandbox.siding("sync", environment: environment).error.contains("notify: "))
        #expect(receiver.requests.isEmpty)
        _ = try await sandbox.sqlite("test.db", "UPDATE siding_incidents SET failed_calls = '{}'")
        for _ in 1...2 { _ = try await sandbox.siding("sync", environment: environment) }
        let requests = receiver.requests
        #expect(requests.map { "\($0.method) \($0.target)" } == ["POST /hook"])
        #expect(requests.first?.headerFields[.authorization] == "Bearer canary")
        #expect(requests.first?.headerFields[.contentType] == "application/json")
        #expect(requests.first?.headerFields[HTTPField.Name("X-Title")!] == "siding")
        let body = try JSONDecoder().decode(JSONValue.self, from: Data(requests.first?.body ?? []))
        #expect(body["event"] == .string("failed"))
        #expect(!down.everything.contains("canary"))
        await receiver.stop()
    }

    @Test func `a monitor is pinged at the beginning and the end of each run, and never offline`() async throws {
        let service = try await Service.start(items: 5)
        let monitor = try await Origin.start { _ in OriginResponse() }
        let sandbox = try sandbox(service, "{ ping: \(monitor.url.origin)/ping/7 }")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(monitor.requests.map(\.target) == ["/ping/7/start", "/ping/7"])
        _ = try await sandbox.siding("sync", "--offline")
        #expect(monitor.requests.count == 2)
        service.origin.inject(.status(403), times: nil)
        _ = try await sandbox.siding("sync")
        #expect(monitor.requests.map(\.target).suffix(2) == ["/ping/7/start", "/ping/7/fail"])
        let text = try #require(monitor.requests.last).body
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("'items' fails: "))
        await monitor.stop()
    }

    @Test func `a run that is killed after its hook was called has the next one call it again`() async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(
            service,
            "{ command: [/bin/sh, -c, 'cat >>calls; if mkdir killed; then kill -9 $PPID; fi'] }")
        service.origin.inject(.status(403), times: nil)
        #expect(try await sandbox.siding("sync").status == 137)
        for _ in 1...2 { #expect(try await sandbox.siding("sync").status == 69) }
        #expect(try calls(sandbox) == ["failed items", "failed items"])
    }

    @Test func `a write that is parked is notified at the end of a queue run`() async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(service, Self.writing)
        service.origin.inject(.status(422), times: nil)
        _ = try await sandbox.siding("send", "POST", "shop:/items", "-d", "{}", "--no-send")
        _ = try await sandbox.siding("queue", "run")
        #expect(try calls(sandbox) == ["parked shop"])
        _ = try await sandbox.siding("queue", "drop", "--source", "shop", "--yes")
        _ = try await sandbox.siding("queue", "run")
        #expect(try calls(sandbox) == ["parked shop", "recovered shop"])
    }

    @Test func `a test calls each hook and shows which took the sample`() async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(service, Self.writing, "{ command: [/bin/false] }")
        let test = try await sandbox.siding("notify", "test")
        #expect(test.status == 1)
        #expect(test.lines == ["command sh: ok", "command false: failed: the program 'false' ended with status 1"])
        #expect(try calls(sandbox) == ["test "])
        let objects = try await sandbox.siding("notify", "test", "--json").objects()
        #expect(objects.map { $0["ok"] } == [.bool(true), .bool(false)])
        try sandbox.config(service.config())
        let none = try await sandbox.siding("notify", "test")
        #expect(none.status == 66)
        #expect(none.error.contains("has no hooks to test"))
    }

    @Test func `a check finds programs and secrets of hooks that are missing`() async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(service, "{ command: [/nowhere/alert] }", "{ ping: { env: MISSING } }")
        let check = try await sandbox.siding("check")
        #expect(check.status == 78)
        #expect(check.error.contains("siding.yaml:8:5: the hook cannot be run: there is no program 'alert'"))
        #expect(check.error.contains("the secret env MISSING cannot be read"))
        #expect(try await sandbox.siding("sync").status == 0)
    }
}
