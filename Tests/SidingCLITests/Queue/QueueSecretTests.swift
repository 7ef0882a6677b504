// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// Credentials are asked for each time a write is sent: no write takes one along into the queue.
@Suite(.serialized)
struct QueueSecretTests {
    private static let canary = "c4n4ry-0123456789abcdef"
    private static let pasted = "p4st3d-fedcba9876543210"

    /// The names of the sandbox's files that hold `text`.
    private func files(of sandbox: Sandbox, holding text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: sandbox.path).filter { name in
            FileManager.default.contents(atPath: sandbox.file(name))?.range(of: Data(text.utf8)) != nil
        }
    }

    /// All that commands say of the queue.
    private func everything(_ sandbox: Sandbox) async throws -> String {
        var said = ""
        let states = ["queued", "sending", "parked", "done", "dropped"].flatMap { ["--state", $0] }
        let ids = try await sandbox.siding(["queue", "list", "--json"] + states).objects().compactMap {
            $0["id"]?.string
        }
        #expect(!ids.isEmpty)
        for id in ids {
            for more in [[], ["--json"], ["--curl"]] {
                said += try await sandbox.siding(["queue", "show", id] + more).everything
            }
        }
        for command in [
            ["queue", "list"], ["queue", "list", "--json"], ["status", "--json"], ["doctor"],
            ["query", "SELECT * FROM siding_outbox", "--json"],
            ["query", "SELECT * FROM siding_outbox_requests", "--json"],
            ["query", "SELECT * FROM siding_outbox_edits", "--json"],
            ["query", "SELECT * FROM siding_idempotency_keys", "--json"],
            ["query", "SELECT * FROM siding_outbox_events", "--json"],
            ["query", "SELECT * FROM siding_sources", "--json"],
        ] {
            said += try await sandbox.siding(command).everything
        }
        return said
    }

    @Test(arguments: [201, 401, 403, 409, 422, 500, 503])
    func `a source's credential reaches the origin and stays nowhere, though the origin repeats it`(
        status: Int
    ) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(
            service, source: "retry: { inline: 0 }, auth: { type: bearer, token: { file: token.txt } }")
        try sandbox.write(Self.canary + "\n", to: "token.txt")
        let child = Promise<Child>()
        let arguments = Mutex("")
        // An origin made for finding faults: it says what it was asked, word for word.
        service.listen { number, request in
            if number == 1, let child = try? await child.value() {
                let bytes = FileManager.default.contents(atPath: "/proc/\(child.processID)/cmdline") ?? Data()
                arguments.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
            }
            let heard = request.headerFields[.authorization] ?? ""
            return .json(
                #"{"message":"so you say: \#(heard)"}"#, status: .init(code: status),
                headerFields: [.wwwAuthenticate: "Bearer error=\"\(heard)\""])
        }
        let sent = try await sandbox.siding(["send", "POST", "shop:/orders", "-d", "{}", "-vvv"]) { child.fulfil($0) }
        #expect([0, 69, 75, 77].contains(sent.status))
        var said = sent.everything
        for format in ["text", "json"] {
            said += try await sandbox.siding("queue", "run", "-vvv", "--log-format", format).everything
        }
        said += try await everything(sandbox)
        let asked = service.origin.requests
        #expect(!asked.isEmpty)
        #expect(asked.allSatisfy { $0.headerFields[.authorization] == "Bearer \(Self.canary)" })
        #expect(!said.contains(Self.canary))
        #expect(try files(of: sandbox, holding: Self.canary) == ["token.txt"])
        #expect(arguments.withLock { $0 }.contains("shop:/orders"))
        #expect(!arguments.withLock { $0 }.contains(Self.canary))
        await service.origin.stop()
    }

    @Test(arguments: [
        ["-H", "Authorization: Bearer \(QueueSecretTests.pasted)"], ["-H", "X-Api-Key: \(QueueSecretTests.pasted)"],
        ["-H", "Cookie: session=\(QueueSecretTests.pasted)"], ["-H", "X-Note: Bearer \(QueueSecretTests.pasted)"],
        ["-H", "X-Shop-Token: \(QueueSecretTests.pasted)"],
        ["-H", "Proxy-Authorization: Basic \(QueueSecretTests.pasted)"],
    ])
    func `a credential that is pasted into a header is refused, with the way to do it, and kept nowhere`(
        field: [String]
    ) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let sent = try await sandbox.siding(["send", "POST", "shop:/orders", "-d", "{}", "-vvv"] + field)
        try expectRefused(sent, sandbox)
        #expect(service.targets == [])
        await service.origin.stop()
    }

    @Test(arguments: ["access_token=", "token=", "api_key=", "X-Amz-Signature=", "%61ccess_token="])
    func `a credential that is pasted into the URL is refused, and kept nowhere`(parameter: String) async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let sent = try await sandbox.siding(
            "send", "POST", "\(service.url)/orders?a=1&\(parameter)\(Self.pasted)", "-d", "{}", "-vvv")
        try expectRefused(sent, sandbox)
        #expect(service.targets == [])
        await service.origin.stop()
    }

    @Test func `a password in the URL is refused, and kept nowhere`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let url = service.url.replacing("://", with: "://ada:\(Self.pasted)@")
        try expectRefused(try await sandbox.siding("send", "POST", "\(url)/orders", "-d", "{}", "-vvv"), sandbox)
        await service.origin.stop()
    }

    private func expectRefused(_ sent: Outcome, _ sandbox: Sandbox) throws {
        #expect([64, 65, 69].contains(sent.status), "exit \(sent.status): \(sent.error)")
        #expect(sent.output == "")
        #expect(!sent.everything.contains(Self.pasted))
        #expect(try files(of: sandbox, holding: Self.pasted) == [])
    }
}
