// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingTesting
import Testing

/// Configs from other programs, by the built program and over real sockets.
@Suite struct ImportCommandTests {
    private static func dlt(_ url: String, paginator: String = #"{"type":"header_link"}"#) -> String {
        """
        {
          "client": {"base_url": "\(url)", "auth": {"type": "bearer", "token": "dlt.secrets['shop.token']"},
            "paginator": \(paginator)},
          "resource_defaults": {"primary_key": "id", "write_disposition": "merge"},
          "resources": ["items"]
        }
        """
    }

    private static func airbyte(_ url: String) -> String {
        """
        version: 6.0.0
        type: DeclarativeSource
        definitions:
          requester:
            type: HttpRequester
            url_base: \(url)
            authenticator: { type: BearerAuthenticator, api_token: "{{ config['api_token'] }}" }
        streams:
          - type: DeclarativeStream
            primary_key: id
            $parameters: { name: items, path: /items }
            retriever:
              type: SimpleRetriever
              requester: { $ref: "#/definitions/requester" }
              record_selector: { type: RecordSelector, extractor: { type: DpathExtractor, field_path: [items] } }
              paginator:
                type: DefaultPaginator
                page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: after }
                pagination_strategy: { type: CursorPagination, cursor_value: "{{ response.meta.next }}" }
        """
    }

    @Test func `the output - is standard output, and no file`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write(Self.dlt("https://example.com"), to: "shop.json")
        let plain = try await sandbox.siding("import", "--from", "dlt", "shop.json")
        let dash = try await sandbox.siding("import", "--from", "dlt", "shop.json", "-o", "-")
        #expect(plain.status == 0 && dash.status == 0 && dash.output == plain.output && dash.error == plain.error)
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("-")))
    }

    @Test func `an imported dlt source fetches all its pages`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        try sandbox.write(Self.dlt(service.url), to: "shop.json")
        let made = try await sandbox.siding("import", "--from", "dlt", "shop.json", "-o", "siding.yaml")
        #expect(made.status == 0, "\(made.everything)")
        #expect(made.output == "")
        let words = "set the environment variables SHOP__TOKEN; next: 'siding check', 'siding plan', 'siding sync'"
        #expect(made.error == "wrote siding.yaml; \(words)\n")
        let text = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        #expect(text.contains("# Secrets come from the environment: SHOP__TOKEN.\n"))
        let secrets = ["SHOP__TOKEN": "t0ken"]
        #expect(try await sandbox.siding(["check"], environment: secrets).status == 0)
        #expect(try await sandbox.siding(["sync"], environment: secrets).status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(service.targets.count == 4)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.authorization] == "Bearer t0ken" })
        await service.origin.stop()
    }

    @Test func `an imported Airbyte manifest fetches all its pages`() async throws {
        let service = try await Service.start(paging: .cursor(member: ["meta", "next"], query: "after"))
        let sandbox = try Sandbox()
        try sandbox.write(Self.airbyte(service.url), to: "manifest.yaml")
        let made = try await sandbox.siding("import", "--from", "airbyte", "manifest.yaml")
        #expect(made.status == 0, "\(made.everything)")
        #expect(made.error == "")
        try sandbox.config(made.output)
        let sync = try await sandbox.siding(["sync"], environment: ["ORIGIN_API_TOKEN": "t0ken"])
        #expect(sync.status == 0, "\(sync.everything)")
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    @Test
    func `a parent that is not a stream is one record, and is synced before its child with its own parameters`()
        async throws
    {
        let service = try await Service.start(items: 3, paging: .cursor(member: ["meta", "next"], query: "after"))
        service.listen { _, request in
            let parts = request.path.split(separator: "/")
            guard parts.count == 3, parts.last == "detail" else { return nil }
            return OriginResponse(body: Array(#"{"id":\#(parts[1]),"tags":["a","b"]}"#.utf8))
        }
        let sandbox = try Sandbox()
        let text =
            Self.airbyte(service.url).replacing("streams:\n  - type", with: "  items:\n    type") + """

                streams:
                  - type: DeclarativeStream
                    primary_key: id
                    $parameters: { name: details, path: /wrong }
                    retriever:
                      requester:
                        $ref: "#/definitions/requester"
                        $parameters: { path: "/items/{{ stream_partition.item }}/detail" }
                      record_selector: { extractor: { field_path: [] } }
                      partition_router:
                        type: SubstreamPartitionRouter
                        parent_stream_configs:
                          - { stream: "#/definitions/items", parent_key: id, partition_field: item }
                """
        try sandbox.write(text, to: "manifest.yaml")
        let made = try await sandbox.siding("import", "--from", "airbyte", "manifest.yaml")
        #expect(made.status == 0, "\(made.everything)")
        try sandbox.config(made.output)
        let sync = try await sandbox.siding(["sync"], environment: ["ORIGIN_API_TOKEN": "t0ken"])
        #expect(sync.status == 0, "\(sync.everything)")
        #expect(try await sandbox.differences(from: service.items) == [])
        let details = try await sandbox.siding("query", "--json", "SELECT id FROM details ORDER BY id")
        #expect(details.output == "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n", "\(details.everything)")
        await service.origin.stop()
    }

    @Test func `unsupported features are reported with places, as text, comments and JSON; exit 3`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            Self.dlt(
                "https://api.example.com", paginator: #"{"type":"cursor","cursor_path":"a.*.b","cursor_param":"c"}"#
            )
            .replacing("dlt.secrets['shop.token']", with: "sk_live_canary"), to: "shop.json")
        let words = try await sandbox.siding("import", "--from", "dlt", "shop.json")
        #expect(words.status == 3)
        #expect(
            words.error.split(separator: "\n").map(String.init) == [
                "shop.json:2:89: client.auth.token: a literal secret is not copied / set the environment variable "
                    + "EXAMPLE_TOKEN to it",
                "shop.json:3:49: client.paginator.cursor_path: the path has several values, or none",
            ], "\(words.error)")
        #expect(words.output.contains("# line 2, client.auth.token: a literal secret is not copied"))
        #expect(!words.everything.contains("canary"))
        let object = try await sandbox.siding("import", "--from", "dlt", "shop.json", "--json")
        #expect(object.status == 3)
        #expect(try object.object()["config"]?.string == words.output)
        #expect(try object.object()["variables"]?.array == [.string("EXAMPLE_TOKEN")])
        let first = try #require(try object.object()["unmapped"]?.array?.first)
        #expect(first["path"]?.string == "client.auth.token")
        #expect(first["line"]?.int == 2)
        #expect(first["column"]?.int == 89)
        #expect(first["reason"]?.string == "a literal secret is not copied")
        #expect(first["hint"]?.string == "set the environment variable EXAMPLE_TOKEN to it")
    }

    @Test func `no file, no such source, and a file that is there already have codes of their own`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("a: [", to: "broken.yaml")
        try sandbox.write(String(repeating: "x", count: 10 << 20), to: "large.yaml")
        try sandbox.write(Self.dlt("https://api.example.com"), to: "shop.json")
        try sandbox.config("mine")
        let missing = try await sandbox.siding("import", "--from", "dlt", "none.json")
        #expect(missing.status == 66)
        #expect(missing.error == "siding: none.json: does not exist\n")
        #expect(try await sandbox.siding("import", "--from", "dlt", ".").status == 74)
        #expect(try await sandbox.siding("import", "--from", "dlt", "large.yaml").status == 65)
        #expect(try await sandbox.siding("import", "--from", "dlt", "broken.yaml").status == 65)
        let other = try await sandbox.siding("import", "--from", "airbyte", "shop.json", "--json")
        #expect(other.status == 65)
        #expect(try other.object()["error"]?["code"]?.int == 65)
        #expect(try await sandbox.siding("import", "--from", "singer", "shop.json").status == 64)
        #expect(try await sandbox.siding("import", "shop.json").status == 64)
        let taken = try await sandbox.siding("import", "--from", "dlt", "shop.json", "-o", "siding.yaml")
        #expect(taken.status == 64)
        #expect(taken.error.contains("--force"))
        #expect(try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8) == "mine")
        let forced = try await sandbox.siding("import", "--from", "dlt", "shop.json", "-o", "siding.yaml", "--force")
        #expect(forced.status == 0, "\(forced.error)")
        #expect(try await sandbox.siding("import", "--from", "dlt", "shop.json", "-o", "no/siding.yaml").status == 74)
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.file("siding.yaml"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: sandbox.path).filter { $0.hasSuffix(".new") }
        #expect(left == [])
    }
}
