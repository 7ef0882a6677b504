// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

/// What streams share in one source, and what keeps them apart.
@Suite struct ImportedSourceTests {
    /// A manifest with these streams, each with the requester's further members.
    private static func manifest(_ root: String = "", _ requesters: (name: String, more: String)...) throws -> Imported
    {
        let streams = requesters.map { name, more in
            """
              - type: DeclarativeStream
                name: \(name)
                primary_key: id
                retriever:
                  type: SimpleRetriever
                  requester: { type: HttpRequester, <<: [{ \(more) }, { url_base: "https://api.example.com/v2", path: "/\(name)" }] }
                  record_selector: { extractor: { field_path: [data] } }
            """
        }
        return try Imported("version: 6.0.0\n\(root)\nstreams:\n\(streams.joined(separator: "\n"))\n", .airbyte)
    }

    private static func handler(_ filters: String) -> String { "error_handler: { response_filters: [\(filters)] }" }

    private static let budget =
        "api_budget: { type: HTTPAPIBudget, policies: [{ type: MovingWindowCallRatePolicy, rates: [{ limit: 5, interval: PT1M }] }] }"

    @Test func `rules of answers are a resource's, so that the streams keep one source and one budget`() throws {
        let imported = try Self.manifest(
            Self.budget, ("a", Self.handler("{ http_codes: [404], action: IGNORE }")), ("b", ""))
        #expect(imported.config.sources.map(\.name) == ["example"])
        #expect(imported.config.sources.map(\.failureRules.count) == [0])
        #expect(imported.config.resources.map(\.source.failureRules.count) == [1, 0])
        #expect(imported.config.sources.map(\.limits.count) == [1])
        #expect(imported.lines == [])
    }

    @Test func `waits are the source's, and do not split streams`() throws {
        func waiting(_ seconds: Int) -> String {
            "error_handler: { backoff_strategies: [{ type: ConstantBackoffStrategy, backoff_time_in_seconds: \(seconds) }] }"
        }
        let imported = try Self.manifest("", ("a", ""), ("b", waiting(30)), ("c", waiting(30)))
        #expect(imported.config.sources.map(\.name) == ["example"])
        #expect(imported.text.contains("retry: { base: 30s, cap: 30s }"), "\(imported.text)")
        #expect(imported.lines == [])
        let two = try Self.manifest("", ("a", waiting(30)), ("b", waiting(60)))
        #expect(two.config.sources.count == 1 && two.text.contains("base: 30s"))
        #expect(
            two.unmapped.map(\.reason) == ["the source 'example' has the retry settings of another of its resources"])
    }

    @Test func `rules that all streams have are the source's`() throws {
        let rules = Self.handler("{ http_codes: [404], action: IGNORE }")
        let imported = try Self.manifest("", ("a", rules), ("b", rules))
        #expect(imported.config.sources.map(\.failureRules.count) == [1])
        #expect(imported.config.resources.map(\.source.failureRules.count) == [1, 1])
    }

    @Test func `where header fields split streams, a budget and a refresh token of both are reported`() throws {
        let auth = """
            authenticator: { type: OAuthAuthenticator, token_refresh_endpoint: "https://id.example.com/token", \
            client_id: app, client_secret: "{{ config['client_secret'] }}", refresh_token: "{{ config['refresh_token'] }}" }
            """
        let imported = try Self.manifest(
            Self.budget, ("a", auth), ("b", "\(auth), request_headers: { X-Version: b }"))
        #expect(imported.config.sources.map(\.name) == ["example", "example_b"])
        #expect(imported.unmapped.count == 2)
        #expect(
            imported.lines.contains {
                $0.contains("'example' and 'example_b' are two sources, and each has its own budget")
            })
        #expect(imported.lines.contains { $0.contains("each starts with the refresh token") })
        #expect(imported.text.contains("# line 2, api_budget: 'example' and 'example_b'"), "\(imported.text)")
    }

    @Test func `any condition of a filter is enough, in Airbyte as in the resulting rules`() throws {
        let imported = try Self.manifest(
            "",
            (
                "a",
                Self.handler(
                    """
                    { http_codes: [403, "{{ config['code'] }}"], predicate: "{{ response.code == 'SLOW' }}", \
                    error_message_contains: slow, action: RATE_LIMITED }, { http_codes: [404], \
                    predicate: "{{ response.a > 1 }}", action: IGNORE }
                    """)
            ))
        let rules = try imported.source.failureRules
        #expect(rules.map(\.action) == [.rateLimited, .rateLimited, .ignore])
        #expect(rules[0].condition == .answer(.init(statuses: [403])))
        #expect(rules[1].condition == .answer(.init(body: .init(at: JSONPath(member: "code"), .equals("SLOW")))))
        #expect(rules[2].condition == .answer(.init(statuses: [404])))
        #expect(imported.unmapped.count == 3, "\(imported.lines)")
    }

    @Test func `the fields of the remaining quota, and the statuses beside 429, are imported`() throws {
        let imported = try Self.manifest(
            """
            api_budget: { ratelimit_remaining_header: X-Left, ratelimit_reset_header: X-Reset, \
            status_codes_for_ratelimit_hit: [429, 420], policies: [{ rates: [{ limit: 5, interval: PT1M }] }] }
            concurrency_level: { default_concurrency: "{{ config['n'] or 10 }}" }
            """, ("a", ""))
        let source = try imported.source
        #expect(source.limits.map(\.rate?.description) == ["5/m", nil])
        #expect(source.limits.last?.remaining?.rawName == "X-Left" && source.limits.last?.reset?.rawName == "X-Reset")
        #expect(source.failureRules.map(\.condition) == [.answer(.init(statuses: [420]))])
        #expect(imported.unmapped.map(\.path) == ["concurrency_level.default_concurrency"])
    }

    @Test(
        arguments: [
            ("https://api.example.com/v1/lists", "https://api.example.com/v1", "/lists"),
            ("https://api.example.com/v1/lists/", "https://api.example.com/v1/lists", "/"),
            ("https://api.example.com/lists?a=b/c", "https://api.example.com", "/lists?a=b/c"),
            ("https://api.example.com", "https://api.example.com", "/"),
        ])
    func `a whole URL is root and path, so that no slash is put behind it`(
        url: String, root: String, path: String
    ) throws {
        let imported = try Imported(
            """
            version: 6.0.0
            streams:
              - type: DeclarativeStream
                name: a
                primary_key: id
                retriever: { requester: { type: HttpRequester, url: "\(url)" } }
            """, .airbyte)
        let resource = try imported.resource
        #expect(imported.text.contains("base_url: \(root)\n"), "\(imported.text)")
        #expect(resource.path == path)
    }

    @Test func `an origin without TLS is allowed and reported, unless it is this machine`() throws {
        for (host, isTold) in [("api.example.com", true), ("127.0.0.1:8080", false), ("localhost", false)] {
            let imported = try Imported(
                "client: { base_url: \"http://\(host)\" }\nresources: [{ name: a, primary_key: id }]", .dlt)
            #expect(try imported.source.transport.allowsPlainHTTP == isTold)
            #expect(imported.lines.contains { $0.contains("the URL is http") } == isTold)
        }
    }

    @Test func `a source with credentials uses https, even where the file's URL does not`() throws {
        let imported = try Imported(
            """
            client: { base_url: "http://api.example.com:8080/v1", auth: { token: "dlt.secrets['b.token']" } }
            resources: [{ name: a, primary_key: id }]
            """, .dlt)
        #expect(try imported.source.baseURL.description == "https://api.example.com:8080/v1")
        #expect(!imported.text.contains("allow_plain_http: true"))
        #expect(imported.lines.contains { $0.contains("with 'auth' the source uses https instead") })
    }

    @Test func `the required variables stand at the head, without those of refused parts`() throws {
        let imported = try Imported(
            """
            client: { base_url: "https://api.example.com", auth: { token: "dlt.secrets['b.token']" } }
            resources: [{ name: a, primary_key: id }]
            """, .dlt)
        #expect(imported.variables == ["B__TOKEN"])
        #expect(imported.text.contains("\n# Secrets come from the environment: B__TOKEN.\n"))
        let none = try Imported.dlt("{ name: a, primary_key: id }")
        #expect(none.variables == [] && !none.text.contains("Secrets come"))
    }
}
