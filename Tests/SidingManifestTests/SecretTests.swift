// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingCredentials
import SidingNotifications
import SidingTesting
import Testing

@testable import SidingManifest

@Suite struct SecretTests {
    /// A source whose bearer token is `secret`, with siding.yaml in `directory`.
    private static func config(
        _ secret: String, in directory: TemporaryDirectory, variables: [String: String] = ["PATH": "/usr/bin:/bin"]
    ) throws -> Config {
        let environment = ConfigEnvironment(
            variables: variables, workingDirectory: directory.path, home: directory.path)
        return try Config.parse(
            """
            version: 1
            sources: { a: { base_url: https://example.com, auth: { type: bearer, token: \(secret) } } }
            resources: { b: { path: /b, key: id } }
            """, file: "siding.yaml", environment: environment)
    }

    private static func read(_ config: Config, _ index: Int = 0) async throws -> String {
        let secrets = config.sources[0].authorization.secrets
        return try await #require(secrets.dropFirst(index).first).read()
    }

    /// The words of the failure that reading the secret ends with.
    private static func refusal(_ config: Config, _ index: Int = 0) async -> String? {
        do {
            _ = try await read(config, index)
            return nil
        } catch {
            return (error as? Failure)?.detail
        }
    }

    @Test(arguments: [
        ("{ env: TOKEN }", "from env"), ("{ file: token }", "from file"), ("{ file: ~/token }", "from file"),
        ("{ file: ./token }", "from file"), ("{ file: windows }", "from windows"),
        ("{ command: [printf, '%s\\n', from command] }", "from command"), ("{ command: [./tool, x] }", "tool x"),
        ("{ command: [sh, -c, 'echo $TOKEN'] }", "from env"), ("{ command: [cat, token] }", "from file"),
        ("{ command: [echo, '$HOME;`id`'] }", "$HOME;`id`"),
    ])
    func `a secret is the content of its reference, less one line break`(
        _ secret: String, _ value: String
    ) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("from file\n", to: "token")
        try directory.write("from windows\r\n", to: "windows")
        try directory.write("#!/bin/sh\necho tool $1\n", to: "tool")
        directory.makeExecutable("tool")
        let config = try Self.config(
            secret, in: directory, variables: ["PATH": "/usr/bin:/bin", "TOKEN": "from env"])
        #expect(try await Self.read(config) == value)
        #expect(await config.secretFaults() == [])
    }

    @Test func `a rotated secret is used at once`() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("old", to: "token")
        let config = try Self.config("{ file: token }", in: directory)
        #expect(try await Self.read(config) == "old")
        try directory.write("new\n", to: "token")
        #expect(try await Self.read(config) == "new")
    }

    @Test(arguments: [
        ("{ env: TOKEN }", "env TOKEN", "the environment variable TOKEN is not set"),
        ("{ env: EMPTY }", "env EMPTY", "it is empty"), ("{ file: none }", "file none", "the file does not exist"),
        ("{ file: empty }", "file empty", "it is empty"),
        ("{ file: . }", "file .", "the file is a directory, not a file"),
        ("{ file: /dev/zero }", "file /dev/zero", "the file is not a regular file"),
        ("{ file: large }", "file large", "the file is too large; the limit is 64 KiB"),
        ("{ file: binary }", "file binary", "it is not UTF-8 text"),
        (
            "{ command: [siding-no-such-program, canary] }", "command siding-no-such-program",
            "there is no program 'siding-no-such-program' that this user may run"
        ),
        ("{ command: [./large, canary] }", "command large", "there is no program 'large' that this user may run"),
    ])
    func `a missing secret is reported with its place and reason, before anything is sent`(
        _ secret: String, _ shown: String, _ reason: String
    ) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("\n", to: "empty")
        try directory.write(String(repeating: "x", count: 65_537), to: "large")
        try directory.write([0xFF, 0xFE], to: "binary")
        let config = try Self.config(secret, in: directory, variables: ["PATH": "/usr/bin:/bin", "EMPTY": ""])
        let faults = await config.secretFaults()
        #expect(faults.map(\.description) == ["siding.yaml:2:77: the secret \(shown) cannot be read: \(reason)"])
        let refusal = try #require(await Self.refusal(config))
        #expect(refusal.hasPrefix("secret \(shown): "))
        #expect(!refusal.contains("canary"))
    }

    @Test func `a password is left out where it is to be empty, and not put in as nothing`() async throws {
        let environment = ConfigEnvironment(
            variables: ["EMPTY": "", "KEY": "k"], workingDirectory: "/", home: "/")
        func config(_ more: String) throws(ConfigError) -> Config {
            try Config.parse(
                """
                version: 1
                sources: { a: { base_url: https://example.com, auth: { type: basic, user: { env: KEY }\(more) } } }
                resources: { b: { path: /b, key: id } }
                """, file: "siding.yaml", environment: environment)
        }
        let left = try config("")
        #expect(left.sources[0].authorization.secrets.map(\.description) == ["env KEY"])
        #expect(await left.secretFaults() == [])
        let empty = try config(", password: { env: EMPTY }")
        let words = "it is empty; leave 'password' out where it is to be empty"
        #expect(await empty.secretFaults().map(\.message) == ["the secret env EMPTY cannot be read: \(words)"])
        #expect(await Self.refusal(empty, 1) == "secret env EMPTY: \(words)")
        let literal = #expect(throws: ConfigError.self) { try config(", password: ''") }
        let fault = try #require(literal?.faults.first)
        #expect(fault.message == "'password' in 'auth' of source 'a' is empty text")
        #expect(fault.expected?.hasSuffix("leave 'password' out where it is to be empty") == true)
    }

    @Test(arguments: [
        ("[sh, -c, 'echo canary; echo canary >&2; exit 3']", "the program 'sh' ended with status 3"),
        ("[sh, -c, 'kill -9 $$']", "the program 'sh' was ended by signal 9"),
        ("[sh, -c, 'head -c 70000 /dev/zero']", "the program 'sh' printed more than 65536 bytes"),
        ("[yes, canary]", "the program 'yes' printed more than 65536 bytes"),
        ("[printf, '\\377']", "it is not UTF-8 text"),
        ("[printf, 'a\\nb']", "it holds a line break or another control character"),
        ("['true']", "it is empty"),
    ])
    func `a program that fails is reported by name and status, never by its output`(
        _ command: String, _ reason: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let config = try Self.config("{ command: \(command) }", in: directory)
        let refusal = try #require(await Self.refusal(config))
        #expect(refusal.hasSuffix(reason), "\(refusal)")
        #expect(!refusal.contains("canary"))
    }

    @Test func `a program that does not end is killed with all its children`() async throws {
        let directory = try TemporaryDirectory()
        let program = Self.shell("sleep 600 & echo $! > child; wait", in: directory)
        await #expect(throws: SecretError.self) {
            try await program.secret(Self.environment(directory), within: .seconds(2))
        }
        let child = try directory.process("child")
        #expect(try await TemporaryDirectory.becomesGone(child))
    }

    @Test func `a program's background children do not delay its answer`() async throws {
        let directory = try TemporaryDirectory()
        let program = Self.shell("sleep 600 & echo $! > child; echo ready", in: directory)
        let output = try await program.secret(Self.environment(directory), within: .seconds(300))
        let child = try directory.process("child")
        defer { TemporaryDirectory.end(child) }
        #expect(output == "ready")
        #expect(!TemporaryDirectory.isGone(child))
    }

    private static func shell(_ script: String, in directory: TemporaryDirectory) -> Program {
        Program("/bin/sh", arguments: ["-c", script], directory: directory.path)
    }

    private static func environment(_ directory: TemporaryDirectory) -> ConfigEnvironment {
        ConfigEnvironment(variables: ["PATH": "/usr/bin:/bin"], workingDirectory: directory.path)
    }

    @Test func `every missing secret is reported, in file order`() async throws {
        let faults = try await Fixture.parse(FullConfig.text).secretFaults()
        #expect(
            faults.map(\.description) == [
                "siding.yaml:20:101: the secret file ~/pass cannot be read: the file does not exist",
                "siding.yaml:21:130: the secret command vault cannot be read: there is no program 'vault' that this user may run",
                "siding.yaml:22:88: the secret file key.txt cannot be read: the file does not exist",
                "siding.yaml:29:22: the secret file crm.secret cannot be read: the file does not exist",
                "siding.yaml:33:39: the secret env ASSERTION cannot be read: the environment variable ASSERTION is not set",
                "siding.yaml:37:88: the secret env ID cannot be read: the environment variable ID is not set",
                "siding.yaml:37:116: the secret file first cannot be read: the file does not exist",
                "siding.yaml:43:81: the secret env PASSWORD cannot be read: the environment variable PASSWORD is not set",
                "siding.yaml:47:77: the secret command cloudctl cannot be read: there is no program 'cloudctl' that this user may run",
            ])
    }

    @Test func `a user name may be text or a secret`() async throws {
        let user = try Fixture.parse(FullConfig.text).sources[1].authorization.secrets[0]
        #expect(try await user.read() == "ada")
    }
}
