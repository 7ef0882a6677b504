// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import Testing

/// What `queue run` makes of pages, beside writes: it waits for those that need no person, and says what needs one.
@Suite(.serialized)
struct QueueWatchTests {
    private static let secondPage = OriginPattern(path: "/items", query: ["page": "2"])

    /// A listing whose second page met a 503, and waits for two seconds, as its source does.
    private func stopped() async throws -> (service: Service, sandbox: Sandbox) {
        let service = try await Service.start(items: 40, pageSize: 10)
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.origin.inject(.status(503, retryAfter: "2"), at: Self.secondPage)
        try #require(try await sandbox.siding("sync").status == 75)
        service.origin.forgetRequests()
        return (service, sandbox)
    }

    @Test func `watching waits for a page whose time has not come, and for writes meanwhile`() async throws {
        let (service, sandbox) = try await stopped()
        service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .created) }
        #expect(try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}", "--no-send").status == 0)
        let watched = try await sandbox.siding("queue", "run", "--watch")
        #expect(watched.status == 0, "\(watched.error)")
        // Both are due when the source may be asked again; which goes first is open.
        #expect(Set(service.targets).isSuperset(of: ["/orders", "/items?page=2"]))
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `watching ends where the sync of a page is refused, instead of refusing it again and again`()
        async throws
    {
        let (service, sandbox) = try await stopped()
        // No stored record fits: nothing is asked for until a person accepts that.
        try sandbox.config(service.config(source: "retry: { inline: 0 }", resource: "where: \"missing = 1\""))
        let watched = try await sandbox.siding("queue", "run", "--watch")
        #expect(watched.status == 4, "\(watched.error)")
        #expect(service.targets == [])
        #expect(try await sandbox.siding("runs", "list", "--json").lines.count == 2)
        await service.origin.stop()
    }

    @Test(arguments: [["queue", "run"], ["queue", "run", "--watch"], ["queue", "run", "--resource", "items"]])
    func `a page that waits for a sign-in is tried and reported, exit 77, until the origin accepts it`(
        command: [String]
    ) async throws {
        let (service, sandbox) = try await stopped()
        service.origin.inject(.status(401), at: Self.secondPage, times: 2)
        #expect(try await sandbox.siding("queue", "retry", "--all").status == 77)
        let parked = try await sandbox.siding("queue", "list", "--json").objects()
        #expect(parked.map { $0["reason"]?.string } == ["sign_in"])
        let refused = try await sandbox.siding(command)
        #expect(refused.status == 77, "\(refused.error)")
        #expect(refused.error.contains("items: failed"))
        #expect(try await sandbox.siding(command).status == 0)
        #expect(try await sandbox.siding("queue", "list", "--json").output == "")
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test(arguments: [["--reason", "sign_in"], ["--state", "parked"]])
    func `running entries parked for a sign-in tries one, and releases nothing else`(selector: [String]) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .unauthorized) }
        for lane in ["one", "two"] {
            let sent = try await sandbox.siding(
                "send", "POST", "shop:/\(lane)", "-d", "{}", "--lane", lane, "--no-send")
            #expect(sent.status == 0, "\(sent.error)")
            #expect(try await sandbox.siding("queue", "retry", "--lane", lane).status == 77)
        }
        service.origin.forgetRequests()
        let run = try await sandbox.siding(["queue", "run", "--lane", "one"] + selector)
        #expect(run.status == 77, "\(run.error)")
        #expect(service.targets == ["/one"])
        let entries = try await sandbox.siding("queue", "list", "--json").objects()
        #expect(entries.map { $0["reason"]?.string } == ["sign_in", "sign_in"])
        #expect(entries.map { $0["tries"]?.int } == [1, 1])
        let other = try await sandbox.siding("queue", "show", try #require(entries[1]["id"]?.string))
        #expect(!other.output.contains("released"), "\(other.output)")
        await service.origin.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a write that may not be sent twice is answered although a signal ends its command`(
        signal: Int32
    ) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        let child = Promise<Child>()
        service.listen { _, request in
            guard request.method != "GET" else { return nil }
            guard let child = try? await child.value() else { return nil }
            child.send(signal)
            // The handler is taken away as soon as the first signal is seen, so that a second one would end the command.
            while child.catches(signal) { await Task.yield() }
            return .json("{}", status: .created)
        }
        let stopped = try await sandbox.siding(["send", "POST", "shop:/orders", "-d", "{}"]) { child.fulfil($0) }
        #expect(stopped.status == 128 + signal)
        let done = try await sandbox.siding("queue", "list", "--json", "--state", "done").objects()
        #expect(done.count == 1, "\(stopped.error)")
        await service.origin.stop()
    }
}

extension Child {
    /// Whether the process has a handler for `signal`.
    fileprivate func catches(_ signal: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") } ?? ""
        let mask = UInt64(line.dropFirst(7).trimmingPrefix { $0 == "\t" || $0 == " " }, radix: 16) ?? 0
        return mask & 1 << UInt64(signal - 1) != 0
    }
}
