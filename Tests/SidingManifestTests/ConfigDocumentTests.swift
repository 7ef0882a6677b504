import Foundation
import SidingManifest
import Testing

/// `Docs/Config.md` against the table that the config is read by.
@Suite struct ConfigDocumentTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Docs/Config.md")

    /// The dotted path of every key that is read, and of every one that is only recognised.
    static func paths(_ schema: Any?, _ prefix: String) -> (read: Set<String>, recognised: Set<String>) {
        let definitions = (schema as? [String: Any])?["$defs"] as? [String: Any] ?? [:]
        return paths(schema, prefix, definitions, within: [])
    }

    /// - Parameter references: those that were followed on the way here: what refers to itself has its keys once.
    private static func paths(
        _ schema: Any?, _ prefix: String, _ definitions: [String: Any], within references: Set<String>
    ) -> (read: Set<String>, recognised: Set<String>) {
        guard let schema = schema as? [String: Any] else { return ([], []) }
        var found: (read: Set<String>, recognised: Set<String>) = ([], [])
        func paths(_ schema: Any?, _ prefix: String) -> (read: Set<String>, recognised: Set<String>) {
            self.paths(schema, prefix, definitions, within: references)
        }
        func add(_ more: (read: Set<String>, recognised: Set<String>)) {
            found.read.formUnion(more.read)
            found.recognised.formUnion(more.recognised)
        }
        if let reference = schema["$ref"] as? String, !references.contains(reference) {
            let definition = definitions[String(reference.dropFirst("#/$defs/".count))]
            add(Self.paths(definition, prefix, definitions, within: references.union([reference])))
        }
        for alternative in schema["anyOf"] as? [Any] ?? [] { add(paths(alternative, prefix)) }
        for (key, value) in schema["properties"] as? [String: Any] ?? [:] {
            let path = prefix.isEmpty ? key : "\(prefix).\(key)"
            if let value = value as? [String: Any], value["not"] != nil {
                found.recognised.insert(path)
            } else {
                found.read.insert(path)
                add(paths(value, path))
            }
        }
        if let items = schema["items"] { add(paths(items, "\(prefix)[]")) }
        if schema["additionalProperties"] is [String: Any] {
            add(paths(schema["additionalProperties"], "\(prefix).NAME"))
        }
        return found
    }

    @Test func `every key of the config stands in its document, and no other`() throws {
        let document = try String(contentsOf: Self.file, encoding: .utf8)
        let schema = try JSONSerialization.jsonObject(with: Data(Manifest.jsonSchema().utf8))
        let (read, recognised) = Self.paths(schema, "")
        #expect(read.count > 50 && !recognised.isEmpty)
        for path in read { #expect(document.contains("| `\(path)` |"), "\(path)") }
        for path in recognised { #expect(document.contains("`\(path)`"), "\(path)") }
        for row in document.matches(of: /\n\| `([A-Za-z_.\[\]]+)` \|/) {
            #expect(read.contains(String(row.1)), "\(row.1) is documented and not read")
        }
    }
}
