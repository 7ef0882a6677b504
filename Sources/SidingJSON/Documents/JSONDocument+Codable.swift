// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// A document as a member of a `Codable` model: JSON whose type the program does not know.
///
/// The value is kept, not the bytes: names are sorted, and numbers are written anew. As the whole body of a request or response a
/// document stays as it is.
extension JSONDocument: Codable {
    /// - Throws: for numbers beyond 38 digits or the exponents of `Decimal`, as decoders cannot tell such a number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self.init(bool: value)
        } else if let number = try? container.decode(Int64.self) {
            self.init(integer: number)
        } else if let number = try? container.decode(UInt64.self) {
            self.init(integer: number)
        } else if let number = (try? container.decode(Decimal.self)).flatMap({ JSONDocument(decimal: $0) }) {
            self = number
        } else if let text = try? container.decode(String.self) {
            self.init(string: text)
        } else if let elements = try? container.decode([JSONDocument].self) {
            self.init(array: elements)
        } else {
            // Names in a dictionary are not converted by a coder's key strategy.
            self.init(object: try container.decode([String: JSONDocument].self))
        }
    }

    /// - Throws: for numbers beyond 38 digits or the exponents of `Decimal`, and for two names that are equal to Swift.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let members {
            let dictionary = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
            guard dictionary.count == members.count else {
                throw unencodable("two names are the same to Swift", encoder)
            }
            try container.encode(dictionary)
        } else if let elements {
            try container.encode(elements)
        } else if let string {
            try container.encode(string)
        } else if let bool {
            try container.encode(bool)
        } else if let digits {
            if let number = Int64(digits) { return try container.encode(number) }
            if let number = UInt64(digits) { return try container.encode(number) }
            guard let number = Decimal(string: digits), JSONDocument(decimal: number)?.isEquivalent(to: self) == true
            else {
                throw unencodable("a number that Decimal cannot hold", encoder)
            }
            try container.encode(number)
        } else {
            try container.encodeNil()
        }
    }

    private init?(decimal number: Decimal) {
        guard !number.isNaN else { return nil }
        self.init(kind: .number, checked: Array(number.description.utf8)[...])
    }

    private func unencodable(_ reason: String, _ encoder: any Encoder) -> EncodingError {
        .invalidValue(self, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: reason))
    }
}
