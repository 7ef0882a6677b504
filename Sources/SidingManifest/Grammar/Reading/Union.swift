// SPDX-License-Identifier: Apache-2.0
/// One of several maps that the key `type` chooses, such as the kinds of pagination.
struct Variant<Value: Sendable>: Sendable {
    let name: String
    let doc: String
    let shape: Shape<Value>

    /// Whether the word alone means this variant with all defaults.
    var isBareWord: Bool { !shape.keywords.contains(where: \.isRequired) }
}

extension ValueType {
    /// A map with a `type`, or just the word if the variant needs nothing else.
    ///
    /// Faults do not quote an unknown word, as it may be a misplaced secret.
    static func union(of variants: [Variant<Value>]) -> ValueType {
        let union = Union(variants: variants)
        return ValueType(union.expected, schema: union.schema) { node, reading in
            switch node.content {
            case .scalar where !node.isNull: union.readWord(node, [], &reading)
            case .map(let entries): union.readMap(node, entries, &reading)
            default: reading.refuse(node, expected: union.expected)
            }
        }
    }
}

private struct Union<Value: Sendable>: Sendable {
    let variants: [Variant<Value>]

    var expected: String {
        let words = variants.filter(\.isBareWord).map(\.name)
        let maps = variants.filter { !$0.isBareWord }.map { "{ type: \($0.name), … }" }
        return "one of \((words + maps).joined(separator: ", "))"
    }

    func readMap(_ node: YAMLNode, _ entries: [YAMLEntry], _ reading: inout Reading) -> Value? {
        guard let type = entries.first(where: { $0.name == "type" }) else {
            let message = "\(reading.subject) has no 'type'"
            reading.fault(message, at: node.place, expected: "type: \(names)")
            return nil
        }
        return readWord(type.value, entries, &reading)
    }

    func readWord(_ node: YAMLNode, _ entries: [YAMLEntry], _ reading: inout Reading) -> Value? {
        guard let word = node.text, let variant = variants.first(where: { $0.name == word }) else {
            let suggestion = node.text.flatMap { Suggestion.nearest(to: $0, among: variants.map(\.name)) }
            let message = "\(reading.subject) is of no known type"
            reading.fault(message, at: node.place, expected: names, suggestion: suggestion)
            return nil
        }
        return variant.shape.read(entries, place: node.place, also: ["type"], &reading)
    }

    private var names: String { "one of \(variants.map(\.name).joined(separator: ", "))" }

    var schema: SchemaValue {
        let words = variants.filter(\.isBareWord).map { SchemaValue.string($0.name) }
        let maps = variants.map { variant in
            variant.shape.schema(also: [
                ("type", ["const": .string(variant.name), "description": .string(variant.doc)])
            ])
        }
        return ["anyOf": .list([["enum": .list(words)]] + maps)]
    }
}
