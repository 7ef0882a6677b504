// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

/// What an import gave, and the configuration read back.
struct Imported {
    let text: String
    let unmapped: [Unmapped]
    let variables: [String]
    let config: Config

    init(_ text: String, _ format: ImportFormat) throws {
        let result = try ConfigImport.read(text, file: "in.yaml", format: format)
        (self.text, unmapped, variables) = (result.config, result.unmapped, result.variables)
        let environment = ConfigEnvironment(variables: [:], workingDirectory: "/srv/app", home: "/home/ada")
        config = try Config.parse(result.config, file: "siding.yaml", environment: environment)
    }

    /// A dlt source around one resource.
    static func dlt(client: String = "{}", defaults: String = "{}", _ resources: String...) throws -> Imported {
        let all = resources.map { "  - \($0)\n" }.joined()
        return try Imported(
            """
            client: { <<: [\(client), { base_url: "https://api.example.com/v2" }] }
            resource_defaults: \(defaults)
            resources:
            \(all)
            """, .dlt)
    }

    /// A manifest with one stream `items`, whose retriever and stream have these further lines.
    static func airbyte(
        requester: String = "{}", retriever: String = "{}", stream: String = "{}", spec: String = "{}"
    ) throws -> Imported {
        try Imported(
            """
            version: 6.0.0
            type: DeclarativeSource
            check: { type: CheckStream, stream_names: [items] }
            streams:
              - type: DeclarativeStream
                name: items
                retriever:
                  type: SimpleRetriever
                  requester:
                    type: HttpRequester
                    <<: [\(requester), { url_base: "https://api.example.com/v2/", path: /items }]
                  <<: \(retriever)
                <<: [\(stream), { primary_key: id }]
            spec:
              type: Spec
              connection_specification: { type: object, properties: \(spec) }
            """, .airbyte)
    }

    var resource: AnyResource {
        get throws { try #require(config.resources.first) }
    }

    var source: Source {
        get throws { try #require(config.sources.first) }
    }

    /// The lines that a person sees.
    var lines: [String] { unmapped.map(\.description) }

    /// What was told of `path`.
    func reasons(_ path: String) -> [String] { unmapped.filter { $0.path == path }.map(\.reason) }
}
