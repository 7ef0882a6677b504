// SPDX-License-Identifier: Apache-2.0
/// A map with known keys, and the value built from them.
struct Shape<Value: Sendable>: Sendable {
    let keywords: [KeywordEntry]
    /// Builds the value; nil after at least one fault was noted.
    let build: @Sendable (ObjectReader, inout Reading) -> Value?

    init(
        _ keywords: [KeywordEntry], build: @escaping @Sendable (ObjectReader, inout Reading) -> Value?
    ) {
        self.keywords = keywords
        self.build = build
    }

    /// The map as the type of a key.
    var type: ValueType<Value> {
        ValueType("a map", schema: schema()) { node, reading in
            guard case .map(let entries) = node.content else { return reading.refuse(node, expected: expected) }
            return read(entries, place: node.place, &reading)
        }
    }

    /// Reads the entries of a map that may also contain the keys in `also`.
    func read(
        _ entries: [YAMLEntry], place: Place, also: Set<String> = [], _ reading: inout Reading
    ) -> Value? {
        let object = ObjectReader(entries, place: place)
        object.check(against: keywords, also: also, &reading)
        return build(object, &reading)
    }

    /// The JSON Schema of the map; `also` are additional properties.
    func schema(also: [(String, SchemaValue)] = []) -> SchemaValue {
        let properties = SchemaValue.object([]).adding(also + keywords.map { ($0.name, $0.property) })
        let required = also.map(\.0) + keywords.filter(\.isRequired).map(\.name)
        var members: [(String, SchemaValue)] = [("type", "object"), ("properties", properties)]
        if !required.isEmpty { members.append(("required", .list(required.map { .string($0) }))) }
        members.append(("additionalProperties", false))
        return SchemaValue.object([]).adding(members)
    }

    private var expected: String {
        "a map with \(keywords.map(\.name).joined(separator: ", "))"
    }
}
