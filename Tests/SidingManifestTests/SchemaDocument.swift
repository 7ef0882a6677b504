// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A JSON value, as schemas and configurations are compared in tests.
enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var items: [JSONValue] {
        if case .list(let items) = self { items } else { [] }
    }

    var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    /// Every entry of every `properties`, at any depth.
    func visitProperties(_ visit: (String, JSONValue) -> Void) {
        for (name, value) in members {
            if name == "properties" { for (property, schema) in value.members { visit(property, schema) } }
            value.visitProperties(visit)
        }
        for item in items { item.visitProperties(visit) }
    }
}

/// As much of JSON Schema 2020-12 as the configuration's schema uses; an unknown keyword fails the test that meets it.
struct SchemaDocument {
    let root: JSONValue
    private var patterns: [String: Regex<AnyRegexOutput>] = [:]

    init(_ text: String) throws {
        root = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        for pattern in root.texts(of: "pattern") { patterns[pattern] = try Regex(pattern) }
    }

    func accepts(_ value: JSONValue) -> Bool { accepts(value, root) }

    private func accepts(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        schema.members.allSatisfy { keyword, rule in holds(keyword, rule, schema, value) }
    }

    private func holds(_ keyword: String, _ rule: JSONValue, _ schema: JSONValue, _ value: JSONValue) -> Bool {
        switch keyword {
        case "$schema", "$defs", "title", "description", "default": true
        case "type": rule.items.isEmpty ? isOf(rule, value) : rule.items.contains { isOf($0, value) }
        case "enum": rule.items.contains(value)
        case "const": rule == value
        case "anyOf": rule.items.contains { accepts(value, $0) }
        case "not": !accepts(value, rule)
        case "$ref":
            accepts(value, rule.text.flatMap { root["$defs"]?[String($0.dropFirst("#/$defs/".count))] } ?? .null)
        default: holdsForKind(keyword, rule, schema, value)
        }
    }

    /// Keywords that say something about one kind of value only.
    private func holdsForKind(_ keyword: String, _ rule: JSONValue, _ schema: JSONValue, _ value: JSONValue) -> Bool {
        switch (keyword, value) {
        case ("pattern", .string(let text)): matches(text, rule)
        case ("minimum", .number(let number)): rule.number.map { number >= $0 } ?? false
        case ("maximum", .number(let number)): rule.number.map { number <= $0 } ?? false
        case ("items", .list(let items)): items.allSatisfy { accepts($0, rule) }
        case ("minItems", .list(let items)): rule.number.map { Double(items.count) >= $0 } ?? false
        case ("required", .object(let members)): rule.items.allSatisfy { members[$0.text ?? ""] != nil }
        case ("properties", .object(let members)):
            rule.members.allSatisfy { name, property in members[name].map { accepts($0, property) } ?? true }
        case ("additionalProperties", .object(let members)):
            members.allSatisfy { name, member in
                schema["properties"]?[name] != nil || (rule != .bool(false) && accepts(member, rule))
            }
        case ("minProperties", .object(let members)): rule.number.map { Double(members.count) >= $0 } ?? false
        case ("maxProperties", .object(let members)): rule.number.map { Double(members.count) <= $0 } ?? false
        case ("pattern", _), ("minimum", _), ("maximum", _), ("items", _), ("minItems", _), ("required", _),
            ("properties", _), ("additionalProperties", _), ("minProperties", _), ("maxProperties", _):
            true
        default: false
        }
    }

    private func isOf(_ type: JSONValue, _ value: JSONValue) -> Bool {
        switch (type.text, value) {
        case ("object", .object), ("array", .list), ("string", .string), ("number", .number), ("boolean", .bool),
            ("null", .null):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }

    private func matches(_ text: String, _ pattern: JSONValue) -> Bool {
        pattern.text.flatMap { patterns[$0] }.map { text.firstMatch(of: $0) != nil } ?? false
    }
}

extension JSONValue {
    fileprivate var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// What stands behind `keyword`, at any depth.
    fileprivate func texts(of keyword: String) -> [String] {
        members.flatMap { name, value in
            (name == keyword ? [value.text].compactMap(\.self) : []) + value.texts(of: keyword)
        }
            + items.flatMap { $0.texts(of: keyword) }
    }

    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension Sample {
    /// The value as YAML 1.2's core schema types it, which is what an editor validates.
    var value: JSONValue {
        switch self {
        case .word(let text): Self.scalar(text)
        case .list(let items): .list(items.map(\.value))
        case .map(let members): .object(Dictionary(members.map { ($0.0, $0.1.value) }) { first, _ in first })
        }
    }

    private static func scalar(_ text: String) -> JSONValue {
        if text == "\"\\0\"" { return .string("\0") }
        if text.hasPrefix("'") { return .string(String(text.dropFirst().dropLast())) }
        if text == "~" { return .null }
        if text == "true" || text == "false" { return .bool(text == "true") }
        return Double(text).map { .number($0) } ?? .string(text)
    }
}
