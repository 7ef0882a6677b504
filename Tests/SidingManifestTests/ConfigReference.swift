// SPDX-License-Identifier: Apache-2.0
@testable import SidingManifest

/// `Docs/Reference.md`: a table of keys for each map of the config, with the texts of the grammar.
struct ConfigReference {
    /// A map of the config: where it may stand, and its keys.
    private struct Section {
        var paths: [String]
        let text: String
        let rows: [String]
    }

    private var sections: [Section] = []

    static func page() -> String {
        var reference = ConfigReference()
        reference.add(ConfigGrammar.shape.schema(), at: "", text: "")
        return """
            # Reference of siding.yaml

            Every key of the config, its values, meaning and default. `make reference` writes this page from the grammar that reads a config.
            [Config.md](Config.md) explains what to use when.

            Kinds of values: *duration* (`500ms`, `15m`, `7d`), *size* (`64KiB`, `50MiB`), *rate* (`100/1m`, `10MiB/1h`), *path* (a JSON path of SQLite,
            `$.a.b`), *secret* (a reference: `{ env: NAME }`, `{ file: PATH }` or `{ command: [PROGRAM, ARGUMENT] }`), and *text*.
            `NAME` stands for a name that you choose, `[]` for each element of a list.

            \(reference.sections.map(Self.markdown).joined(separator: "\n"))
            """
    }

    private static func markdown(_ section: Section) -> String {
        let paths = section.paths.map { $0.isEmpty ? "The top level" : "`\($0)`" }.joined(separator: ", ")
        let text = section.text.isEmpty ? "" : "\(section.text)\n\n"
        let head = "| key | value | meaning | default |\n|---|---|---|---|"
        return "## \(paths)\n\n\(text)\(head)\n\(section.rows.joined(separator: "\n"))\n"
    }

    // MARK: Maps

    /// Adds the map of `schema`, and those below it.
    private mutating func add(_ schema: SchemaValue, at path: String, text: String) {
        for alternative in schema["anyOf"]?.list ?? [] where schema["properties"] == nil {
            add(alternative, at: path, text: alternative["description"]?.string ?? text)
        }
        if let properties = schema["properties"]?.members, !Self.isSecret(schema) {
            let kind = properties.first { $0.name == "type" && $0.value["const"] != nil }?.value
            let title = kind.map { "\(path): \($0["const"]?.string ?? "")" } ?? path
            let required = schema["required"]?.list?.compactMap(\.string) ?? []
            let rows = properties.filter { kind == nil || $0.name != "type" }
                .map { Self.row($0, isRequired: required.contains($0.name)) }
            if !rows.isEmpty { add(rows, at: title, text: kind?["description"]?.string ?? text) }
            for property in properties {
                let below = path.isEmpty ? property.name : "\(path).\(property.name)"
                add(property.value, at: below, text: property.value["description"]?.string ?? "")
            }
        }
        if let items = schema["items"] { add(items, at: "\(path)[]", text: text) }
        if let values = schema["additionalProperties"] { add(values, at: "\(path).NAME", text: text) }
    }

    /// Equal tables are one.
    private mutating func add(_ rows: [String], at path: String, text: String) {
        if let index = sections.firstIndex(where: { $0.rows == rows }) {
            if !sections[index].paths.contains(path) { sections[index].paths.append(path) }
        } else {
            sections.append(Section(paths: [path], text: Self.escaped(text), rows: rows))
        }
    }

    // MARK: Keys

    private static func row(_ property: SchemaValue.Member, isRequired: Bool) -> String {
        let text = escaped(property.value["description"]?.string ?? "")
        let standard = isRequired ? "required" : property.value["default"].map { "`\(flow($0))`" } ?? ""
        return "| `\(property.name)` | \(kind(of: property.value)) | \(text) | \(standard) |"
    }

    private static func kind(of schema: SchemaValue) -> String {
        if let value = schema["const"] { return "`\(flow(value))`" }
        if let values = schema["enum"]?.list { return values.map { "`\(flow($0))`" }.joined(separator: ", ") }
        if let alternatives = schema["anyOf"]?.list, schema["properties"] == nil {
            var kinds: [String] = []
            for kind in alternatives.map(kind(of:)) where !kinds.contains(kind) { kinds.append(kind) }
            return kinds.joined(separator: ", or ")
        }
        if isSecret(schema) { return "secret" }
        if schema["properties"] != nil { return "map" }
        if let items = schema["items"] { return "list: \(kind(of: items))" }
        if let values = schema["additionalProperties"] { return "map of names: \(kind(of: values))" }
        if schema["$ref"] != nil { return "text, number, list or map" }
        return schema["pattern"]?.string.map(kind(ofPattern:)) ?? kind(ofScalar: schema)
    }

    private static func kind(ofScalar schema: SchemaValue) -> String {
        switch schema["type"] {
        case "boolean": return "`true`, `false`"
        case "integer":
            let bounds = (schema["minimum"].map(flow), schema["maximum"].map(flow))
            return switch bounds {
            case (let least?, let most?): "number from \(least) to \(most)"
            case (let least?, nil): "number from \(least)"
            default: "number"
            }
        case "object": return "map"
        default: return "text"
        }
    }

    private static func kind(ofPattern pattern: String) -> String {
        if pattern.contains("ms|s|m|h|d") { return "duration" }
        if pattern.contains("[smhd]") { return "rate" }
        if pattern.contains("KiB") { return "size" }
        if pattern == #"^(\$|lines$)"# { return "path, or `lines`" }
        return pattern == #"^\$"# ? "path" : "text"
    }

    private static func isSecret(_ schema: SchemaValue) -> Bool {
        schema["properties"]?.members?.map(\.name) == ["env", "file", "command"]
    }

    /// A value as a config writes it on one line.
    private static func flow(_ value: SchemaValue) -> String {
        switch value {
        case .string(let text): text
        case .list(let values): "[\(values.map(flow).joined(separator: ", "))]"
        default: value.json
        }
    }

    /// Text for a cell of a table, in which braces and bars say what they are.
    private static func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "&lt;").replacing("*", with: "\\*")
    }
}

extension SchemaValue {
    fileprivate subscript(name: String) -> SchemaValue? { members?.first { $0.name == name }?.value }

    fileprivate var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    fileprivate var list: [SchemaValue]? { if case .list(let values) = self { values } else { nil } }
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
