// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import Testing

@testable import SidingCLI

/// `siding init URL` where an origin asks for credentials: the first own rows of two collections, and no file edited.
@Suite(.serialized)
struct InitCredentialsTests {
    private let environment = OriginGuard.environment

    private func config(of sandbox: Sandbox) throws -> String {
        try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
    }

    /// Adds the second collection, syncs both, and looks for the secret.
    private func expectRows(_ sandbox: Sandbox, _ origin: Origin, _ guarded: OriginGuard) async throws {
        let added = try await sandbox.siding(
            "init", "--add", "\(origin.url.origin)/v2/events", environment: environment)
        #expect(added.status == 0, "\(added.everything)")
        let text = try config(of: sandbox)
        #expect(text.matches(of: /base_url:/).count == 1, "\(text)")
        #expect(guarded.line.isEmpty || text.contains("\n    \(guarded.line)\n"), "\(text)")
        let sync = try await sandbox.siding("sync", environment: environment)
        #expect(sync.status == 0, "\(text)\n\(sync.everything)")
        for (name, count) in [("users", 2), ("events", 3)] {
            let outcome = try await sandbox.siding(
                "records", "count", name, "--json", environment: environment)
            #expect(try outcome.object()["count"]?.int == count)
        }
        #expect(!(added.everything + sync.everything).contains(OriginGuard.canary))
        #expect(try sandbox.leaks(of: OriginGuard.canary) == [])
        await origin.stop()
    }

    @Test(arguments: OriginGuard.all)
    func `three commands lead to the rows of both, where the credentials are given`(_ guarded: OriginGuard) async throws
    {
        let origin = try await guarded.start()
        let sandbox = try Sandbox()
        let made = try await sandbox.siding(
            ["init"] + guarded.options + ["\(origin.url.origin)/v2/users"], environment: environment)
        #expect(made.status == 0, "\(made.everything)")
        #expect(!made.everything.contains(OriginGuard.canary))
        try await expectRows(sandbox, origin, guarded)
    }

    @Test(arguments: OriginGuard.all.dropFirst())
    func
        `four commands do where the URL alone is given first: the file has the URL, and the 'auth:' that the origin names`(
            _ guarded: OriginGuard
        ) async throws
    {
        let origin = try await guarded.start()
        let sandbox = try Sandbox()
        let url = "\(origin.url.origin)/v2/users?state=all"
        let asked = try await sandbox.siding("init", url)
        #expect(asked.status == 77, "\(asked.everything)")
        #expect(asked.error.contains("the origin answered \(guarded.status)"))
        #expect(asked.error.contains("who are you?"), "\(asked.error)")
        #expect(asked.error.contains("wrote siding.yaml"))
        let draft = try config(of: sandbox)
        #expect(draft.contains("\n    base_url: \(origin.url.origin)\n"), "\(draft)")
        #expect(draft.contains("\n    path: /v2/users?state=all\n") && draft.contains("so no page has been seen"))
        let line = guarded.challenge == nil ? "# \(guarded.line)" : guarded.line
        #expect(draft.contains("\n    \(line)\n"), "\(draft)")
        #expect(draft.contains("oauth2_client") == (guarded.testDescription == "OAuth"), "\(draft)")
        let names = guarded.testDescription == "OAuth" || guarded.challenge == nil
        #expect(asked.error.contains("--oauth-env ID:SECRET@TOKEN_URL") == names, "\(asked.error)")
        let check = try await sandbox.siding("check", environment: environment)
        #expect(check.status == 0, "\(check.everything)")

        let words = guarded.options.map { $0.contains(" ") ? "'\($0)'" : $0 }.joined(separator: " ")
        let next = guarded.challenge == nil ? "siding init --force 'http" : "siding init --force \(words) 'http"
        #expect(asked.error.contains(next) && draft.contains(next), "\(asked.error)")
        let made = try await sandbox.siding(
            ["init", "--force"] + guarded.options + ["\(origin.url.origin)/v2/users"], environment: environment)
        #expect(made.status == 0, "\(made.everything)")
        try await expectRows(sandbox, origin, guarded)
    }

    @Test func `where the origin names no credentials, or unsupported ones, all forms are comments`() async throws {
        for challenge in [nil, #"Digest realm="a", qop="auth""#, "???"] {
            let guarded = OriginGuard(
                testDescription: "", key: ("X-Key", OriginGuard.canary), challenge: challenge)
            let origin = try await guarded.start()
            let sandbox = try Sandbox()
            let asked = try await sandbox.siding("init", "\(origin.url.origin)/v2/users")
            #expect(asked.status == 77 && asked.error.contains("--basic-env USER:PASSWORD"), "\(asked.everything)")
            let draft = try config(of: sandbox)
            #expect(
                !draft.contains("\n    auth:") && draft.components(separatedBy: "\n    # auth: ").count == 4, "\(draft)"
            )
            #expect(draft.contains("'Digest'") == (challenge?.hasPrefix("Digest") ?? false))
            #expect(try await sandbox.siding("check").status == 0)
            await origin.stop()
        }
    }

    @Test func `an OAuth client leads to the rows of both, and no token stays but the one that is kept for the sync`()
        async throws
    {
        let door = Door()
        let origin = try await Origin.start { door.answer($0) ?? OriginGuard.collections($0) }
        let url = origin.url.origin
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(atPath: sandbox.file("temporary"), withIntermediateDirectories: true)
        let environment = [
            "ORIGIN_ID": "my app", "ORIGIN_SECRET": door.state.withLock(\.secret), "TMPDIR": sandbox.file("temporary"),
        ]
        let client = "ORIGIN_ID:ORIGIN_SECRET@\(url)/token"
        var said = ""
        for command in [
            ["init", "--oauth-env", client, "\(url)/v2/users"], ["init", "--add", "\(url)/v2/events"], ["sync"],
        ] {
            let outcome = try await sandbox.siding(command, environment: environment)
            #expect(outcome.status == 0, "\(command): \(outcome.everything)")
            said += outcome.everything
        }
        for (name, count) in [("users", 2), ("events", 3)] {
            #expect(try await sandbox.siding("records", "count", name, "--json").object()["count"]?.int == count)
        }
        let text = try config(of: sandbox)
        let line =
            #"auth: { type: oauth2_client, token_url: "\#(url)/token", client_id: { env: ORIGIN_ID }, "#
            + "client_secret: { env: ORIGIN_SECRET } }"
        #expect(text.contains("\n    \(line)\n") && text.matches(of: /base_url:/).count == 1, "\(text)")
        #expect(!said.contains(Door.canary), "\(said)")
        let holders = try sandbox.leaks(of: Door.canary)
        #expect(holders.allSatisfy { $0.hasPrefix("users.db.credentials/") }, "\(holders)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.file("temporary")) == [])
        await origin.stop()
    }

    @Test func `a client that the token endpoint refuses writes nothing, exit 77`() async throws {
        let door = Door()
        let origin = try await Origin.start { door.answer($0) ?? OriginGuard.collections($0) }
        let sandbox = try Sandbox()
        let refused = try await sandbox.siding(
            "init", "--oauth-env", "ORIGIN_ID:ORIGIN_SECRET@\(origin.url.origin)/token",
            "\(origin.url.origin)/v2/users",
            environment: ["ORIGIN_ID": "my app", "ORIGIN_SECRET": "wr0ng-secret"])
        #expect(refused.status == 77 && refused.error.contains("nothing was written"), "\(refused.everything)")
        #expect(!refused.everything.contains("wr0ng-secret"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        await origin.stop()
    }

    @Test func `a working file is not replaced by one that needs credentials`() async throws {
        let origin = try await OriginGuard.bearer.start()
        let sandbox = try Sandbox()
        try sandbox.config("mine")
        let asked = try await sandbox.siding("init", "--force", "\(origin.url.origin)/v2/users")
        #expect(asked.status == 77 && asked.error.contains("nothing was written. Set ORIGIN_TOKEN"), "\(asked.error)")
        #expect(try config(of: sandbox) == "mine")
        await origin.stop()
    }

    @Test func `credentials that the origin refuses write nothing, exit 77`() async throws {
        let origin = try await OriginGuard.bearer.start()
        let sandbox = try Sandbox()
        let refused = try await sandbox.siding(
            "init", "--bearer-env", "WRONG", "\(origin.url.origin)/v2/users", environment: ["WRONG": "wr0ng-secret"])
        #expect(refused.status == 77, "\(refused.everything)")
        #expect(refused.error.contains("nothing was written. The origin refused the credentials"), "\(refused.error)")
        #expect(!refused.everything.contains("wr0ng-secret"))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        await origin.stop()
    }

    @Test func `a variable that is not set exits 78, and nothing is requested or written`() async throws {
        let origin = try await OriginGuard.open.start()
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "--bearer-env", "ORIGIN_TOKEN", "\(origin.url.origin)/v2/users")
        #expect(made.status == 78, "\(made.everything)")
        #expect(made.error.contains("ORIGIN_TOKEN is not set") && made.error.contains("set the variable"))
        #expect(origin.requests.isEmpty)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        await origin.stop()
    }

    @Test(arguments: [
        ["--bearer-env", "hush-hush"], ["--basic-env", "ada:hush-hush"], ["--header", "X-API-Key: hush-hush"],
        ["--header", "hush-hush"], ["--header", "Authorization: Bearer hush-hush"],
        ["--bearer-env", "A", "--header", "X: env:hush-hush"], ["--bearer-env", "A", "--basic-env", "B:C"],
        ["--oauth-env", "hush-hush"], ["--oauth-env", "A:hush-hush@https://id.example"],
        ["--oauth-env", "A:B@hush-hush"], ["--oauth-env", "A:B@https://ada:hush-hush@id.example"],
        ["--oauth-env", "A:B@https://id.example", "--bearer-env", "A"],
    ])
    func `a secret in the place of a variable's name is refused, and shown nowhere`(_ options: [String]) async throws {
        let sandbox = try Sandbox()
        let made = try await sandbox.siding(["init", "http://127.0.0.1:9/posts"] + options)
        #expect(made.status == 64, "\(made.everything)")
        #expect(!made.everything.contains("hush-hush"), "\(made.everything)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        #expect(try await sandbox.siding(["init"] + options).status == 64)
    }

    @Test(arguments: [
        ("Bearer", ["bearer"]), (#"Bearer realm="a, Basic b", error="x""#, ["bearer"]),
        (#"Basic realm="x", Bearer scope="a b""#, ["basic", "bearer"]), ("Negotiate, NTLM", ["negotiate", "ntlm"]),
        (#"Digest realm="a", qop="auth", Basic realm=x"#, ["digest", "basic"]),
        ("Negotiate abc==, bearer", ["negotiate", "bearer"]), (#"Bearer realm="a\", Basic""#, ["bearer"]),
        ("Bearer realm = x , foo  = bar", ["bearer"]), (#"realm="x""#, []), ("", []), ("'; rm -rf /", []),
    ])
    func `the schemes of WWW-Authenticate are found between its commas`(_ field: String, _ schemes: [String]) {
        #expect(CredentialChallenge.all(in: field).map(\.scheme) == schemes)
    }
}
