// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

@Suite struct AirbyteReferenceTests {
    private static let shop = """
        version: 6.1.0
        type: DeclarativeSource
        definitions:
          base_requester:
            type: HttpRequester
            url_base: https://shop.example.com/api
            path: "{{ parameters['path'] }}"
            authenticator:
              type: BearerAuthenticator
              api_token: "{{ config['api_key'] }}"
          retriever:
            type: SimpleRetriever
            requester: { $ref: "#/definitions/base_requester" }
            record_selector:
              type: RecordSelector
              extractor: { type: DpathExtractor, field_path: [data] }
          base_stream:
            type: DeclarativeStream
            primary_key: id
            retriever: "#/definitions/retriever"
          products:
            $ref: "#/definitions/base_stream"
            $parameters: { name: products, path: /products }
          orders:
            $ref: "#/definitions/base_stream"
            name: orders
            primary_key: number
            $parameters: { path: "/orders/" }
        streams:
          - "#/definitions/products"
          - $ref: "#/definitions/orders"
        """

    @Test func `references as maps and as texts are followed, own keys win, parameters are inherited`() throws {
        let imported = try Imported(Self.shop, .airbyte)
        #expect(imported.config.sources.map(\.name) == ["example"])
        #expect(imported.config.resources.map(\.name) == ["products", "orders"])
        #expect(imported.config.resources.map(\.path) == ["/products", "/orders/"])
        #expect(imported.config.resources.map { $0.key.map(\.description) } == [["$.id"], ["$.number"]])
        #expect(imported.config.resources.map { $0.records?.description } == ["$.data", "$.data"])
        #expect(imported.text.contains("{ env: EXAMPLE_API_KEY }"))
        #expect(imported.lines == [])
    }

    @Test(
        arguments: [
            "a: { $ref: \"#/definitions/a\" }", "a: { $ref: \"#/definitions/b\" }\n  b: { $ref: \"#/definitions/a\" }",
            "a: \"#/definitions/a\"", "a: { retriever: { $ref: \"#/definitions/a\" } }", "b: {}",
            "a: { retriever: { $ref: \"#/definitions/a/retriever\" } }", "a: \"#/\"", "a: \"#/streams/0\"",
            "a: { name: x, retriever: { requester: { $ref: \"#/definitions/a\" } } }",
        ])
    func `a reference to itself or to nothing is refused with a message`(definitions: String) {
        let text = "version: 6.0.0\ndefinitions:\n  \(definitions)\nstreams:\n  - $ref: \"#/definitions/a\"\n"
        #expect(throws: ImportError.self) { try ConfigImport.read(text, file: "m.yaml", format: .airbyte) }
    }

    @Test func `a parent stream is named by its reference`() throws {
        let imported = try Imported(
            Self.shop + """

                  - type: DeclarativeStream
                    name: lines
                    primary_key: id
                    $parameters: { path: "/orders/{{ stream_partition.order_id }}/lines" }
                    retriever:
                      $ref: "#/definitions/retriever"
                      partition_router:
                        type: SubstreamPartitionRouter
                        parent_stream_configs:
                          - type: ParentStreamConfig
                            stream: "#/definitions/orders"
                            parent_key: number
                            partition_field: order_id
                            incremental_dependency: true
                """, .airbyte)
        let each = "for_each: { resource: orders, where: changed, bind: { order_id: $.number } }"
        let isKnown = imported.config.resources.contains { $0.name == "lines" }
        #expect(imported.text.contains(isKnown ? each : "lines: {"), "\(imported.text)")
        #expect(imported.text.contains("order_id: $.number"))
        #expect(imported.lines.isEmpty == isKnown)
        if let line = imported.unmapped.first {
            #expect(line.path == "streams[2].retriever.partition_router.parent_stream_configs[0]")
            #expect(line.place.line == 41)
        }
    }
}
