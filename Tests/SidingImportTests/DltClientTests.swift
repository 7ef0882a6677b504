// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

@Suite struct DltClientTests {
    private static let canary = "sk_live_51canary"

    @Test func `root, header fields and defaults come over; the root is the source's name`() throws {
        let imported = try Imported.dlt(
            client:
                "{ base_url: \"https://api.github.com/repos/octo/\", headers: { Accept: application/vnd.github+json } }",
            "issues")
        let source = try imported.source
        #expect(source.name == "github")
        #expect(source.baseURL.description == "https://api.github.com/repos/octo")
        #expect(source.headerFields[.accept] == "application/vnd.github+json")
        #expect(try imported.resource.path == "/issues")
        #expect(
            imported.lines == [
                "in.yaml:4:5: resources[0]: it has no 'primary_key', but every resource needs a key / 'id' is used: check "
                    + "whether it is right"
            ])
    }

    @Test(
        arguments: [
            (
                "{ type: bearer, token: \"dlt.secrets['github.token']\" }",
                "auth: { type: bearer, token: { env: GITHUB__TOKEN } }"
            ),
            (
                "{ token: \"{dlt.secrets.sources.x.token}\" }",
                "auth: { type: bearer, token: { env: SOURCES__X__TOKEN } }"
            ),
            ("{ token: \"os.environ['MY_TOKEN']\" }", "auth: { type: bearer, token: { env: MY_TOKEN } }"),
            (
                "{ type: api_key, name: X-Key, api_key: \"${THE_KEY}\" }",
                "auth: { type: api_key, key: { env: THE_KEY }, name: X-Key }"
            ),
            (
                "{ type: api_key, name: appid, api_key: \"dlt.secrets['k']\", location: query }",
                "auth: { type: api_key, key: { env: K }, in: query, name: appid }"
            ),
            (
                "{ type: http_basic, username: ada, password: \"dlt.secrets['p']\" }",
                "auth: { type: basic, user: ada, password: { env: P } }"
            ),
        ])
    func `sign-ins name the variables that dlt's own secrets mean`(auth: String, line: String) throws {
        let imported = try Imported.dlt(client: "{ auth: \(auth) }", "{ name: items, primary_key: id }")
        #expect(imported.text.contains("    \(line)\n"), "\(imported.text)")
        #expect(imported.lines == [])
    }

    @Test func `an OAuth client sends its secret in the body, as dlt does`() throws {
        let imported = try Imported.dlt(
            client: """
                { auth: { type: oauth2_client_credentials, access_token_url: "https://id.example.com/token", \
                client_id: app, client_secret: "dlt.secrets['s']", \
                access_token_request_data: { scope: read, tenant: t1 } } }
                """, "{ name: items, primary_key: id }")
        #expect(imported.lines == [])
        for part in [
            "type: oauth2_client", "client_id: app", "client_secret: { env: S }", "client_auth: body",
            "scope: read", "params: { tenant: t1 }",
        ] {
            #expect(imported.text.contains(part), "\(part) in \(imported.text)")
        }
    }

    @Test(
        arguments: [
            "auth: { token: CANARY }", "auth: { type: api_key, name: k, api_key: CANARY, location: query }",
            "auth: { type: http_basic, username: u, password: CANARY }",
            "auth: { type: oauth2_client_credentials, access_token_url: \"https://x.example/t\", client_id: a, client_secret: CANARY }",
            "auth: { type: oauth2_client_credentials, access_token_url: \"https://x.example/t\", client_id: a, client_secret: \"dlt.secrets['a']\", access_token_request_data: { password: CANARY } }",
            "headers: { Authorization: \"Bearer CANARY\" }", "headers: { X-Shopify-Access-Token: CANARY }",
            "headers: { Cookie: CANARY }", "base_url: \"https://ada:CANARY@api.example.com/v2\"",
            "base_url: \"https://api.example.com/v2?api_key=CANARY\"", "auth: { type: nonsense, token: CANARY }",
            "auth: { type: bearer, token: \"dlt.secrets['a']\" }, headers: { X-Api-Key: CANARY }",
            "session: { token: CANARY }",
        ])
    func `a literal secret is never copied, and is reported`(client: String) throws {
        let imported = try Imported.dlt(
            client: "{ \(client.replacing("CANARY", with: Self.canary)) }", "{ name: items, primary_key: id }")
        #expect(!imported.text.contains("canary"), "\(imported.text)")
        #expect(!imported.lines.joined().contains("canary"), "\(imported.lines)")
        #expect(!imported.lines.isEmpty)
    }

    @Test(
        arguments: [
            "params: { api_key: CANARY }", "params: { access_token: CANARY, q: x }",
            "json: { login: { password: CANARY } }",
            "path: \"items?token=CANARY\"", "headers: { X-Auth-Token: CANARY }", "headers: { X-Auth-Key: CANARY }",
            "headers: { X-Forward: \"Bearer CANARY\" }", "headers: { X-Forward: \"Basic CANARY\" }",
            "path: \"items?x-functions-key=CANARY\"", "params: { user_key: CANARY }", "params: { sas: CANARY }",
            "params: { tokens: [CANARY] }", "params: { filter: { client_key: CANARY } }",
            "json: { auth: [CANARY, CANARY] }", "json: { password: { value: CANARY } }", "json: { api_keys: [CANARY] }",
            "path: \"x/{unbound}\", json: { password: { value: CANARY }, tokens: [CANARY] }",
        ])
    func `a literal secret of an endpoint is never copied either`(endpoint: String) throws {
        let text = endpoint.replacing("CANARY", with: Self.canary)
        // Without any resource beside it the import may be refused; what is said then holds no secret either.
        let imported = try Imported.dlt(
            "{ name: items, primary_key: id, endpoint: { \(text) } }", "{ name: b, primary_key: id }")
        #expect(!imported.text.contains("canary"), "\(imported.text)")
        #expect(!imported.lines.joined().contains("canary"))
        #expect(!imported.lines.isEmpty)
    }
}
