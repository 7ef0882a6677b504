/// One key of the configuration: the single source for reading it, for suggestions and for the JSON Schema.
struct Keyword<Value: Sendable>: Sendable {
    let name: String
    let type: ValueType<Value>
    let entry: KeywordEntry

    init(
        _ name: String, _ type: ValueType<Value>, isRequired: Bool = false, default: SchemaValue? = nil, _ doc: String
    ) {
        self.name = name
        self.type = type
        entry = KeywordEntry(
            name: name, expected: type.expected, doc: doc, schema: type.schema, isRequired: isRequired,
            defaultValue: `default`, isSupported: true)
    }
}

/// What a map needs to know of its keys without knowing their types.
struct KeywordEntry: Sendable {
    let name: String
    let expected: String
    let doc: String
    let schema: SchemaValue
    let isRequired: Bool
    let defaultValue: SchemaValue?
    let isSupported: Bool

    /// A key of the grammar that this release does not understand: refused by name rather than ignored.
    static func notYet(_ name: String, _ doc: String) -> KeywordEntry {
        KeywordEntry(
            name: name, expected: "", doc: doc, schema: [:], isRequired: false, defaultValue: nil, isSupported: false)
    }

    /// The property as a JSON Schema says it.
    var property: SchemaValue {
        guard isSupported else { return ["description": .string("Not yet supported. \(doc)"), "not": [:]] }
        var members: [(String, SchemaValue)] = [("description", .string(doc))]
        if let defaultValue { members.append(("default", defaultValue)) }
        return schema.adding(members)
    }
}
