/// Passes everything on to the decoder that it stands for, and watches each value that has no parts.
///
/// The generic methods stand for those of every single type as well.
struct TracingDecoder: Decoder {
    let base: any Decoder
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TracingKeyedContainer(base: try base.container(keyedBy: type), trace: trace))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingUnkeyedContainer(base: try base.unkeyedContainer(), trace: trace)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        TracingValueContainer(base: try base.singleValueContainer(), trace: trace)
    }
}

private struct TracingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }
    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if TracedType.hasStrategy(type) {
            return try trace.watching(type, at: codingPath + [key]) { try base.decode(type, forKey: key) }
        }
        return try base.decode(Traced<Value>.self, forKey: key).value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        let nested = try base.nestedContainer(keyedBy: type, forKey: key)
        return KeyedDecodingContainer(TracingKeyedContainer<Nested>(base: nested, trace: trace))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        TracingUnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: key), trace: trace)
    }

    func superDecoder() throws -> any Decoder { TracingDecoder(base: try base.superDecoder(), trace: trace) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        TracingDecoder(base: try base.superDecoder(forKey: key), trace: trace)
    }
}

private struct TracingUnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }
    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if TracedType.hasStrategy(type) {
            return try trace.watching(type, at: codingPath + [IndexKey(index: currentIndex)]) { try base.decode(type) }
        }
        return try base.decode(Traced<Value>.self).value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(TracingKeyedContainer(base: try base.nestedContainer(keyedBy: type), trace: trace))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingUnkeyedContainer(base: try base.nestedUnkeyedContainer(), trace: trace)
    }

    mutating func superDecoder() throws -> any Decoder {
        TracingDecoder(base: try base.superDecoder(), trace: trace)
    }
}

private struct TracingValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let trace: DecodingTrace

    var codingPath: [any CodingKey] { base.codingPath }
    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if TracedType.hasStrategy(type) {
            return try trace.watching(type, at: codingPath) { try base.decode(type) }
        }
        return try base.decode(Traced<Value>.self).value
    }
}

private struct IndexKey: CodingKey {
    let index: Int
    var intValue: Int? { index }
    var stringValue: String { "Index \(index)" }

    init(index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { return nil }
}
