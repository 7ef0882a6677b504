/// One of several shapes that a map's `type` chooses, such as the ways of paging.
struct Variant<Value: Sendable>: Sendable {
    let name: String
    let doc: String
    /// Nil for a variant of the grammar that this release does not understand.
    let shape: Shape<Value>?

    static func notYet(_ name: String) -> Variant { Variant(name: name, doc: "Not yet supported.", shape: nil) }

    /// Whether the bare word stands for the variant with all its defaults.
    var isBareWord: Bool { shape.map { !$0.keywords.contains(where: \.isRequired) } ?? false }
}

extension ValueType {
    /// A map with a `type`, or the bare word of a type that needs nothing else.
    ///
    /// What stands in the place of a word is not repeated in faults: it may be a secret in the wrong place.
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
        let words = supported.filter(\.isBareWord).map(\.name)
        let maps = supported.filter { !$0.isBareWord }.map { "{ type: \($0.name), … }" }
        return "one of \((words + maps).joined(separator: ", "))"
    }

    private var supported: [Variant<Value>] { variants.filter { $0.shape != nil } }

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
        guard let shape = variant.shape else {
            let message = "the type '\(word)' of \(reading.subject) is not yet supported"
            reading.fault(message, at: node.place, expected: names)
            return nil
        }
        return shape.read(entries, place: node.place, also: ["type"], &reading)
    }

    private var names: String { "one of \(supported.map(\.name).joined(separator: ", "))" }

    var schema: SchemaValue {
        let words = supported.filter(\.isBareWord).map { SchemaValue.string($0.name) }
        let maps = supported.compactMap { variant in
            variant.shape?.schema(also: [
                ("type", ["const": .string(variant.name), "description": .string(variant.doc)])
            ])
        }
        return ["anyOf": .list([["enum": .list(words)]] + maps)]
    }
}
