// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingManifest

/// The keys that the schema of the config reads, by dotted path. `NAME` stands for a name that the config chooses.
struct ConfigKeys {
    private let definitions: [String: Any]

    static func all() throws -> Set<String> {
        let schema = try JSONSerialization.jsonObject(with: Data(Config.jsonSchema().utf8)) as? [String: Any]
        let definitions = schema?["$defs"] as? [String: Any] ?? [:]
        return ConfigKeys(definitions: definitions).keys(schema, "", within: [])
    }

    /// - Parameter references: the references that lead here. A type that refers to itself is followed once.
    private func keys(_ schema: Any?, _ prefix: String, within references: Set<String>) -> Set<String> {
        guard let schema = schema as? [String: Any] else { return [] }
        var found: Set<String> = []
        if let reference = schema["$ref"] as? String, !references.contains(reference) {
            let definition = definitions[String(reference.dropFirst("#/$defs/".count))]
            found.formUnion(keys(definition, prefix, within: references.union([reference])))
        }
        for alternative in schema["anyOf"] as? [Any] ?? [] {
            found.formUnion(keys(alternative, prefix, within: references))
        }
        for (key, value) in schema["properties"] as? [String: Any] ?? [:] {
            let path = prefix.isEmpty ? key : "\(prefix).\(key)"
            found.insert(path)
            found.formUnion(keys(value, path, within: references))
        }
        if let items = schema["items"] { found.formUnion(keys(items, "\(prefix)[]", within: references)) }
        if let values = schema["additionalProperties"] {
            found.formUnion(keys(values, "\(prefix).NAME", within: references))
        }
        return found
    }
}
