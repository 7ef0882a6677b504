// SPDX-License-Identifier: Apache-2.0
extension ValueType {
    /// A list with at least one `item`.
    static func list<Item: Sendable>(
        of item: ValueType<Item>, _ expected: String
    ) -> ValueType where Value == [Item] {
        let schema: SchemaValue = ["type": "array", "items": item.schema, "minItems": 1]
        return ValueType(expected, schema: schema) { node, reading in
            guard case .list(let nodes) = node.content else { return reading.refuse(node, expected: expected) }
            guard !nodes.isEmpty else {
                reading.fault("\(reading.subject) is an empty list", at: node.place, expected: expected)
                return nil
            }
            let list = reading.subject
            let items = nodes.enumerated().map { index, node in
                reading.about(list.item(index + 1, at: node.place)) { item.read(node, &$0) }
            }
            let values = items.compactMap { $0 }
            return values.count == nodes.count ? values : nil
        }
    }

    /// One `item` or a list of them.
    static func oneOrMore<Item: Sendable>(
        _ item: ValueType<Item>, _ expected: String
    ) -> ValueType where Value == [Item] {
        let list = ValueType<[Item]>.list(of: item, expected)
        return ValueType(expected, schema: ["anyOf": [item.schema, list.schema]]) { node, reading in
            if case .list = node.content { return list.read(node, &reading) }
            return item.read(node, &reading).map { [$0] }
        }
    }

    /// A map from names to `member`s, in file order; omits invalid members, which are noted.
    ///
    /// - Parameters:
    ///   - kind: what a member is called in faults, before its name; by default it is a key in the map.
    ///   - check: checks all names, also those of invalid members.
    static func map<Member: Sendable>(
        of member: ValueType<Member>, _ expected: String, atLeast: Int = 0, each kind: String? = nil,
        checkingNames check: @escaping @Sendable ([YAMLEntry], inout Reading) -> Void = { _, _ in }
    ) -> ValueType where Value == [NamedMember<Member>] {
        let schema: SchemaValue = [
            "type": "object", "additionalProperties": member.schema, "minProperties": .integer(atLeast),
        ]
        return ValueType(expected, schema: schema) { node, reading in
            guard case .map(let entries) = node.content else { return reading.refuse(node, expected: expected) }
            if entries.count < atLeast {
                reading.fault("\(reading.subject) is empty", at: node.place, expected: expected)
                return nil
            }
            let map = reading.subject
            let members = entries.compactMap { entry in
                let subject =
                    kind.map { Subject(key: nil, owner: "\($0) \(Subject.quoted(entry.name))", place: entry.place) }
                    ?? map.member(entry.name, at: entry.place)
                return reading.about(subject) { reading in
                    member.read(entry.value, &reading).map {
                        NamedMember(name: entry.name, place: entry.place, value: $0)
                    }
                }
            }
            check(entries, &reading)
            return members
        }
    }
}

/// A member of a map whose names the user chooses.
struct NamedMember<Value: Sendable>: Sendable {
    let name: String
    let place: Place
    let value: Value
}

extension Array {
    /// The values of the members by their names; the first of two equal names counts.
    func byName<Value>() -> [String: Value] where Element == NamedMember<Value> {
        Dictionary(map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The positions of the members by their names.
    func placesByName<Value>() -> [String: Place] where Element == NamedMember<Value> {
        Dictionary(map { ($0.name, $0.place) }) { first, _ in first }
    }
}
