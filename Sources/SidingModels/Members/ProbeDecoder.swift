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

extension ProbeTape {
    func bool(_ place: [String]) -> Bool { isVaried(place) }
    func text(_ place: [String]) -> String { isVaried(place) ? "b" : "a" }
    func integer<Value: FixedWidthInteger>(_ place: [String]) -> Value { isVaried(place) ? 2 : 1 }
    func real<Value: BinaryFloatingPoint>(_ place: [String]) -> Value { isVaried(place) ? 2.5 : 1.5 }
}

/// One value of any type.
struct ProbeValueContainer: SingleValueDecodingContainer {
    let tape: ProbeTape
    let place: [String]

    var codingPath: [any CodingKey] { place.map { ProbeKey($0) } }

    func decodeNil() -> Bool { tape.isTooDeep(place) }
    func decode(_ type: Bool.Type) -> Bool { tape.bool(place) }
    func decode(_ type: String.Type) -> String { tape.text(place) }
    func decode(_ type: Double.Type) -> Double { tape.real(place) }
    func decode(_ type: Float.Type) -> Float { tape.real(place) }
    func decode(_ type: Int.Type) -> Int { tape.integer(place) }
    func decode(_ type: Int8.Type) -> Int8 { tape.integer(place) }
    func decode(_ type: Int16.Type) -> Int16 { tape.integer(place) }
    func decode(_ type: Int32.Type) -> Int32 { tape.integer(place) }
    func decode(_ type: Int64.Type) -> Int64 { tape.integer(place) }
    func decode(_ type: UInt.Type) -> UInt { tape.integer(place) }
    func decode(_ type: UInt8.Type) -> UInt8 { tape.integer(place) }
    func decode(_ type: UInt16.Type) -> UInt16 { tape.integer(place) }
    func decode(_ type: UInt32.Type) -> UInt32 { tape.integer(place) }
    func decode(_ type: UInt64.Type) -> UInt64 { tape.integer(place) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try tape.decode(type, at: place) }
}
