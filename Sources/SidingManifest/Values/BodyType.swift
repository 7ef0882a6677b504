// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingJSON

extension ValueType where Value == [String: QueryValue] {
    /// The body of a POST that fetches.
    static let searchBody: ValueType = ValueType<[NamedMember<QueryValue>]>
        .map(of: .bodyValue, "a map such as { filter: { status: open } }", atLeast: 1)
        .map { members, _, reading in Reading.members(members, &reading) }
}

extension ValueType where Value == QueryValue {
    /// A value of a body, typed as written.
    fileprivate static let bodyValue: ValueType = ValueType(
        "text, a number, true, false, null, a list or a map", schema: ["$ref": "#/$defs/query_value"]
    ) { node, reading in
        switch node.content {
        case .scalar(let text, let isPlain):
            if node.isNull { return .null }
            if reading.refusePlaceholder(inBody: text, at: node.place) { return nil }
            return isPlain ? scalar(text, node, &reading) : .string(text)
        case .list(let nodes):
            return .array(nodes.compactMap { bodyValue.read($0, &reading) })
        case .map:
            let members = ValueType<[NamedMember<QueryValue>]>.map(of: bodyValue, "a map").read(node, &reading) ?? []
            return .object(Reading.members(members, &reading))
        }
    }

    /// A number if it is written like in JSON and a reader would not round it.
    private static func scalar(_ text: String, _ node: YAMLNode, _ reading: inout Reading) -> QueryValue? {
        if text == "true" || text == "false" { return .bool(text == "true") }
        if let number = Int64(text), String(number) == text { return .int(number) }
        guard (try? JSONDocument(text))?.kind == .number else { return .string(text) }
        guard let number = Double(text), number.isFinite, text.count(where: \.isNumber) <= 17 else {
            reading.fault(
                "\(reading.subject) is a number that would lose digits", at: node.place,
                expected: "fewer digits, or text in quotes")
            return nil
        }
        return .double(number)
    }
}

extension Reading {
    /// The members of one map of a body. Notes members named like a secret, unless their values are maps or lists, or contain a
    /// placeholder, whose value comes from the origin.
    fileprivate static func members(
        _ members: [NamedMember<QueryValue>], _ reading: inout Reading
    ) -> [String: QueryValue] {
        for member in members where member.value.isLiteral && SecretNames.isSecret(queryName: member.name) {
            reading.fault(
                "\(Subject.quoted(member.name))\(reading.subject.inOwner) is a secret, which this file never holds",
                at: member.place, expected: "auth: in the source")
        }
        return members.byName()
    }

    /// Notes placeholders in a body that this release does not fill in.
    fileprivate mutating func refusePlaceholder(inBody text: String, at place: Place) -> Bool {
        guard let word = unknownPlaceholder(in: text, but: ["{cursor}", "{until}"]) else { return false }
        fault(
            "the placeholder '{\(word)}' of \(subject) is not yet supported", at: place,
            expected: "{cursor} or {until}; for braces that are sent, a space inside them: '{ \(word) }'")
        return true
    }
}

extension QueryValue {
    fileprivate var isLiteral: Bool {
        switch self {
        case .string: !holds("{cursor}")
        case .int, .double, .bool: true
        case .array, .object, .null: false
        }
    }
}
