// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingTesting
import Testing

@Suite(.serialized)
struct ConfigErrorTests {
    private static let good = """
        version: 1
        database: { path: test.db }
        sources:
          shop: { base_url: http://127.0.0.1:9 }
        resources:
          items: { path: /items, key: id }
        """

    /// Runs `check` and `sync` on `config`: both refuse with 78, in words and as one object, and make no database.
    private func refusal(_ config: [UInt8]) async throws -> String {
        let sandbox = try Sandbox()
        try sandbox.write(config, to: "siding.yaml")
        return try await refusal(in: sandbox)
    }

    private func refusal(in sandbox: Sandbox, environment: [String: String] = [:]) async throws -> String {
        let words = try await sandbox.siding("check", environment: environment)
        #expect(words.status == 78)
        #expect(words.output == "")
        #expect(words.error.hasPrefix("siding: "))
        #expect(!words.hasControlCharacters)
        let object = try await sandbox.siding("sync", "--json", environment: environment)
        #expect(object.status == 78)
        #expect(object.error == "")
        let error = try object.object()["error"]
        #expect(error?["code"] == .number(78))
        #expect(error?["message"]?.string?.isEmpty == false)
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("test.db")))
        return words.error
    }

    @Test func `a missing config exits 78, says where it looked, and how to get one`() async throws {
        let sandbox = try Sandbox()
        let error = try await refusal(in: sandbox)
        #expect(error.contains("siding.yaml"))
        #expect(error.contains("/etc/siding/siding.yaml"))
        #expect(error.contains("'siding init'"))
        let named = try await sandbox.siding("check", "--config", "absent.yaml")
        #expect(named.status == 78)
        #expect(named.error.contains("absent.yaml"))
    }

    @Test func `a directory in the config's place exits 78 and is called one`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("", to: "siding.yaml/file")
        #expect(try await refusal(in: sandbox).contains("directory"))
    }

    @Test func `a file that is not text is refused with a hint that works, as init replaces nothing by itself`()
        async throws
    {
        let error = try await refusal([0x76, 0xFF, 0xFE, 0x00])
        #expect(error.contains("move it away, or let 'siding init --force URL' replace it"), "\(error)")
    }

    @Test func `binary rubbish is refused without being printed`() async throws {
        var bytes = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        _ = try await refusal(bytes)
        bytes = [0, 0x1B, 0x5B, 0x32, 0x4A, 0xFF, 0xFE]
        _ = try await refusal(bytes)
    }

    @Test(arguments: [
        "", "\n", "# nothing\n", "42\n", "[]\n", "version: 1\n", "version: 2\nsources: {}\n", "a: b: c\n",
    ])
    func `an unusable config is refused`(text: String) async throws {
        _ = try await refusal(Array(text.utf8))
    }

    @Test func `a bomb of aliases is refused quickly`() async throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            text += "a\(level): &a\(level) [\(Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", "))]\n"
        }
        let began = ContinuousClock.now
        _ = try await refusal(Array(text.utf8))
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    @Test(arguments: ["[", "{a: ", "- "])
    func `a hundred thousand brackets are refused without a crash`(bracket: String) async throws {
        _ = try await refusal(Array(String(repeating: bracket, count: 100_000).utf8))
    }

    @Test func `unknown keys are reported with file, line, column and a suggestion`() async throws {
        let text = Self.good.replacing("key: id", with: "key: id, pagnate: none")
        let error = try await refusal(Array(text.utf8))
        #expect(error.firstMatch(of: #/siding\.yaml:6:\d+: /#) != nil)
        #expect(error.contains("'pagnate'"))
        #expect(error.contains("did you mean 'paginate'?"))
    }

    @Test func `every fault of a config is reported, not only the first`() async throws {
        let text = Self.good.replacing("key: id", with: "key: id, pagnate: none, maxage: 5m")
            .replacing("database:", with: "databse:")
        let error = try await refusal(Array(text.utf8))
        for word in ["'databse'", "'pagnate'", "'maxage'"] { #expect(error.contains(word)) }
    }

    /// Runs `check` and `sync` in a sandbox with a secret that cannot be read: `check` names its place, and the sync fails for the
    /// resource that needs it.
    private func refusalOfSecret(_ name: String, in sandbox: Sandbox) async throws {
        let check = try await sandbox.siding("check")
        #expect(check.status == 78)
        #expect(
            check.error.firstMatch(of: #/siding\.yaml:4:\d+: /#) != nil && check.error.contains(name), "\(check.error)")
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 78)
        #expect(sync.error.contains("items: failed: the credential could not be read"), "\(sync.error)")
        #expect(sync.error.contains(name) && sync.error.contains("'siding check'"), "\(sync.error)")
        let object = try await sandbox.siding("sync", "--json")
        #expect(object.status == 78 && object.error == "", "\(object.error)")
        #expect(try object.object()["error"]?["name"] == .string("credentialUnavailable"))
    }

    @Test func `an unset environment secret exits 78, and names the variable and its place`() async throws {
        let sandbox = try Sandbox()
        try sandbox.config(
            Self.good.replacing(
                "9 }", with: "9, auth: { type: bearer, token: { env: SHOP_TOKEN } } }"))
        try await refusalOfSecret("SHOP_TOKEN", in: sandbox)
    }

    @Test func `check reports a missing certificate with the place of its source`() async throws {
        let sandbox = try Sandbox()
        try sandbox.config(
            Self.good.replacing("http://127.0.0.1:9 }", with: "https://127.0.0.1:9, tls: { certificate: none.pem } }"))
        let check = try await sandbox.siding("check")
        #expect(check.status == 78)
        #expect(check.error.firstMatch(of: #/siding\.yaml:4:\d+: source 'shop': .*none\.pem/#) != nil, "\(check.error)")
    }

    @Test(arguments: ["absent.txt", "folder", "empty.txt"])
    func `a secret file that gives no secret exits 78`(name: String) async throws {
        let sandbox = try Sandbox()
        try sandbox.write("", to: "empty.txt")
        try sandbox.write("", to: "folder/file")
        try sandbox.config(
            Self.good.replacing("9 }", with: "9, auth: { type: bearer, token: { file: \(name) } } }"))
        try await refusalOfSecret(name, in: sandbox)
    }

    @Test func `an unknown resource exits 66 and the known ones are named`() async throws {
        let sandbox = try Sandbox()
        try sandbox.config(Self.good)
        for command in ["sync", "plan"] {
            let outcome = try await sandbox.siding(command, "itmes")
            #expect(outcome.status == 66)
            #expect(outcome.error.contains("'itmes'"))
            #expect(outcome.error.contains("it has: items"))
        }
        let object = try await sandbox.siding("sync", "itmes", "--json")
        #expect(object.status == 66)
        #expect(try object.object()["error"]?["name"] == .string("not_found"))
    }

    @Test func `without HOME, a database path in the config is enough; without either, 78`() async throws {
        let sandbox = try Sandbox()
        try sandbox.config(Self.good)
        #expect(try await sandbox.siding("check", environment: ["HOME": ""]).status == 0)
        try sandbox.config(Self.good.replacing("database: { path: test.db }", with: ""))
        let outcome = try await sandbox.siding("check", environment: ["HOME": ""])
        #expect(outcome.status == 78)
        #expect(outcome.error.contains("STATE_DIRECTORY"))
    }

    @Test(
        arguments: [
            ["sync", "--limit", "0"], ["sync", "--limit", "x"], ["sync", "--max-age", "soon"], ["frobnicate"],
            ["sync", "--frobnicate"], ["query"], ["queue", "hold"], ["runs", "show", "x"], ["init", "--example", "no"],
            ["queue", "list", "--state", "lost"], ["records"], ["--log-format", "xml"],
        ])
    func `wrong usage exits 64, as text and as one object`(arguments: [String]) async throws {
        let sandbox = try Sandbox()
        try sandbox.config(Self.good)
        let words = try await sandbox.siding(arguments)
        guard arguments != ["records"] else {
            #expect(words.everything.contains("USAGE"))
            return
        }
        #expect(words.status == 64)
        #expect(words.output == "")
        #expect(words.error != "")
        let object = try await sandbox.siding(arguments + ["--json"])
        #expect(object.status == 64)
        #expect(try object.object()["error"]?["code"] == .number(64))
    }
}
