internal import FoundationEssentials

/// The encoder of one value: hands out containers over its slot, or writes a single value there.
struct QueryValueElement: Encoder, SingleValueEncodingContainer {
    private let slot: QueryValueSlot
    private let dates: QueryValueEncoder.DateStrategy
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ slot: QueryValueSlot, at codingPath: [any CodingKey], dates: QueryValueEncoder.DateStrategy) {
        (self.slot, self.codingPath, self.dates) = (slot, codingPath, dates)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(QueryValueKeyedContainer(slot, at: codingPath, dates: dates))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        QueryValueUnkeyedContainer(slot, at: codingPath, dates: dates)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() throws { slot.set(.null) }

    // The default of these two throws, and would be taken before the generic method below.
    func encode(_ value: Int128) throws { slot.set(Self.integer(value)) }
    func encode(_ value: UInt128) throws { slot.set(Self.integer(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        if let scalar = try scalar(value) { slot.set(scalar) } else { try value.encode(to: self) }
    }

    /// The single value that stands for `value`, or nil where it writes itself.
    private func scalar(_ value: some Encodable) throws -> QueryValue? {
        switch value {
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as any FixedWidthInteger & Sendable: Self.integer(number)
        case let number as Double: try finite(number)
        // By way of its digits: 0.1 stays 0.1 in Double's greater precision.
        case let number as Float: try finite(Double(number.description) ?? Double(number))
        case let date as Date: .string(try text(of: date))
        case let data as Data: .string(data.base64EncodedString())
        case let url as URL: .string(url.absoluteString)
        case let decimal as Decimal: .string(try digits(of: decimal))
        default: nil
        }
    }

    private static func integer(_ number: some FixedWidthInteger) -> QueryValue {
        Int64(exactly: number).map(QueryValue.int) ?? .string(String(number))
    }

    private func finite(_ number: Double) throws -> QueryValue {
        guard number.isFinite else {
            throw UnencodableValue(type: "number", path: codingPath, why: "is not finite")
        }
        return .double(number)
    }

    private func digits(of decimal: Decimal) throws -> String {
        guard decimal.isFinite else {
            throw UnencodableValue(type: "Decimal", path: codingPath, why: "is not finite")
        }
        return decimal.description
    }

    private func text(of date: Date) throws -> String {
        guard let utc = UTCDate(secondsSince1970: date.timeIntervalSince1970) else {
            throw UnencodableValue(type: "Date", path: codingPath, why: "lies outside the years 1 to 9999")
        }
        return switch dates {
        case .iso8601: utc.iso8601
        case .httpDate: utc.httpDate
        }
    }
}
