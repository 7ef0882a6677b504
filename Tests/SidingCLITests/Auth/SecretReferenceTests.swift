// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// Every secret of every kind of credentials, said as a variable, as a file and as a program.
@Suite(.serialized)
struct SecretReferenceTests {
    /// The ways to say where a secret is.
    enum Form: CaseIterable {
        case variable, file, program

        /// The reference to the secret `name`, as the config writes it.
        func reference(_ name: String) -> String {
            switch self {
            case .variable: "{ env: \(name) }"
            case .file: "{ file: secret-\(name) }"
            case .program: "{ command: [/bin/cat, secret-\(name)] }"
            }
        }

        /// Puts `secrets` where this form looks for them, and nowhere else.
        ///
        /// - Returns: the environment of the commands.
        func lay(_ secrets: [String: String], in sandbox: Sandbox) throws -> [String: String] {
            guard self != .variable else { return secrets }
            for (name, text) in secrets { try sandbox.write(text + "\n", to: "secret-\(name)") }
            return [:]
        }
    }

    private static let canary = "c4n4ry-0123456789abcdef"

    private static func basic(_ user: String, _ password: String) -> String {
        "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }

    /// What the config says of credentials with the secret `CANARY`, and the header field that carries it.
    private static let credentials: [(auth: String, field: String, value: String)] = [
        ("type: bearer, token: CANARY", "Authorization", "Bearer \(canary)"),
        ("type: bearer, prefix: Token, token: CANARY", "Authorization", "Token \(canary)"),
        (
            "type: api_key, name: Authorization, prefix: 'Token token=', key: CANARY", "Authorization",
            "Token token=\(canary)"
        ),
        ("type: basic, user: CANARY, password: { env: OTHER }", "Authorization", basic(canary, "other")),
        ("type: basic, user: CANARY", "Authorization", basic(canary, "")),
        ("type: basic, user: ada, password: CANARY", "Authorization", basic("ada", canary)),
        ("type: api_key, in: header, name: X-Shop-Key, key: CANARY", "X-Shop-Key", canary),
    ]

    @Test(arguments: Form.allCases, credentials)
    func `the secret of a header field reaches the origin in every request`(
        form: Form, credentials: (auth: String, field: String, value: String)
    ) async throws {
        let service = try await Service.start()
        let auth = credentials.auth.replacing("CANARY", with: form.reference("CANARY"))
        let sandbox = try Sandbox.with(service, source: "auth: { \(auth) }")
        let environment = try form.lay(["CANARY": Self.canary], in: sandbox).merging(["OTHER": "other"]) { $1 }
        let sync = try await sandbox.siding("sync", environment: environment)
        #expect(sync.status == 0, "\(sync.everything)")
        let field = try #require(HTTPField.Name(credentials.field))
        #expect(service.origin.requests.count == 4)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[field] == credentials.value })
        await service.origin.stop()
    }

    @Test func `a write waits while the program that prints its token fails, and is delivered afterwards`() async throws
    {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(
            service,
            source: "auth: { type: bearer, token: { command: [/bin/cat, secret] } }, retry: { inline: 0 }")
        service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .created) }
        let sent = try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}")
        #expect(sent.status == 75, "\(sent.everything)")
        let id = try #require(sent.lines.first.map(String.init))
        #expect(try await sandbox.siding("queue", "show", id, "--json").object()["state"]?.string == "queued")
        for _ in 1...4 { _ = try await sandbox.siding("send", "POST", "shop:/others", "-d", "{}") }
        let spared = try await sandbox.siding("send", "POST", "shop:/others", "-d", "{}")
        #expect(spared.error.contains("no request goes to its source now: 5 tries in a row failed"), "\(spared.error)")
        #expect(try await !sandbox.siding("queue", "list").output.contains(" due "))
        #expect(service.targets == [])
        try sandbox.write("token\n", to: "secret")
        let retried = try await sandbox.siding("queue", "retry", id)
        #expect(retried.status == 0, "\(retried.everything)")
        #expect(service.targets == ["/orders"])
        await service.origin.stop()
    }

    @Test(arguments: Form.allCases)
    func `a client's name, secret and parameters reach the token endpoint`(form: Form) async throws {
        let door = Door()
        let secret = door.state.withLock(\.secret)
        try await signIn(
            at: door, form, "oauth2_client", "params: { tenant: \(form.reference("TENANT")) }",
            secrets: ["SECRET": secret, "TENANT": "t 1"])
        let form = [
            "grant_type": "client_credentials", "client_id": "my app", "client_secret": secret, "tenant": "t 1",
        ]
        #expect(door.forms == [form])
    }

    @Test(arguments: Form.allCases)
    func `a first refresh token reaches the token endpoint with its client's name and secret`(form: Form)
        async throws
    {
        let door = Door()
        let first = door.state.withLock(\.refreshToken)
        try await signIn(
            at: door, form, "oauth2_refresh", "refresh_token: \(form.reference("FIRST"))",
            secrets: ["SECRET": "hush", "FIRST": first])
        let form = [
            "grant_type": "refresh_token", "client_id": "my app", "client_secret": "hush", "refresh_token": first,
        ]
        #expect(door.forms == [form])
    }

    /// A sync that signs in as `my app`, whose name, secret and what `more` speaks of are told by `form`.
    private func signIn(
        at door: Door, _ form: Form, _ type: String, _ more: String, secrets: [String: String]
    ) async throws {
        let service = try await Service.start(behind: door)
        let client =
            "client_id: \(form.reference("ID")), client_secret: \(form.reference("SECRET")), client_auth: body, \(more)"
        let sandbox = try Sandbox.with(service, source: service.oauth(type, client))
        let environment = try form.lay(secrets.merging(["ID": "my app"]) { $1 }, in: sandbox)
        let sync = try await sandbox.siding("sync", environment: environment)
        #expect(sync.status == 0, "\(sync.everything)")
        await service.origin.stop()
    }

    @Test(arguments: Form.allCases)
    func `the secrets of a log-in reach the origin at any depth`(form: Form) async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let body =
            "body: { shop: \(form.reference("SHOP")), user: { name: ada, password: \(form.reference("SECRET")) } }"
        let sandbox = try Sandbox.with(
            service, source: "auth: { type: session, path: /login, \(body), token: $.data.jwt }")
        let secret = door.state.withLock(\.secret)
        let environment = try form.lay(["SHOP": "berlin", "SECRET": secret], in: sandbox)
        let sync = try await sandbox.siding("sync", environment: environment)
        #expect(sync.status == 0, "\(sync.everything)")
        #expect(
            door.asked.map { String(decoding: $0.body, as: UTF8.self) }
                == [#"{"shop":"berlin","user":{"name":"ada","password":"\#(secret)"}}"#])
        await service.origin.stop()
    }
}
