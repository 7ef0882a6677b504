// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain

extension ValueType where Value == QueryValue {
    /// A scalar, a list or a map, sent as written.
    static let query: ValueType = ValueType(
        "text, a number, true, false, a list or a map", schema: ["$ref": "#/$defs/query_value"]
    ) {
        node, reading in
        switch node.content {
        case .scalar(let text, let isPlain):
            if node.isNull { return .null }
            if reading.refusePlaceholder(in: text, but: ["{cursor}", "{until}"], at: node.place) { return nil }
            return isPlain ? scalar(text) : .string(text)
        case .list(let nodes):
            return .array(nodes.compactMap { query.read($0, &reading) })
        case .map(let entries):
            let members = entries.map { ($0.name, query.read($0.value, &reading) ?? .null) }
            return .object(Dictionary(members) { first, _ in first })
        }
    }

    /// The JSON Schema that ``query`` refers to; it is recursive.
    static let querySchema: SchemaValue = [
        "description": "A scalar, a list or a map; what is sent is what is written.",
        "anyOf": [
            ["type": ["string", "number", "boolean", "null"]],
            ["type": "array", "items": ["$ref": "#/$defs/query_value"]],
            ["type": "object", "additionalProperties": ["$ref": "#/$defs/query_value"]],
        ],
    ]

    /// A typed value only if the type prints the same text, so that `1.10`, `012` and `1_000` are sent unchanged.
    private static func scalar(_ text: String) -> QueryValue {
        if let number = Int64(text), String(number) == text { return .int(number) }
        if text == "true" || text == "false" { return .bool(text == "true") }
        if let number = Double(text), number.isFinite, String(number) == text { return .double(number) }
        return .string(text)
    }
}

extension ValueType where Value == [String: QueryValue] {
    /// The parameters of a resource's query.
    static let parameters: ValueType = ValueType<[NamedMember<QueryValue>]>
        .map(of: .query, "a map of query parameters")
        .map { members, _, reading in
            // The value of a placeholder is not a secret: it comes from the origin.
            for member in members where !member.value.holds("{cursor}") {
                reading.refuseSecretName(member.name, at: member.place)
            }
            return members.byName()
        }
}

extension Reading {
    /// Notes an unknown `{name}`.
    ///
    /// - Parameter known: allowed placeholders apart from the names that `for_each` binds.
    mutating func refusePlaceholder(in text: String, but known: Set<String> = [], at place: Place) -> Bool {
        guard let name = unknownPlaceholder(in: text, but: known) else { return false }
        let expected =
            placeholders.isEmpty
            ? "for_each: { resource: …, bind: { \(name): $.\(name) } }"
            : "one of \(known.union(placeholders).sorted().joined(separator: ", "))"
        fault("the placeholder '{\(name)}' of \(subject) is bound by nothing", at: place, expected: expected)
        return true
    }

    /// The first name in braces that nothing fills in; nil if there is none.
    func unknownPlaceholder(in text: String, but known: Set<String>) -> Substring? {
        let known = known.union(placeholders)
        return text.matches(of: /\{[A-Za-z_][A-Za-z0-9_]*\}/).map(\.output).first { !known.contains(String($0)) }?
            .dropFirst().dropLast()
    }

    /// Notes a query parameter named like a secret.
    mutating func refuseSecretName(_ name: String, at place: Place) {
        guard SecretNames.isSecret(queryName: name) else { return }
        fault(
            "the query parameter \(Subject.quoted(name))\(subject.inOwner) is a secret, which this file never holds",
            at: place, expected: "auth: { type: api_key, in: query, name: …, key: { env: NAME } } in the source")
    }
}
