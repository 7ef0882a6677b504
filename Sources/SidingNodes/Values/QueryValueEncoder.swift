// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
package import SidingChain
internal import SidingSynchronization

/// Converts an `Encodable` value to a `QueryValue`, so that one type serves JSON, queries, forms and header fields.
///
/// Integers stay integers, and those beyond `Int64` become text; Booleans stay Booleans. A nil member is `QueryValue.null`,
/// which `QueryEncoding.nulls` handles. A `Date` becomes ISO 8601 text in UTC, `Data` Base64, a `URL` its text, a `Decimal`
/// its digits.
package struct QueryValueEncoder: Sendable {
    /// How dates are written.
    enum DateStrategy: Sendable {
        /// `2026-03-01T09:05:00Z`
        case iso8601
        /// `Sun, 01 Mar 2026 09:05:00 GMT`
        case httpDate
    }

    let dates: DateStrategy

    package init() {
        dates = .iso8601
    }

    init(dates: DateStrategy) {
        self.dates = dates
    }

    /// The value as a tree.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` that names the type and coding path of a value that cannot be encoded: a
    ///   number that is not finite, a date outside the years 1 to 9999. Errors of user code are `Failure.Reason.userCode`.
    package func encode<Value: Encodable>(_ value: Value) throws(Failure) -> QueryValue {
        let root = QueryValueSlot()
        do {
            try QueryValueElement(root, at: [], dates: dates).encode(value)
            return try root.value(at: [])
        } catch {
            throw Failure.unencodable(error, in: Value.self)
        }
    }

    /// The members of a value, which must be an object.
    ///
    /// - Parameter purpose: what the members are for, such as "form fields"; used in the error.
    func members<Value: Encodable>(of value: Value, for purpose: String) throws(Failure) -> [String: QueryValue] {
        let root = try encode(value)
        guard case .object(let members) = root else {
            throw Failure(
                .invalidRequest, phase: .notSent,
                detail: "\(Value.self) cannot be sent as \(purpose): its root is \(root.kind), and each of them needs "
                    + "a name; wrap it in an object")
        }
        return members
    }
}

/// Encodes one value: creates containers over its slot, or writes a single value into it.
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

    // Without these two, the default methods, which throw, would be chosen over the generic one below.
    func encode(_ value: Int128) throws { slot.set(Self.integer(value)) }
    func encode(_ value: UInt128) throws { slot.set(Self.integer(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        if let scalar = try scalar(value) { slot.set(scalar) } else { try value.encode(to: self) }
    }

    /// The single value for `value`; nil if it encodes itself.
    private func scalar(_ value: some Encodable) throws -> QueryValue? {
        switch value {
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as any FixedWidthInteger & Sendable: Self.integer(number)
        case let number as Double: try finite(number)
        // Converted by its digits: 0.1 stays 0.1 in Double's greater precision.
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
