// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingJSON
import SidingManifest
import Testing

@Suite struct SignInGrammarTests {
    private static let secret = "{ env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT, …] }"

    private static func source(_ auth: String, more: String = "") -> String {
        """
        version: 1
        sources: { a: { base_url: "https://example.com/v1"\(more), auth: { \(auth) } } }
        resources: { b: { path: /b, key: id } }
        """
    }

    private static func signIn(_ auth: String) throws -> SignIn {
        try #require(try Fixture.parse(source(auth)).sources.first?.authorization.signIn)
    }

    /// The faults, without the file's name and with columns from the beginning of `auth:`.
    private static func faults(_ auth: String, more: String = "") -> [String] {
        let offset = 52 + more.count
        return Fixture.faults(source(auth, more: more)).map { fault in
            let parts = fault.split(separator: ":", maxSplits: 3)
            guard parts.count == 4, parts[1] == "2", let column = Int(parts[2]) else { return fault }
            return "\(column - offset):\(parts[3])"
        }
    }

    @Test func `every key of a client is read`() throws {
        let config = try Fixture.parse(FullConfig.text)
        let crm = try #require(config.sources.first { $0.name == "crm" }?.authorization.signIn)
        guard case .clientCredentials(let client) = crm.grant else { throw WrongGrant() }
        #expect(client.tokenURL.description == "https://id.example/token")
        #expect(client.id.isPlain && client.secret?.description == "file crm.secret")
        #expect(client.authentication == .body && client.scope == "read write")
        #expect(client.parameters.keys.sorted() == ["assertion", "audience", "tenant"])
        #expect(crm.early == .seconds(30) && crm.statuses == [401, 403])
        #expect(crm.token == AccessTokenProvider())
        let books = try #require(config.sources.first { $0.name == "books" }?.authorization.signIn)
        guard case .refreshToken(let reader, let first) = books.grant else { throw WrongGrant() }
        #expect(reader.secret == nil && reader.id.description == "env ID" && first.description == "file first")
        #expect(books.early == .seconds(60) && books.statuses == [401])
        #expect(books.secrets.map(\.description) == ["env ID", "file first"])
    }

    @Test func `every key of a session and a program is read`() throws {
        let config = try Fixture.parse(FullConfig.text)
        let old = try #require(config.sources.first { $0.name == "old" }?.authorization.signIn)
        guard case .session(let login) = old.grant, case .members(let body) = login.body else { throw WrongGrant() }
        #expect(login.path == "/login?v=2" && login.encoding == .json)
        #expect(body.keys.sorted() == ["n", "password", "remember", "user"])
        guard case .integer(7)? = body["n"], case .truth(true)? = body["remember"] else { throw WrongGrant() }
        guard case .field(let name) = login.places.token else { throw WrongGrant() }
        #expect(name.canonicalName == "x-session" && login.places.usualLifetime == .seconds(1800))
        // In a header field of the origin's own nothing stands before the token.
        #expect(old.token == AccessTokenProvider(field: try #require(HTTPField.Name("X-Auth-Token")), prefix: ""))
        let cloud = try #require(config.sources.first { $0.name == "cloud" }?.authorization.signIn)
        guard case .command(let program, let places) = cloud.grant else { throw WrongGrant() }
        guard case .body(let paths) = places.token else { throw WrongGrant() }
        #expect(program.description == "command cloudctl" && cloud.program?.description == "command cloudctl")
        #expect(paths.map(\.description) == ["$.token"] && places.lifetime?.description == "$.end")
        #expect(cloud.token.prefix == "GoogleLogin auth=" && cloud.secrets.isEmpty)
    }

    @Test(arguments: [
        ("", "Bearer "), (", prefix: Token", "Token "), (", prefix: ''", ""), (", prefix: 'JWT: '", "JWT: "),
        (", header: X-Token", ""), (", header: X-Token, prefix: Bearer", "Bearer "),
    ])
    func `a prefix of the token is separated by a space`(_ more: String, _ prefix: String) throws {
        #expect(try Self.signIn("type: command, command: [x]\(more)").token.prefix == prefix)
    }

    @Test(
        arguments: [
            (
                "type: oauth2_client, client_id: x, client_secret: { env: S }",
                ["1: 'auth' of source 'a' has no 'token_url'; expected a URL such as https://api.example.com/v2"]
            ),
            (
                "type: oauth2_client, token_url: 'https://id.example', client_id: x",
                ["1: 'auth' of source 'a' has no 'client_secret'; expected \(secret)"]
            ),
            (
                "type: oauth2_refresh, token_url: 'https://id.example', client_id: x, refresh_token: canary",
                [
                    "93: 'refresh_token' in 'auth' of source 'a' is a literal; this file never holds a secret, only where "
                        + "to find it; expected \(secret)"
                ]
            ),
            (
                "type: oauth2_client, token_url: 'http://id.example', client_id: x, client_secret: { env: S }",
                [
                    "41: 'token_url' in 'auth' of source 'a' is not encrypted; expected https, or http: "
                        + "{ allow_plain_http: true }"
                ]
            ),
            (
                "type: oauth2_client, token_url: 'https://me:canary@id.example', client_id: x, client_secret: { env: S }",
                [
                    "41: 'token_url' in 'auth' of source 'a' carries user information, a secret that this file never "
                        + "holds; expected 'auth' with the password as { env: NAME }"
                ]
            ),
            (
                "type: oauth2_client, token_url: 'https://id.example', client_id: x, client_secrt: { env: S }",
                [
                    "77: unknown key 'client_secrt' in 'auth' of source 'a'; expected one of token_url, client_id, "
                        + "client_secret, client_auth, scope, audience, params, refresh; did you mean 'client_secret'?"
                ]
            ),
            (
                "type: oauth2_client, token_url: 'https://id.example', client_id: x, client_secret: { env: S }, "
                    + "client_auth: header",
                ["117: 'client_auth' in 'auth' of source 'a' is 'header'; expected basic or body"]
            ),
            (
                "type: oauth2_client, token_url: 'https://id.example', client_id: x, client_secret: { env: S }, "
                    + "params: { grant_type: password, password: canary }",
                [
                    "114: 'grant_type' in 'params' of 'auth' of source 'a' has a place of its own; expected 'grant_type' in "
                        + "'auth', where it is not the grant's own",
                    "136: 'password' in 'params' of 'auth' of source 'a' is a literal; this file never holds a secret, only "
                        + "where to find it; expected \(secret)",
                ]
            ),
            (
                "type: session, path: /login, body: { user: ada, password: canary }",
                [
                    "57: 'password' in 'body' of 'auth' of source 'a' is a literal; this file never holds a secret, only "
                        + "where to find it; expected \(secret)"
                ]
            ),
            (
                "type: session, path: 'https://elsewhere.example/login', body: { p: { env: P } }",
                [
                    "30: 'path' in 'auth' of source 'a' does not make a URL; expected a path below the source's base_url "
                        + "such as /login"
                ]
            ),
            (
                "type: session, path: /login, body: { p: { env: P } }, token: $.t, token_header: X-T",
                ["89: 'token_header' in 'auth' of source 'a' is given beside 'token'; expected one of the two"]
            ),
            (
                "type: session, path: /login, body: text",
                [
                    "44: 'body' in 'auth' of source 'a' is text; expected a map such as { user: ada, password: { env: NAME } }"
                ]
            ),
            (
                "type: command, command: gcloud",
                ["33: 'command' in 'auth' of source 'a' is text; expected a list such as [vault, read, token]"]
            ),
            (
                "type: command, command: [x], refresh: { early: 60, on_status: [200] }",
                [
                    "56: 'early' in 'refresh' of 'auth' of source 'a' is '60'; expected a duration such as 500ms, 30s, 15m, "
                        + "2h or 7d, at least 1ms; did you mean '60s'?",
                    "72: item 1 of 'on_status' in 'refresh' of 'auth' of source 'a' is '200'; expected a whole number from "
                        + "400 to 499",
                ]
            ),
            (
                "type: sesion, path: /login",
                [
                    "15: 'auth' in source 'a' is of no known type; expected one of none, bearer, basic, api_key, "
                        + "oauth2_client, oauth2_refresh, session, command; did you mean 'session'?"
                ]
            ),
        ] as [(String, [String])])
    func `a fault of a sign-in is reported in its place`(_ auth: String, _ expected: [String]) {
        let faults = Self.faults(auth)
        #expect(faults == expected)
        #expect(!faults.joined().contains("canary"))
    }

    @Test func `a token endpoint on this machine, and where plain http is allowed, need not be encrypted`() throws {
        let rest = "client_id: x, client_secret: { env: S }"
        #expect(Self.faults("type: oauth2_client, token_url: 'http://127.0.0.1:1/token', \(rest)") == [])
        let more = ", http: { allow_plain_http: true }"
        #expect(Self.faults("type: oauth2_client, token_url: 'http://id.example', \(rest)", more: more) == [])
    }

    @Test func `secrets of a sign-in that are not there are faults, and its program is not run`() async throws {
        let config = try Fixture.parse(
            Self.source("type: session, path: /l, body: { u: { x: { env: MISSING } }, p: { env: TOKEN } }"))
        let faults = await config.secretFaults().map(\.message)
        #expect(faults == ["the secret env MISSING cannot be read: the environment variable MISSING is not set"])
        let program = try Fixture.parse(Self.source("type: command, command: [no-such-program-anywhere, canary]"))
        let messages = await program.secretFaults().map(\.message)
        #expect(messages.count == 1 && messages.joined().contains("no-such-program-anywhere"))
        #expect(!messages.joined().contains("canary"))
    }
}

private struct WrongGrant: Error {}
