// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingSynchronization

/// A value that is encoded with the elements of its sets and dictionaries in a fixed order, at any depth, so that equal values
/// have equal bytes.
struct OrderedValue<Value: Encodable>: Encodable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        if let unordered = value as? any UnorderedValue { return try unordered.encodeInOrder(to: encoder) }
        guard value is any OneValue else { return try value.encode(to: OrderedEncoder(encoder)) }
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A value that `JSONEncoder` writes as one, by its strategies; another encoder between would hide what it is.
private protocol OneValue {}
extension Bool: OneValue {}
extension String: OneValue {}
extension Double: OneValue {}
extension Float: OneValue {}
extension Int: OneValue {}
extension Int8: OneValue {}
extension Int16: OneValue {}
extension Int32: OneValue {}
extension Int64: OneValue {}
extension Int128: OneValue {}
extension UInt: OneValue {}
extension UInt8: OneValue {}
extension UInt16: OneValue {}
extension UInt32: OneValue {}
extension UInt64: OneValue {}
extension UInt128: OneValue {}
extension Date: OneValue {}
extension Data: OneValue {}
extension URL: OneValue {}
extension Decimal: OneValue {}

/// A collection whose order is another in each value, although the values are equal.
protocol UnorderedValue {
    func encodeInOrder(to encoder: any Encoder) throws
}

extension Set: UnorderedValue where Element: Encodable {
    func encodeInOrder(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in try inOrder(encoder, by: { $0 }) { try container.encode(OrderedValue(element)) }
    }
}

extension Dictionary: UnorderedValue where Key: Encodable, Value: Encodable {
    /// Whether it is an object in JSON, whose members the encoder sorts.
    private static var isObject: Bool {
        Key.self is String.Type || Key.self is Int.Type || Key.self is any CodingKeyRepresentable.Type
    }

    func encodeInOrder(to encoder: any Encoder) throws {
        // An empty dictionary can be cast to one with any keys.
        if Key.self is String.Type, let texts = self as? [String: Value] {
            // As itself, as its keys are no coding keys, whose names a strategy may change.
            var container = encoder.singleValueContainer()
            return try container.encode(texts.mapValues { OrderedValue($0) })
        }
        guard !Self.isObject else { return try encode(to: OrderedEncoder(encoder)) }
        var container = encoder.unkeyedContainer()
        for (key, value) in try inOrder(encoder, by: \.key) {
            try container.encode(OrderedValue(key))
            try container.encode(OrderedValue(value))
        }
    }
}

extension Collection {
    /// The elements in the order of the bytes of a part of each.
    fileprivate func inOrder(_ encoder: any Encoder, by part: (Element) -> some Encodable) throws -> [Element] {
        guard count > 1 else { return Array(self) }
        let known = CodingUserInfoKey.ofElements.flatMap { encoder.userInfo[$0] as? ElementEncoder }
        let coder = (known ?? ElementEncoder(.standard)).encoder
        return try map { (bytes: Array(try coder.encode([OrderedValue(part($0))])), element: $0) }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.element)
    }
}

/// Makes the encoder for the elements of sets once it is needed. It is of the same form as the one that writes the set.
final class ElementEncoder: Sendable {
    private let coding: RecordCoding
    private let made = Mutex<JSONEncoder?>(nil)

    init(_ coding: RecordCoding) {
        self.coding = coding
    }

    var encoder: JSONEncoder {
        made.withLock { made in
            if let made { return made }
            let encoder = coding.encoder()
            made = encoder
            return encoder
        }
    }
}

extension CodingUserInfoKey {
    /// The ``ElementEncoder`` of an encoder, whose bytes give the elements of a set their order.
    static let ofElements = CodingUserInfoKey(rawValue: "siding.elements")
}
