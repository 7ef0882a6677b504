// SPDX-License-Identifier: Apache-2.0
/// The members of a made-up object, which has every member.
struct ProbeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tape: ProbeTape
    let place: [String]

    var codingPath: [any CodingKey] { place.map { ProbeKey($0) } }

    /// For dictionaries: one entry at the varied path, none elsewhere.
    var allKeys: [Key] { tape.isVaried(place) ? [Key(stringValue: "key")].compactMap { $0 } : [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { tape.isTooDeep(at(key)) }
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

    var codingPath: [any CodingKey] { place.map { ProbeKey($0) } }
    var isAtEnd: Bool { currentIndex >= count ?? 0 }

    mutating func decodeNil() -> Bool { false }
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
