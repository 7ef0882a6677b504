// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingImport
import SidingJSON
import SidingManifest
import SidingPaging
import Testing

@Suite struct AirbyteStreamTests {
    private static let pagings: [(String, Paging)] = [
        ("{ type: NoPagination }", Paging.none),
        (
            """
            { type: DefaultPaginator, page_token_option: { type: RequestPath }, pagination_strategy: \
            { type: CursorPagination, cursor_value: "{{ response['next'] }}" } }
            """, .nextURL(JSONPath(member: "next"))
        ),
        (
            """
            { type: DefaultPaginator, page_token_option: { type: RequestPath }, pagination_strategy: \
            { type: CursorPagination, cursor_value: "{{ headers['link']['next']['url'] }}", \
            stop_condition: "{{ 'next' not in headers['link'] }}" } }
            """, .linkHeader
        ),
        (
            """
            { type: DefaultPaginator, page_token_option: { type: RequestOption, inject_into: request_parameter, \
            field_name: after }, pagination_strategy: { type: CursorPagination, \
            cursor_value: "{{ response.get('paging', {}).get('next') }}", \
            stop_condition: "{{ not response.paging.next }}" } }
            """, .cursor(JSONPath(members: ["paging", "next"]), parameter: "after")
        ),
        (
            """
            { type: DefaultPaginator, page_token_option: { type: RequestOption, inject_into: request_parameter, \
            field_name: offset }, page_size_option: { type: RequestOption, inject_into: request_parameter, \
            field_name: count }, pagination_strategy: { type: OffsetIncrement, page_size: 50 } }
            """, .offset(Paging.Offsets(limitParameter: "count", limit: 50))
        ),
        (
            """
            { type: DefaultPaginator, page_token_option: { type: RequestOption, inject_into: request_parameter, \
            field_name: p }, page_size_option: { type: RequestOption, inject_into: request_parameter, \
            field_name: n }, pagination_strategy: { type: PageIncrement, page_size: 25, start_from_page: 1 } }
            """, .page(Paging.PageNumbers(parameter: "p", start: 1, sizeParameter: "n", size: 25))
        ),
    ]

    @Test(arguments: pagings)
    func `a paginator is the paging of the resource`(paginator: String, paging: Paging) throws {
        let imported = try Imported.airbyte(retriever: "{ paginator: \(paginator) }")
        #expect(try imported.resource.paging == paging)
        if paging != .linkHeader { #expect(imported.lines == []) }
    }

    @Test(
        arguments: [
            ("{ type: NoAuth }", ""),
            (
                "{ type: BearerAuthenticator, api_token: \"{{ config['api_token'] }}\" }",
                "auth: { type: bearer, token: { env: EXAMPLE_API_TOKEN } }"
            ),
            (
                """
                { type: ApiKeyAuthenticator, api_token: "{{ config.key_of_app }}", \
                inject_into: { type: RequestOption, inject_into: request_parameter, field_name: k } }
                """, "auth: { type: api_key, key: { env: EXAMPLE_KEY_OF_APP }, in: query, name: k }"
            ),
            (
                """
                { type: ApiKeyAuthenticator, api_token: "Bearer {{ config['api_token'] }}", header: Authorization }
                """, "auth: { type: bearer, token: { env: EXAMPLE_API_TOKEN } }"
            ),
            (
                """
                { type: BasicHttpAuthenticator, username: "{{ config['user'] }}", password: "{{ config['password'] }}" }
                """, "auth: { type: basic, user: { env: EXAMPLE_USER }, password: { env: EXAMPLE_PASSWORD } }"
            ),
        ])
    func `an authenticator is the sign-in of the source`(authenticator: String, line: String) throws {
        let imported = try Imported.airbyte(
            requester: "{ authenticator: \(authenticator) }",
            spec: "{ key_of_app: { type: string, airbyte_secret: true }, user: { type: string } }")
        #expect(imported.text.contains(line), "\(imported.text)")
        #expect(imported.lines == [])
    }

    @Test func `OAuth and sessions come over with their secrets as variables`() throws {
        let oauth = try Imported.airbyte(
            requester: """
                { authenticator: { type: OAuthAuthenticator, token_refresh_endpoint: "https://id.example.com/token", \
                client_id: "{{ config['client_id'] }}", client_secret: "{{ config['client_secret'] }}", \
                refresh_token: "{{ config['credentials']['refresh_token'] }}", scopes: [a, b] } }
                """)
        for part in [
            "type: oauth2_refresh", "client_secret: { env: EXAMPLE_CLIENT_SECRET }",
            "scope: a b".replacing("a b", with: "\"a b\""),
            "refresh_token: { env: EXAMPLE_REFRESH_TOKEN }", "client_auth: body",
        ] {
            #expect(oauth.text.contains(part), "\(part) in \(oauth.text)")
        }
        #expect(oauth.lines == [])
        let session = try Imported.airbyte(
            requester: """
                { authenticator: { type: SessionTokenAuthenticator, expiration_duration: P14D, session_token_path: [data, id], \
                login_requester: { type: HttpRequester, url_base: "https://api.example.com/v2/", path: session, \
                http_method: POST, request_body_json: { username: ada, password: "{{ config['password'] }}" } }, \
                request_authentication: { type: ApiKey, inject_into: { type: RequestOption, inject_into: header, \
                field_name: X-Session } } } }
                """)
        for part in [
            "type: session", "path: /session", "password: { env: EXAMPLE_PASSWORD }", "lifetime: 14d",
            "token: $.data.id", "header: X-Session",
        ] {
            #expect(session.text.contains(part), "\(part) in \(session.text)")
        }
        #expect(session.lines == [])
    }

    @Test func `handlers of errors become rules, and their waits become the source's`() throws {
        let imported = try Imported.airbyte(
            requester: """
                { error_handler: { type: CompositeErrorHandler, error_handlers: [{ type: DefaultErrorHandler, max_retries: 4, \
                backoff_strategies: [{ type: ConstantBackoffStrategy, backoff_time_in_seconds: 30 }, \
                { type: WaitTimeFromHeader, header: Retry-After }], response_filters: [\
                { http_codes: [404, 410], action: IGNORE, error_message: gone }, \
                { predicate: "{{ response.error.code == 'LIMIT' }}", action: RATE_LIMITED }, \
                { predicate: "{{ 'busy' in response['message'] }}", http_codes: [400], action: RETRY }, \
                { error_message_contains: nope, action: FAIL }, { http_codes: [204], action: SUCCESS }] }] } }
                """)
        let source = try imported.source
        #expect(source.failureRules.map(\.action) == [.ignore, .rateLimited, .retry, .retry])
        #expect(source.failureRules[2].condition == .answer(.init(statuses: [400])))
        guard case .answer(let fourth) = source.failureRules[3].condition else { return #expect(Bool(false)) }
        #expect(fourth.statuses == [])
        #expect(fourth.body?.test == .contains("busy"))
        #expect(imported.text.contains("retry: { base: 30s, cap: 30s, inline: 4 }"), "\(imported.text)")
        #expect(imported.unmapped.count == 2)
    }

    @Test func `records, filters and columns`() throws {
        let imported = try Imported.airbyte(
            retriever: """
                { record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [data, the items] }, \
                record_filter: { condition: "{{ record['state'] != 'spam' }}" } } }
                """,
            stream: """
                { primary_key: [[a], [b, c]], transformations: [{ type: RemoveFields, field_pointers: [[x, y]] }, \
                { type: AddFields, fields: [] }], schema_loader: { type: InlineSchemaLoader, schema: { type: object, \
                properties: { id: { type: [string, "null"] }, at: { type: string, format: date-time }, \
                day: { type: string, format: date }, n: { type: integer }, \
                r: { type: number }, b: { type: boolean }, o: { type: object }, any: {} } } } }
                """)
        let resource = try imported.resource
        #expect(resource.records?.description == "$.data.\"the items\"")
        #expect(resource.key == [JSONPath(member: "a"), JSONPath(members: ["b", "c"])])
        #expect(
            resource.schema.columns.map(\.type)
                == [.text, .datetime(.rfc3339), .date, .integer, .real, .boolean, .json, .json])
        #expect(imported.text.contains("where: { path: $.state, not_equals: spam }"), "\(imported.text)")
        #expect(imported.text.contains("drop: [\"$.x.y\"]") || imported.text.contains("drop: [$.x.y]"))
        #expect(imported.reasons("streams[0].transformations[1]").count == 1)
    }

    @Test func `a cursor of moments, with its formats, its start and its window`() throws {
        let imported = try Imported.airbyte(
            stream: """
                { incremental_sync: { type: DatetimeBasedCursor, cursor_field: updated, datetime_format: "%s", \
                cursor_datetime_formats: ["%Y-%m-%dT%H:%M:%SZ"], start_datetime: { type: MinMaxDatetime, \
                datetime: "{{ config['start_date'] }}" }, start_time_option: { type: RequestOption, \
                inject_into: request_parameter, field_name: since }, end_time_option: { type: RequestOption, \
                inject_into: request_parameter, field_name: before }, end_datetime: "{{ now_utc() }}", \
                lookback_window: P3D, step: P1M, cursor_granularity: PT1S } }
                """, spec: "{ start_date: { type: string, default: \"2023-02-01T00:00:00Z\" } }")
        let cursor = try #require(try imported.resource.cursor)
        #expect(cursor.type == .datetime)
        #expect(cursor.format == .epoch)
        #expect(cursor.start == "2023-02-01T00:00:00Z")
        #expect(cursor.lookback == .time(.seconds(3 * 86_400)))
        #expect(try imported.resource.query == ["since": .string("{cursor}"), "before": .string("{until}")])
        #expect(imported.unmapped.map { String($0.path.split(separator: ".").last ?? "") } == ["datetime", "step"])
    }

    @Test func `a list of values is a resource for each, and a parent is for_each`() throws {
        let list = try Imported.airbyte(
            requester: "{ path: \"/repos/{{ stream_partition.repo }}/tags\" }",
            retriever: "{ partition_router: { type: ListPartitionRouter, values: [a, b], cursor_field: repo } }")
        #expect(list.config.resources.map(\.name) == ["items_a", "items_b"])
        #expect(list.config.resources.map(\.path) == ["/repos/a/tags", "/repos/b/tags"])
        #expect(list.lines == [])
    }

    @Test func `a URL that the user completes leads nowhere until an operator writes it`() throws {
        let host = try Imported.airbyte(
            requester: "{ url_base: \"https://{{ config['subdomain'] }}.zendesk.com/api/\" }")
        #expect(try host.source.baseURL.description == "https://subdomain.zendesk.com.invalid/api")
        #expect(host.unmapped.map(\.path) == ["streams[0].retriever.requester.url_base"])
        let path = try Imported.airbyte(requester: "{ url_base: \"https://api.example.com/{{ config['account'] }}\" }")
        #expect(try path.source.baseURL.description == "https://api.example.com/account")
        #expect(path.unmapped.count == 1)
    }

    @Test func `secrets in header fields and parameters are sign-ins, and literals never are copied`() throws {
        let header = try Imported.airbyte(
            requester: "{ request_headers: { X-Custom: \"{{ config['api_token'] }}\", X-Version: '3' } }")
        #expect(header.text.contains("auth: { type: api_key, key: { env: EXAMPLE_API_TOKEN }, name: X-Custom }"))
        let version = try #require(HTTPField.Name("X-Version"))
        #expect(try header.source.headerFields[version] == "3")
        for requester in [
            "{ authenticator: { type: BearerAuthenticator, api_token: canary } }",
            "{ authenticator: { type: CustomAuthenticator, api_token: canary } }",
            "{ request_parameters: { api_key: canary } }", "{ request_headers: { Authorization: Bearer canary } }",
            "{ request_body_json: { password: canary } }", "{ url_base: \"https://ada:canary@api.example.com\" }",
            "{ authenticator: { type: SessionTokenAuthenticator, login_requester: { url_base: \"https://api.example.com/v2/\", path: s, http_method: POST, request_body_json: { password: canary } } } }",
        ] {
            let imported = try Imported.airbyte(requester: requester)
            #expect(!(imported.text + imported.lines.joined()).contains("canary"), "\(requester)")
            #expect(!imported.lines.isEmpty)
        }
    }
}
