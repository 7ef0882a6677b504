// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// A node of the tree that an `Encodable` value writes itself into.
///
/// A value that asks for two kinds of containers at one place has no single form. Asking for a container cannot throw, so the
/// error is kept and thrown when the tree is read.
final class QueryValueSlot {
    private enum Kind {
        case empty, scalar, list, object, muddled
    }

    private var kind = Kind.empty
    private var scalar = QueryValue.null
    private var items: [QueryValueSlot] = []
    private var members: [String: QueryValueSlot] = [:]

    /// The current number of list items.
    var count: Int { items.count }

    /// Makes this node a single value.
    func set(_ value: QueryValue) {
        kind = kind == .empty ? .scalar : .muddled
        scalar = value
    }

    /// Makes this node an object, if it is not one already.
    func openObject() {
        kind = kind == .empty || kind == .object ? .object : .muddled
    }

    /// Makes this node a list, if it is not one already.
    func openList() {
        kind = kind == .empty || kind == .list ? .list : .muddled
    }

    /// Appends a new list item.
    func append() -> QueryValueSlot {
        let slot = QueryValueSlot()
        items.append(slot)
        return slot
    }

    /// A new member `name`; replaces an earlier one.
    func replace(_ name: String) -> QueryValueSlot {
        let slot = QueryValueSlot()
        members[name] = slot
        return slot
    }

    /// The member `name`. Nested containers may ask for it more than once.
    func member(_ name: String) -> QueryValueSlot {
        members[name] ?? replace(name)
    }

    /// The encoded value; a value that wrote nothing is an empty object.
    func value(at path: [any CodingKey]) throws -> QueryValue {
        switch kind {
        case .empty: return .object([:])
        case .scalar: return scalar
        case .list:
            return .array(
                try items.enumerated().map { index, item in
                    try item.value(at: path + [CodingPathKey(intValue: index)])
                })
        case .object:
            var values: [String: QueryValue] = [:]
            for (name, slot) in members {
                values[name] = try slot.value(at: path + [CodingPathKey(stringValue: name)])
            }
            return .object(values)
        case .muddled:
            throw UnencodableValue(type: "value", path: path, why: "wrote itself in two kinds of containers at once")
        }
    }
}

/// Writes the members of an object.
///
/// A nil member is written as null, while the default methods would leave it out, because the null strategy decides whether it
/// is sent. Each method must be overridden for that.
struct QueryValueKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let slot: QueryValueSlot
    private let dates: QueryValueEncoder.DateStrategy
    let codingPath: [any CodingKey]

    init(_ slot: QueryValueSlot, at codingPath: [any CodingKey], dates: QueryValueEncoder.DateStrategy) {
        (self.slot, self.codingPath, self.dates) = (slot, codingPath, dates)
        slot.openObject()
    }

    mutating func encodeNil(forKey key: Key) throws { slot.replace(key.stringValue).set(.null) }

    // Without these two, the default methods, which throw, would be chosen over the generic one below.
    mutating func encode(_ value: Int128, forKey key: Key) throws { try put(value, key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try put(value, key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try put(value, key)
    }

    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try put(value, key) }
    mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try put(value, key) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        element(slot.member(key.stringValue), key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        element(slot.member(key.stringValue), key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        let key = CodingPathKey(stringValue: "super")
        return element(slot.member(key.stringValue), key)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        element(slot.member(key.stringValue), key)
    }

    private func put<Value: Encodable>(_ value: Value, _ key: Key) throws {
        try element(slot.replace(key.stringValue), key).encode(value)
    }

    private func element(_ slot: QueryValueSlot, _ key: any CodingKey) -> QueryValueElement {
        QueryValueElement(slot, at: codingPath + [key], dates: dates)
    }
}

/// Writes the items of a list.
struct QueryValueUnkeyedContainer: UnkeyedEncodingContainer {
    private let slot: QueryValueSlot
    private let dates: QueryValueEncoder.DateStrategy
    let codingPath: [any CodingKey]
    var count: Int { slot.count }

    init(_ slot: QueryValueSlot, at codingPath: [any CodingKey], dates: QueryValueEncoder.DateStrategy) {
        (self.slot, self.codingPath, self.dates) = (slot, codingPath, dates)
        slot.openList()
    }

    mutating func encodeNil() throws { slot.append().set(.null) }

    // Without these two, the default methods, which throw, would be chosen over the generic one below.
    mutating func encode(_ value: Int128) throws { try next().encode(value) }
    mutating func encode(_ value: UInt128) throws { try next().encode(value) }

    mutating func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        next().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { next() }

    private func next() -> QueryValueElement {
        let key = CodingPathKey(intValue: slot.count)
        return QueryValueElement(slot.append(), at: codingPath + [key], dates: dates)
    }
}
