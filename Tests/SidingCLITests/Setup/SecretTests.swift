// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingTesting
import SidingSynchronization
import Testing

@Suite(.serialized)
struct SecretTests {
    private static let canary = "c4n4ry-0123456789abcdef"

    /// Everything that commands may print or write about a synced, then failed resource.
    private func everything(_ sandbox: Sandbox, environment: [String: String]) async throws -> String {
        var said = ""
        let commands: [[String]] = [
            ["check", "-v"], ["plan"], ["plan", "--json"], ["sync", "-vvv"], ["sync", "-vvv", "--log-format", "json"],
            ["sync", "--full", "-vvv", "--json"], ["status"], ["status", "--json"], ["queue", "list"],
            ["queue", "list", "--json"], ["runs", "show", "1"], ["runs", "list", "--json"], ["doctor"],
            ["doctor", "--json"], ["records", "list", "items", "--json"], ["query", "SELECT * FROM siding_pages"],
            ["query", "SELECT * FROM siding_listings", "--json"], ["query", "SELECT definition FROM siding_resources"],
        ]
        for command in commands { said += try await sandbox.siding(command, environment: environment).everything }
        for entry in try await sandbox.siding("queue", "list", "--json", environment: environment).objects() {
            let id = entry["id"]?.string ?? ""
            for more in [[], ["--json"], ["--curl"]] {
                said += try await sandbox.siding(["queue", "show", id] + more, environment: environment).everything
            }
        }
        return said
    }

    /// The names of the sandbox's files that hold `text`; the config, which names only the variable, is among those read.
    private func files(of sandbox: Sandbox, holding text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: sandbox.path).filter { name in
            FileManager.default.contents(atPath: sandbox.file(name))?.range(of: Data(text.utf8)) != nil
        }
    }

    private func expectNoTrace(of secrets: [String], _ sandbox: Sandbox, said: String) throws {
        for secret in secrets {
            #expect(!said.contains(secret))
            #expect(try files(of: sandbox, holding: secret) == [])
        }
    }

    @Test(
        arguments: [
            ("type: bearer, token: { env: CANARY }", "Bearer \(SecretTests.canary)"),
            (
                "type: basic, user: ada, password: { env: CANARY }",
                "Basic \(Data("ada:\(SecretTests.canary)".utf8).base64EncodedString())"
            ),
        ])
    func `a secret reaches the origin in every request, and nothing else`(auth: String, header: String) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }, auth: { \(auth) }")
        let environment = ["CANARY": Self.canary]
        #expect(try await sandbox.siding("sync", environment: environment).status == 0)
        service.origin.inject(.status(500), skipping: 2, times: nil)
        let said = try await everything(sandbox, environment: environment)
        #expect(said.contains("500"))
        #expect(service.origin.requests.count > 8)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.authorization] == header })
        try expectNoTrace(of: [Self.canary, String(header.dropFirst(6))], sandbox, said: said)
        await service.origin.stop()
    }

    @Test func `an API key in a header reaches the origin, and nothing else`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service,
            source: "retry: { inline: 0 }, auth: { type: api_key, in: header, name: X-Shop-Key, key: { env: CANARY } }")
        let environment = ["CANARY": Self.canary]
        #expect(try await sandbox.siding("sync", environment: environment).status == 0)
        service.origin.inject(.status(403), times: nil)
        let said = try await everything(sandbox, environment: environment)
        let name = try #require(HTTPField.Name("X-Shop-Key"))
        #expect(service.origin.requests.allSatisfy { $0.headerFields[name] == Self.canary })
        try expectNoTrace(of: [Self.canary], sandbox, said: said)
        await service.origin.stop()
    }

    @Test func `an API key in the query reaches the origin even where its links repeat it, and nothing else`()
        async throws
    {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service,
            source: "retry: { inline: 0 }, auth: { type: api_key, in: query, name: api_key, key: { env: CANARY } }")
        let environment = ["CANARY": Self.canary]
        #expect(try await sandbox.siding("sync", environment: environment).status == 0)
        #expect(service.targets.contains { $0.contains("page=2") && $0.contains("api_key=") }, "links repeat the query")
        service.origin.inject(.status(500), skipping: 2, times: nil)
        let said = try await everything(sandbox, environment: environment)
        #expect(service.origin.requests.allSatisfy { $0.query["api_key"] == Self.canary })
        #expect(service.targets.allSatisfy { $0.components(separatedBy: "api_key=").count == 2 })
        try expectNoTrace(of: [Self.canary], sandbox, said: said)
        await service.origin.stop()
    }

    @Test func `a secret from a file or a command is used, and its command's words are not secret`() async throws {
        let service = try await Service.start()
        for secret in ["{ file: token.txt }", "{ command: [/bin/cat, token.txt] }"] {
            let sandbox = try Sandbox.with(service, source: "auth: { type: bearer, token: \(secret) }")
            try sandbox.write(Self.canary + "\n", to: "token.txt")
            service.origin.forgetRequests()
            #expect(try await sandbox.siding("sync").status == 0)
            #expect(service.origin.requests.allSatisfy { $0.headerFields[.authorization] == "Bearer \(Self.canary)" })
            #expect(try files(of: sandbox, holding: Self.canary) == ["token.txt"])
        }
        await service.origin.stop()
    }

    @Test func `doctor names a secret that could not be read, though nothing was sent`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(
            service, source: "auth: { type: bearer, token: { command: [/bin/cat, missing.txt] } }")
        #expect(try await sandbox.siding("sync").status == 78)
        let said = try await sandbox.siding("doctor").output
        #expect(!said.contains(": never asked") && said.contains("secret command cat"), "\(said)")
        await service.origin.stop()
    }

    @Test func `a secret never stands in the arguments of a process`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "auth: { type: bearer, token: { env: CANARY } }")
        let child = Promise<Child>()
        let seen = Mutex("")
        service.listen { number, _ in
            guard number == 2, let child = try? await child.value() else { return nil }
            let arguments = FileManager.default.contents(atPath: "/proc/\(child.processID)/cmdline") ?? Data()
            seen.withLock { $0 = String(decoding: arguments, as: UTF8.self) }
            return nil
        }
        let outcome = try await sandbox.siding(["sync"], environment: ["CANARY": Self.canary]) { child.fulfil($0) }
        #expect(outcome.status == 0)
        #expect(seen.withLock { $0 }.contains("sync"))
        #expect(!seen.withLock { $0 }.contains(Self.canary))
        await service.origin.stop()
    }

    @Test(arguments: [301, 302, 307, 308])
    func `a redirect to another origin does not take the credentials along`(status: Int) async throws {
        let service = try await Service.start()
        let elsewhere = try await Service.start()
        for auth in [
            "type: bearer, token: { env: CANARY }", "type: api_key, in: header, name: X-Shop-Key, key: { env: CANARY }",
            "type: api_key, in: query, name: api_key, key: { env: CANARY }",
        ] {
            let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }, auth: { \(auth) }")
            service.origin.inject(.redirect(status, to: "\(elsewhere.url)/items"), times: nil)
            let outcome = try await sandbox.siding("sync", "-vvv", environment: ["CANARY": Self.canary])
            #expect(outcome.status != 0, "a listing stays on its origin")
            #expect(!outcome.everything.contains(Self.canary))
            service.origin.lift()
        }
        #expect(!service.origin.requests.isEmpty)
        for request in elsewhere.origin.requests {
            #expect(!request.target.contains(Self.canary))
            #expect(request.headerFields.allSatisfy { !$0.value.contains(Self.canary) })
        }
        await service.origin.stop()
        await elsewhere.origin.stop()
    }

    @Test func `a redirect within the origin is followed with the credentials`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "auth: { type: bearer, token: { env: CANARY } }")
        service.origin.inject(.redirect(307, to: "/items?page=1"), at: OriginPattern(path: "/items"))
        #expect(try await sandbox.siding("sync", environment: ["CANARY": Self.canary]).status == 0)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.authorization] == "Bearer \(Self.canary)" })
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test func `a next link to another origin is not followed`() async throws {
        let service = try await Service.start()
        let elsewhere = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "auth: { type: bearer, token: { env: CANARY } }")
        service.listen { _, _ in .json(#"{"items":[{"id":1}],"next":"\#(elsewhere.url)/items?page=2"}"#) }
        let outcome = try await sandbox.siding("sync", environment: ["CANARY": Self.canary])
        #expect(outcome.status != 0)
        #expect(outcome.error.contains(elsewhere.url))
        #expect(elsewhere.targets == [])
        await service.origin.stop()
        await elsewhere.origin.stop()
    }

    @Test func `a refused credential exits 77, stores nothing, and the next sync tries again`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service, source: "auth: { type: bearer, token: { env: CANARY } }")
        service.origin.inject(.status(401), times: nil)
        #expect(try await sandbox.siding("sync", environment: ["CANARY": Self.canary]).status == 77)
        service.origin.lift()
        #expect(try await sandbox.siding("sync", environment: ["CANARY": "another"]).status == 0)
        #expect(service.origin.requests.last?.headerFields[.authorization] == "Bearer another")
        #expect(try await sandbox.siding("status", "--json").object()["connectivity"]?["gates"] == .array([]))
        try expectNoTrace(of: [Self.canary], sandbox, said: "")
        await service.origin.stop()
    }
}
