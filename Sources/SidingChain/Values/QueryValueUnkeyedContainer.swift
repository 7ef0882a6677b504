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

    // The default of these two throws, and would be taken before the generic method below.
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
