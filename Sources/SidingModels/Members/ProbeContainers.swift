/// The members of a made-up object, which has every member.
struct ProbeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: ProbeTape
    let place: [String]

    var codingPath: [any CodingKey] { place.map { ProbeKey($0) } }

    /// For dictionaries: one entry at the varied path, none elsewhere.
    var allKeys: [Key] { tape.isVaried(place) ? [Key(stringValue: "key")].compactMap { $0 } : [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { tape.isTooDeep(at(key)) }
    func decode(_ type: Bool.Type, forKey key: Key) -> Bool { value(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) -> String { value(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) -> Double { value(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) -> Float { value(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) -> Int { value(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) -> Int8 { value(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) -> Int16 { value(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) -> Int32 { value(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { value(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) -> UInt { value(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) -> UInt8 { value(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) -> UInt16 { value(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) -> UInt32 { value(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) -> UInt64 { value(key).decode(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try value(key).decode(type) }

    /// An optional member is nil if its type cannot be made up, so that the other members can still be searched.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        tape.isTooDeep(at(key)) ? nil : try? decode(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { decoder(key).unkeyedContainer() }
    func superDecoder() -> any Decoder { ProbeDecoder(tape: tape, place: place + ["super"]) }
    func superDecoder(forKey key: Key) -> any Decoder { decoder(key) }

    private func at(_ key: Key) -> [String] { place + [key.stringValue] }
    private func value(_ key: Key) -> ProbeValueContainer { ProbeValueContainer(tape: tape, place: at(key)) }
    private func decoder(_ key: Key) -> ProbeDecoder { ProbeDecoder(tape: tape, place: at(key)) }
}

/// The elements of a made-up array: one at the varied path, none elsewhere.
///
/// A model that decodes more elements fails, as with a real array that is too short.
struct ProbeUnkeyedContainer: UnkeyedDecodingContainer {
    let tape: ProbeTape
    let place: [String]
    let count: Int?
    var currentIndex = 0

    init(tape: ProbeTape, place: [String], count: Int) {
        (self.tape, self.place, self.count) = (tape, place, count)
    }

    var codingPath: [any CodingKey] { place.map { ProbeKey($0) } }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    mutating func decodeNil() -> Bool { false }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try next().decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try next().decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try next().decode(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try next().decode(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try next().decode(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next().decode(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next().decode(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next().decode(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next().decode(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next().decode(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next().decode(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next().decode(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next().decode(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next().decode(type) }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { ProbeDecoder(tape: tape, place: try next().place) }

    private mutating func next() throws -> ProbeValueContainer {
        guard !isAtEnd else { throw ProbeRefusal(type: "an array", place: place) }
        defer { currentIndex += 1 }
        return ProbeValueContainer(tape: tape, place: place + ["[\(currentIndex)]"])
    }
}
