// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingSynchronization

/// Encodes models of a type, equal ones as equal bytes.
struct ModelEncoder<Model: Codable> {
    private let encoder: JSONEncoder
    /// Whether values of the type may hold sets, whose elements are in no fixed order.
    private let isUnordered: Bool

    init(_ coding: RecordCoding) {
        encoder = coding.encoder()
        isUnordered = UnorderedTypes.mayBe(in: Model.self)
    }

    func encode(_ model: Model) throws -> Data {
        isUnordered ? try encoder.encode(OrderedValue(model)) : try encoder.encode(model)
    }

    /// The model as the only element of an array.
    func encodeInArray(_ model: Model) throws -> Data {
        isUnordered ? try encoder.encode([OrderedValue(model)]) : try encoder.encode([model])
    }
}

/// Finds out whether a type may hold collections without an order.
private enum UnorderedTypes {
    /// What was found out: it never changes.
    private static let most = 500
    private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

    static func mayBe<Model: Decodable>(in type: Model.Type) -> Bool {
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        var seen: Set<ObjectIdentifier> = []
        let found = mayBe(in: type, &seen)
        known.withLock { $0[id] = found }
        return found
    }

    /// Decodes made-up values, as the members of a type have no list. Types that cannot be made up may hold anything.
    private static func mayBe(in type: any Any.Type, _ seen: inout Set<ObjectIdentifier>) -> Bool {
        guard seen.insert(ObjectIdentifier(type)).inserted else { return false }
        // A generic type may hold ever new types of itself.
        guard seen.count <= most else { return true }
        if let unordered = type as? any UnorderedValue.Type {
            return !unordered.isObject || unordered.parts.contains { mayBe(in: $0, &seen) }
        }
        if let list = type as? any ListOfParts.Type { return mayBe(in: list.part, &seen) }
        guard let model = type as? any Decodable.Type else { return true }
        let tape = ProbeTape(varying: nil)
        guard (try? tape.decode(model)) != nil, !tape.isIncomplete else { return true }
        return tape.types.contains { mayBe(in: $0, &seen) }
    }
}

/// A collection in order, or an optional value.
protocol ListOfParts {
    static var part: any Any.Type { get }
}

extension Array: ListOfParts {
    static var part: any Any.Type { Element.self }
}

extension Optional: ListOfParts {
    static var part: any Any.Type { Wrapped.self }
}
