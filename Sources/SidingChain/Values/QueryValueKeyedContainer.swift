/// Writes the members of an object.
///
/// A nil member is written as null, where the library's own methods would leave it out: whether it is sent is for the
/// null strategy to say. Each of them has to be taken over one by one for that.
struct QueryValueKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let slot: QueryValueSlot
    private let dates: QueryValueEncoder.DateStrategy
    let codingPath: [any CodingKey]

    init(_ slot: QueryValueSlot, at codingPath: [any CodingKey], dates: QueryValueEncoder.DateStrategy) {
        (self.slot, self.codingPath, self.dates) = (slot, codingPath, dates)
        slot.openObject()
    }

    mutating func encodeNil(forKey key: Key) throws { slot.replace(key.stringValue).set(.null) }

    // The default of these two throws, and would be taken before the generic method below.
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
