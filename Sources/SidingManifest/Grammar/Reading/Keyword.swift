// SPDX-License-Identifier: Apache-2.0
/// One key of the config: the single definition for reading it, for suggestions and for the JSON Schema.
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
            defaultValue: `default`)
    }
}

/// A key without its value's type, as a map of keys needs it.
struct KeywordEntry: Sendable {
    let name: String
    let expected: String
    let doc: String
    let schema: SchemaValue
    let isRequired: Bool
    let defaultValue: SchemaValue?

    /// The key as a property of the JSON Schema.
    var property: SchemaValue {
        var members: [(String, SchemaValue)] = [("description", .string(doc))]
        if let defaultValue { members.append(("default", defaultValue)) }
        return schema.adding(members)
    }
}
