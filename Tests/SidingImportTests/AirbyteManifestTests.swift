// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

/// Manifests as they are found: what is inherited, what the user is asked for, and bodies.
@Suite struct AirbyteManifestTests {
    private static func manifest(_ definitions: String = "{}", _ streams: String...) throws -> Imported {
        let all = streams.map { "  - \($0)\n" }.joined()
        return try Imported("version: 6.0.0\ndefinitions: \(definitions)\nstreams:\n\(all)", .airbyte)
    }

    @Test func `a component's own parameters win over those from further out`() throws {
        let imported = try Self.manifest(
            """
            { base: { primary_key: id, retriever: { requester: { url_base: "https://api.example.com", \
            $parameters: { path: /v2/orders } }, record_selector: { $parameters: { data_field: results }, extractor: \
            { field_path: ["{{ parameters['data_field'] }}"] } } } } }
            """, "{ $ref: \"#/definitions/base\", $parameters: { name: orders, path: /orders, data_field: items } }")
        #expect(try imported.resource.path == "/v2/orders")
        #expect(try imported.resource.records?.description == "$.results")
        #expect(imported.lines == [])
    }

    @Test func `a parameter fills in an empty field, and never overrides another value`() throws {
        let imported = try Self.manifest(
            "{}",
            """
            { primary_key: id, $parameters: { name: a, path: /a, http_method: POST }, retriever: { requester: \
            { url_base: "https://api.example.com", path: "", http_method: GET } } }
            """)
        #expect(try imported.resource.path == "/a")
        #expect(try imported.resource.method == .get)
    }

    private static let zoom = """
        { base: { primary_key: id, retriever: { requester: { url_base: "https://api.zoom.us/v2", \
        path: "{{ parameters['path'] }}" } } }, \
        users: { $ref: "#/definitions/base", $parameters: { name: users, path: users } }, \
        tmp: { $ref: "#/definitions/base", retriever: { $ref: "#/definitions/base/retriever", partition_router: \
        { type: SubstreamPartitionRouter, parent_stream_configs: [{ stream: "#/definitions/users", parent_key: id, \
        partition_field: user_id }] } }, $parameters: { name: meetings_list_tmp, \
        path: "users/{{ stream_partition.user_id }}/meetings" } } }
        """

    private static func substream(_ parent: String, key: String = "id") -> String {
        """
        { $ref: "#/definitions/base", retriever: { $ref: "#/definitions/base/retriever", partition_router: \
        { type: SubstreamPartitionRouter, parent_stream_configs: [{ stream: \(parent), parent_key: \(key), \
        partition_field: parent_id }] } }, \
        $parameters: { name: meetings, path: "meetings/{{ stream_partition.parent_id }}" } }
        """
    }

    @Test func `parents that are not streams of their own become resources, each before its children`() throws {
        let imported = try Self.manifest(Self.zoom, Self.substream("\"#/definitions/tmp\""))
        #expect(imported.config.resources.map(\.name) == ["users", "meetings_list_tmp", "meetings"])
        #expect(
            imported.config.resources.map(\.path) == [
                "/users", "/users/{user_id}/meetings", "/meetings/{parent_id}",
            ])
        #expect(imported.config.resources.map(\.forEach?.resource) == [nil, "users", "meetings_list_tmp"])
        #expect(imported.lines == [])
        #expect(
            imported.text.contains(
                "  # Airbyte fetches it only as the parent of 'meetings'; 'siding sync' stores its records too.\n"
                    + "  meetings_list_tmp:\n"), "\(imported.text)")
    }

    @Test func `a parent that is a stream stays where it is, and one without a name is called after the child`() throws
    {
        let listed = try Self.manifest(
            Self.zoom, Self.substream("\"#/definitions/users\""), "{ $ref: \"#/definitions/users\" }")
        #expect(listed.config.resources.map(\.name) == ["meetings", "users"])
        #expect(listed.lines == [])
        // An inline parent has the child's parameters, and their name is not its own.
        let groups = """
            { primary_key: id, retriever: { requester: { url_base: "https://api.zoom.us/v2", path: groups } } }
            """
        let unnamed = try Self.manifest(Self.zoom, Self.substream(groups))
        #expect(unnamed.config.resources.map(\.name) == ["meetings_parent", "meetings"])
        #expect(unnamed.config.resources.map(\.path) == ["/groups", "/meetings/{parent_id}"])
        #expect(unnamed.config.resources.last?.forEach?.resource == "meetings_parent")
        let users = groups.replacing("groups", with: "users")
        let same = try Self.manifest(Self.zoom, "{ $ref: \"#/definitions/users\" }", Self.substream(users))
        #expect(same.config.resources.map(\.name) == ["users", "meetings"])
        #expect(same.config.resources.last?.forEach?.resource == "users")
        #expect(unnamed.lines + same.lines == [])
    }

    @Test func `another stream of the parent's name is reported`() throws {
        let other = """
            { name: users, primary_key: id, retriever: { requester: \
            { url_base: "https://api.zoom.us/v2", path: people } } }
            """
        let imported = try Self.manifest(Self.zoom, other, Self.substream("\"#/definitions/users\""))
        #expect(imported.config.resources.map(\.path) == ["/people", "/meetings/{parent_id}"])
        #expect(imported.unmapped.map(\.reason) == ["another stream has the name 'users' too"])
    }

    @Test(
        arguments: [
            "#/definitions/loop", "#/definitions/loop/retriever/partition_router/parent_stream_configs/0/stream",
        ])
    func `parents in a circle come to an end`(reference: String) throws {
        let loop = """
            { base: { primary_key: id, retriever: { requester: { url_base: "https://api.zoom.us/v2", path: x } } }, \
            loop: { primary_key: id, retriever: { requester: { url_base: "https://api.zoom.us/v2", path: y }, \
            partition_router: { type: SubstreamPartitionRouter, parent_stream_configs: \
            [{ stream: { $ref: "\(reference)" }, parent_key: id, partition_field: p }] } } } }
            """
        let text =
            "version: 6.0.0\ndefinitions: \(loop)\nstreams:\n  - { $ref: \"#/definitions/loop\", name: a }\n"
            + "  - { $ref: \"#/definitions/base\", name: b }\n"
        #expect(try Imported(text, .airbyte).config.resources.contains { $0.name == "b" })
    }

    @Test func `without any other resource a missing parent has no cut-off hint`() throws {
        let text = """
            { name: a, primary_key: id, endpoint: { path: "x/{resources.nothing.id}/y" } }
            """
        do throws(ImportError) {
            _ = try ConfigImport.read(
                "client: { base_url: \"https://api.example.com\" }\nresources:\n  - \(text)", file: "in.yaml",
                format: .dlt)
            #expect(Bool(false), "taken")
        } catch {
            #expect(!error.description.contains("one of "), "\(error)")
        }
    }

    @Test(
        arguments: [
            ("{{ record['project']['id'] }}", "$.project.id", 0), ("{{ record.key }}", "$.key", 0),
            ("{{ record['a'] ~ record['b'] }}", "$.parent.id", 1), ("{{ stream_partition.org }}", "$.parent.id", 1),
        ])
    func `a parent's member that AddFields makes is bound to its source, or reported`(
        value: String, path: String, count: Int
    ) throws {
        let parent = """
            { $ref: "#/definitions/users", transformations: [{ type: AddFields, fields: [{ path: [parent, id], \
            value: "\(value)" }] }] }
            """
        let imported = try Self.manifest(Self.zoom, Self.substream(parent, key: "parent/id"))
        #expect(
            imported.config.resources.last?.forEach?.bindings.mapValues(\.description) == ["parent_id": path])
        let told = imported.unmapped.filter { $0.reason.contains("is added by AddFields of 'users'") }
        #expect(told.count == count)
    }

    @Test func `a value that the user sets stands in a path under its name, and is reported`() throws {
        let imported = try Imported.airbyte(
            requester: "{ path: \"organizations/{{ config['organization_slug'] }}/items\" }",
            spec: "{ organization_slug: { type: string } }")
        #expect(try imported.resource.path == "/organizations/organization-slug/items")
        #expect(
            imported.lines.first?.hasSuffix(
                "streams[0].retriever.requester.path: config 'organization_slug' is set by the user, but siding.yaml has "
                    + "no variables / the path has 'organization-slug' instead: replace it with the value")
                == true
        )
        #expect(imported.lines.count == 1)
        let secret = try Self.manifest(
            "{}",
            """
            { name: a, primary_key: id, retriever: { requester: { url_base: "https://api.example.com", \
            path: "bot{{ config['api_token'] }}" } } }
            """,
            "{ name: b, primary_key: id, retriever: { requester: { url_base: \"https://api.example.com\", path: b } } }"
        )
        #expect(secret.config.resources.map(\.name) == ["b"])
        #expect(secret.lines.first?.contains("the path holds a secret") == true)
    }

    @Test(
        arguments: [
            ("https://{{ config['hostname'] }}/api/0/", "https://hostname.invalid/api/0"),
            ("https://{{ config['site'] }}.chargebee.com/api/v2", "https://site.chargebee.com.invalid/api/v2"),
            ("{{ config['base_url'] }}/api/v3", "https://base-url.invalid/api/v3"),
            ("https://{{ config['a'] }}:{{ config['port'] }}/{{ config['b'] }}/x#y", "https://a.invalid/b/x"),
            ("https://{{ 'eu' if config['eu'] else 'us' }}.example.com/v1", "https://value.example.com.invalid/v1"),
            ("{{ config['scheme'] }}://{{ config['-'] }}/", "https://origin.invalid/"),
        ])
    func `the known part of a URL that the user completes is kept, under a placeholder host`(
        url: String, root: String
    ) throws {
        let imported = try Imported.airbyte(requester: "{ url_base: \"\(url)\" }")
        #expect(try imported.source.baseURL.description == root)
        #expect(imported.lines.count == 1)
        let name = url.contains("config['hostname']")
        if name { #expect(imported.lines.joined().contains("'https://{{ config.hostname }}/api/0/' depends on")) }
    }

    @Test func `a user and a secret in a URL that the user completes are not copied`() throws {
        let imported = try Imported.airbyte(
            requester: "{ url_base: \"https://ada:canary@{{ config['host'] or config['b'] }}/x?api_key=canary\" }")
        #expect(!(imported.text + imported.lines.joined()).contains("canary"), "\(imported.text)")
    }

    @Test(
        arguments: [
            ("RequestBodyJsonObject", "{ q: all, size: 1 }", "body: { q: all, size: 1 }"),
            ("RequestBodyGraphQL", "{ query: \"query { a b }\" }", "body: { query: \"query { a b }\" }"),
            ("RequestBodyUrlEncodedForm", "{ q: all }", "body: { q: all }\n    body_encoding: form\n"),
        ])
    func `the body of a request comes over`(type: String, value: String, line: String) throws {
        let imported = try Imported.airbyte(
            requester: "{ http_method: POST, request_body: { type: \(type), value: \(value) } }")
        #expect(imported.text.contains(line), "\(imported.text)")
        #expect(imported.lines == [])
    }

    @Test func `a body that is not a map is reported, and one of an older key is a form`() throws {
        let text = try Imported.airbyte(
            requester: "{ http_method: POST, request_body: { type: RequestBodyPlainText, value: canary } }")
        #expect(text.unmapped.map(\.path) == ["streams[0].retriever.requester.request_body"])
        #expect(!text.text.contains("canary"))
        let form = try Imported.airbyte(requester: "{ http_method: POST, request_body_data: { q: all } }")
        #expect(try form.resource.body?.encoding == .form)
        #expect(form.lines == [])
    }

    @Test func `quotes around a whole text are Python's, and are removed`() throws {
        let imported = try Imported.airbyte(
            requester: """
                { request_headers: { Intercom-Version: "'2.10'", X-Text: "'a' and 'b'" }, \
                request_parameters: { v: '"1"', w: "'it" } }
                """)
        let version = try #require(HTTPField.Name("Intercom-Version"))
        let text = try #require(HTTPField.Name("X-Text"))
        #expect(try imported.source.headerFields[version] == "2.10")
        #expect(try imported.source.headerFields[text] == "'a' and 'b'")
        #expect(try imported.resource.query == ["v": .string("1"), "w": .string("'it")])
        #expect(imported.lines == [])
    }

    @Test(
        arguments: [
            "{{ not response.get(\\\"pagination\\\", {}).get(\\\"next_page_token\\\", {}) }}",
            "{{ not response['pagination']['next_page_token'] }}", "{{ response.pagination.next_page_token is none }}",
            "{{ not (response.get('pagination', {}).get('next_page_token')) }}",
            "{{ 'next_page_token' not in response['pagination'] }}", "{{ 'pagination' not in response }}",
        ])
    func `a condition that the token is missing is how every listing ends`(stop: String) throws {
        let imported = try Imported.airbyte(
            retriever: """
                { paginator: { type: DefaultPaginator, page_token_option: { inject_into: request_parameter, \
                field_name: page }, pagination_strategy: { type: CursorPagination, \
                cursor_value: "{{ response.get('pagination', {}).get('next_page_token', {}) }}", \
                stop_condition: "\(stop)" } } }
                """)
        #expect(
            try imported.resource.paging
                == .cursor(JSONPath(members: ["pagination", "next_page_token"]), parameter: "page"))
        #expect(try imported.resource.stop.hasMore == nil)
        #expect(imported.lines == [])
    }

    @Test func `an empty password becomes none once siding.yaml has that`() throws {
        let imported = try Imported.airbyte(
            requester: "{ authenticator: { type: BasicHttpAuthenticator, username: \"{{ config['api_key'] }}\" } }")
        let isKnown = !imported.text.contains("password")
        #expect(imported.text.contains("user: { env: EXAMPLE_API_KEY }"))
        #expect(imported.lines.isEmpty == isKnown)
    }
}
