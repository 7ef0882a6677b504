// SPDX-License-Identifier: Apache-2.0
internal import SidingCredentials

extension Config {
    /// The JSON Schema (draft 2020-12) of the config, generated from the grammar that reads it.
    ///
    /// Editors use it through `# yaml-language-server: $schema=…`.
    package static func jsonSchema() -> String {
        let head: SchemaValue = [
            "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "siding.yaml",
            "$defs": SchemaValue.object([]).adding(
                [("query_value", ValueType.querySchema)] + ValueType<LoginValue>.loginSchemas),
        ]
        guard case .object(let body) = ConfigGrammar.shape.schema() else { return head.json }
        let anyOf: SchemaValue = .list(["resources", "writes"].map { ["required": .list([.string($0)])] })
        return head.adding(body.map { ($0.name, $0.value) } + [("anyOf", anyOf)]).json + "\n"
    }
}
