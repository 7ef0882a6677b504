// SPDX-License-Identifier: Apache-2.0
/// Decodes a model from the made-up values of a ``ProbeTape``.
struct ProbeDecoder: Decoder {
    let tape: ProbeTape
    let place: [String]

    var codingPath: [any CodingKey] { place.map { ProbeKey($0) } }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        tape.note(type, at: place)
        return KeyedDecodingContainer(ProbeKeyedContainer<Key>(tape: tape, place: place))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        ProbeUnkeyedContainer(tape: tape, place: place, count: tape.isVaried(place) ? 1 : 0)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        ProbeValueContainer(tape: tape, place: place)
    }
}

struct ProbeKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(stringValue: String) {
        self.init(stringValue)
    }

    init?(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// One value of any type.
struct ProbeValueContainer: SingleValueDecodingContainer {
    let tape: ProbeTape
    let place: [String]

    var codingPath: [any CodingKey] { place.map { ProbeKey($0) } }

    func decodeNil() -> Bool { tape.isTooDeep(place) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try tape.decode(type, at: place) }
}
