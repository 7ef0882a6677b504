// SPDX-License-Identifier: Apache-2.0
/// Passes all that a value encodes to another encoder, each part as an ``OrderedValue``.
struct OrderedEncoder: Encoder {
    private let base: any Encoder

    init(_ base: any Encoder) {
        self.base = base
    }

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(OrderedMembers(base: base.container(keyedBy: type)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { OrderedElements(base: base.unkeyedContainer()) }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        OrderedSingle(base: base.singleValueContainer())
    }
}

private struct OrderedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var base: KeyedEncodingContainer<Key>

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try base.encodeNil(forKey: key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try base.encode(OrderedValue(value), forKey: key)
    }

    // What most members are needs no look at its type.
    mutating func encode(_ value: Bool, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: String, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try base.encode(value, forKey: key) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try base.encode(value, forKey: key) }

    // The library has a method of its own for these, which throws.
    mutating func encode(_ value: Int128, forKey key: Key) throws { try base.encode(OrderedValue(value), forKey: key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { try base.encode(OrderedValue(value), forKey: key) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(OrderedMembers<Nested>(base: base.nestedContainer(keyedBy: type, forKey: key)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        OrderedElements(base: base.nestedUnkeyedContainer(forKey: key))
    }

    mutating func superEncoder() -> any Encoder { OrderedEncoder(base.superEncoder()) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { OrderedEncoder(base.superEncoder(forKey: key)) }
}

private struct OrderedElements: UnkeyedEncodingContainer {
    var base: any UnkeyedEncodingContainer

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int { base.count }

    mutating func encodeNil() throws { try base.encodeNil() }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try base.encode(OrderedValue(value)) }

    // What most members are needs no look at its type.
    mutating func encode(_ value: Bool) throws { try base.encode(value) }
    mutating func encode(_ value: String) throws { try base.encode(value) }
    mutating func encode(_ value: Double) throws { try base.encode(value) }
    mutating func encode(_ value: Int) throws { try base.encode(value) }

    // The library has a method of its own for these, which throws.
    mutating func encode(_ value: Int128) throws { try base.encode(OrderedValue(value)) }
    mutating func encode(_ value: UInt128) throws { try base.encode(OrderedValue(value)) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(OrderedMembers<Nested>(base: base.nestedContainer(keyedBy: type)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        OrderedElements(base: base.nestedUnkeyedContainer())
    }

    mutating func superEncoder() -> any Encoder { OrderedEncoder(base.superEncoder()) }
}

private struct OrderedSingle: SingleValueEncodingContainer {
    var base: any SingleValueEncodingContainer

    var codingPath: [any CodingKey] { base.codingPath }

    mutating func encodeNil() throws { try base.encodeNil() }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try base.encode(OrderedValue(value)) }
    // What most members are needs no look at its type.
    mutating func encode(_ value: Bool) throws { try base.encode(value) }
    mutating func encode(_ value: String) throws { try base.encode(value) }
    mutating func encode(_ value: Double) throws { try base.encode(value) }
    mutating func encode(_ value: Int) throws { try base.encode(value) }

    // The library has a method of its own for these, which throws.
    mutating func encode(_ value: Int128) throws { try base.encode(OrderedValue(value)) }
    mutating func encode(_ value: UInt128) throws { try base.encode(OrderedValue(value)) }
}
