// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import Siding

extension ValueType where Value == JSONPath {
    /// A path to one value: `$.a.b`.
    static let path = paths("a JSON path such as $.meta.next", allowing: [])

    /// A path to the elements of an array: `$.items[*]`, or `$[*]`.
    static let elements = paths("a JSON path such as $.items[*]", allowing: [.each])

    /// Where the records of a page are: as ``elements``, the members of an object (`$.items.*`), or `lines`.
    static let records = paths("a JSON path such as $.items[*], or lines", allowing: [.each, .child, .line])

    /// A path to any values: `$.errors[*].code`.
    static let values = paths("a JSON path such as $.error.code", allowing: [.each], allowsInnerEach: true)

    /// A part of a record's key: a member's name, or a path to one value.
    static let keyPart = ValueType("a name such as id, or a JSON path such as $.meta.id", schema: .anyScalar) {
        node, reading in
        guard let text = text.read(node, &reading) else { return nil }
        if text == JSONPath.memberName.description { return .memberName }
        return text.hasPrefix("$") ? parse(text, allowing: [], node, &reading) : JSONPath(member: text)
    }

    private static let text = ValueType<String>.text(
        "a name such as id, [name, name], or a JSON path such as $.meta.id")

    private static func paths(
        _ expected: String, allowing several: [JSONPath.Component], allowsInnerEach: Bool = false
    ) -> ValueType {
        let text = ValueType<String>.text(expected)
        let lines = several.contains(.line) ? JSONPath.lines : nil
        let pattern = lines.map { "^(\\$|\($0)$)" } ?? "^\\$"
        return ValueType(expected, schema: ["type": "string", "pattern": .string(pattern)]) { node, reading in
            text.read(node, &reading).flatMap {
                if let lines, $0 == lines.description { return lines }
                return parse($0, allowing: several, allowsInnerEach: allowsInnerEach, node, &reading)
            }
        }
    }

    private static func parse(
        _ text: String, allowing several: [JSONPath.Component], allowsInnerEach: Bool = false, _ node: YAMLNode,
        _ reading: inout Reading
    ) -> JSONPath? {
        do {
            let path = try JSONPath(parsing: text, allowsInnerEach: allowsInnerEach)
            if ![.each, .child].contains(where: { path.components.contains($0) && !several.contains($0) }) {
                return path
            }
            let message = "\(reading.subject) is \(Subject.quoted(text)), which means several values"
            let expected = several.isEmpty ? "a JSON path to one value, without [*]" : "a JSON path such as $.a[*]"
            reading.fault(message, at: node.place, expected: expected)
        } catch {
            let suggestion = text.hasPrefix("$") || text.contains(" ") ? nil : "$." + text
            let message = "\(reading.subject): \(error)"
            reading.fault(message, at: node.place, expected: "a JSON path such as $.a.b", suggestion: suggestion)
        }
        return nil
    }
}

extension ValueType where Value == [JSONPath] {
    /// One part, or a list of parts for a composite key.
    static let recordKey = ValueType(
        "a name such as id, a list [name, name], or a JSON path such as $.meta.id",
        schema: ["anyOf": [.anyScalar, parts.schema]]
    ) { node, reading in
        if case .list = node.content { return parts.read(node, &reading) }
        return ValueType<JSONPath>.keyPart.read(node, &reading).map { [$0] }
    }

    private static let parts = ValueType.list(of: .keyPart, "a list of names or JSON paths")
}
