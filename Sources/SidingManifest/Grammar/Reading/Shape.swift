/// A map with known keys, and what is made of them.
struct Shape<Value: Sendable>: Sendable {
    let keywords: [KeywordEntry]
    /// Nil after at least one fault has been noted.
    let build: @Sendable (ObjectReader, inout Reading) -> Value?

    init(
        _ keywords: [KeywordEntry], build: @escaping @Sendable (ObjectReader, inout Reading) -> Value?
    ) {
        self.keywords = keywords
        self.build = build
    }

    /// The shape as the type of a key.
    var type: ValueType<Value> {
        ValueType("a map", schema: schema()) { node, reading in
            guard case .map(let entries) = node.content else { return reading.refuse(node, expected: expected) }
            return read(entries, place: node.place, &reading)
        }
    }

    /// Reads the entries of a map that may hold `also` beside the shape's own keys.
    func read(
        _ entries: [YAMLEntry], place: Place, also: Set<String> = [], _ reading: inout Reading
    ) -> Value? {
        let object = ObjectReader(entries, place: place)
        object.check(against: keywords, also: also, &reading)
        return build(object, &reading)
    }

    /// A JSON Schema of the map; `also` are properties beside the shape's own keys.
    func schema(also: [(String, SchemaValue)] = []) -> SchemaValue {
        let properties = SchemaValue.object([]).adding(also + keywords.map { ($0.name, $0.property) })
        let required = also.map(\.0) + keywords.filter(\.isRequired).map(\.name)
        var members: [(String, SchemaValue)] = [("type", "object"), ("properties", properties)]
        if !required.isEmpty { members.append(("required", .list(required.map { .string($0) }))) }
        members.append(("additionalProperties", false))
        return SchemaValue.object([]).adding(members)
    }

    private var expected: String {
        "a map with \(keywords.filter(\.isSupported).map(\.name).joined(separator: ", "))"
    }
}
