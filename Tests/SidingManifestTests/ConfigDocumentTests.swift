import Foundation
import SidingManifest
import Testing

/// `Docs/Config.md` against the schema of the config.
@Suite struct ConfigDocumentTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Docs/Config.md")

    /// The keys of the schema, by dotted path. `NAME` stands for a name that the config chooses.
    struct Keys {
        /// The keys that are read. Each value lists the defaults of the alternatives, as the document writes them; an
        /// alternative without a default adds an empty text.
        var read: [String: Set<String>] = [:]

        mutating func add(_ more: Keys) {
            read.merge(more.read) { $0.union($1) }
        }

        /// The keys without the members of secrets, which the document explains once.
        var withoutSecrets: [String: Set<String>] {
            read.filter { path, _ in
                let parent = path.split(separator: ".").dropLast().joined(separator: ".")
                return !["env", "file", "command"].allSatisfy { read["\(parent).\($0)"] != nil }
            }
        }
    }

    static func keys(_ schema: Any?, _ prefix: String) -> Keys {
        let definitions = (schema as? [String: Any])?["$defs"] as? [String: Any] ?? [:]
        return keys(schema, prefix, definitions, within: [])
    }

    /// - Parameter references: the references that lead here. A type that refers to itself is followed once.
    private static func keys(
        _ schema: Any?, _ prefix: String, _ definitions: [String: Any], within references: Set<String>
    ) -> Keys {
        guard let schema = schema as? [String: Any] else { return Keys() }
        var found = Keys()
        func keys(_ schema: Any?, _ prefix: String) -> Keys {
            self.keys(schema, prefix, definitions, within: references)
        }
        if let reference = schema["$ref"] as? String, !references.contains(reference) {
            let definition = definitions[String(reference.dropFirst("#/$defs/".count))]
            found.add(Self.keys(definition, prefix, definitions, within: references.union([reference])))
        }
        for alternative in schema["anyOf"] as? [Any] ?? [] { found.add(keys(alternative, prefix)) }
        for (key, value) in schema["properties"] as? [String: Any] ?? [:] {
            let path = prefix.isEmpty ? key : "\(prefix).\(key)"
            let value = value as? [String: Any] ?? [:]
            found.add(Keys(read: [path: [text(ofDefault: value["default"])]]))
            found.add(keys(value, path))
        }
        if let items = schema["items"] { found.add(keys(items, "\(prefix)[]")) }
        if schema["additionalProperties"] is [String: Any] {
            found.add(keys(schema["additionalProperties"], "\(prefix).NAME"))
        }
        return found
    }

    /// A default as the document writes it: `60s`, `false`, `[409, 412]`. Empty where there is none.
    private static func text(ofDefault value: Any?) -> String {
        guard let value else { return "" }
        if let text = value as? String { return text }
        let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
        guard let data else { return "" }
        return String(decoding: data, as: UTF8.self).replacing(",", with: ", ")
    }

    /// A row of a table of keys.
    private struct Row {
        var paths: [String]
        var standard: String
    }

    /// The rows of the tables whose head begins with "key". The code in the head is what the keys lie below.
    private static func rows(_ document: String) -> [Row] {
        var rows: [Row] = []
        var parents: [String]?
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5 else {
                parents = nil
                continue
            }
            if cells[1].hasPrefix("key") {
                parents = cells[1].matches(of: /`([^`]+)`/).map { String($0.1) }
                if cells[1] == "key in a secret" { parents = ["SECRET"] }
            } else if let parents, let key = cells[1].wholeMatch(of: /`([^`]+)`/)?.1 {
                let paths = parents.isEmpty ? [String(key)] : parents.map { "\($0).\(key)" }
                rows.append(Row(paths: paths, standard: cells[3].replacing("`", with: "")))
            }
        }
        return rows
    }

    private static func schema() throws -> Keys {
        keys(try JSONSerialization.jsonObject(with: Data(Config.jsonSchema().utf8)), "")
    }

    @Test func `every key of the config stands in its document, and no other`() throws {
        let document = try String(contentsOf: Self.file, encoding: .utf8)
        let schema = try Self.schema()
        let secret = ["SECRET.env", "SECRET.file", "SECRET.command"]
        let read = Set(schema.withoutSecrets.keys).union(secret)
        let documented = Set(Self.rows(document).flatMap(\.paths))
        #expect(read.count > 150)
        #expect(read.subtracting(documented).sorted() == [])
        #expect(documented.subtracting(read).sorted() == [])
    }

    @Test func `every default in the document of the config is the one in the schema`() throws {
        let schema = try Self.schema()
        for row in Self.rows(try String(contentsOf: Self.file, encoding: .utf8)) {
            for path in row.paths {
                guard let defaults = schema.read[path] else { continue }
                // A key of several alternatives may leave its default to the text.
                let fits = defaults.contains(row.standard) || (row.standard.isEmpty && defaults.count > 1)
                #expect(fits, "\(path): '\(row.standard)' is not \(defaults.sorted())")
            }
        }
    }
}
