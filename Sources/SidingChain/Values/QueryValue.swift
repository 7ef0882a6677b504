// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// A value of a query parameter, typed so that nothing turns into `Optional(3)` or `<null>` on the wire.
public indirect enum QueryValue: Sendable, Hashable {
    /// A text, percent-encoded when it is written.
    case string(String)
    /// A whole number, as decimal digits.
    case int(Int64)
    /// A number with a fraction, in the shortest form that reads back as the same number: `0.1`, `1e+20`.
    case double(Double)
    /// A truth value; ``QueryEncoding/bools`` decides between `1` and `true`.
    case bool(Bool)
    /// A list; ``QueryEncoding/arrays`` decides its form. An empty one is left out.
    case array([QueryValue])
    /// An object; ``QueryEncoding/dictionaries`` decides its form. An empty one is left out.
    case object([String: QueryValue])
    /// No value; ``QueryEncoding/nulls`` decides whether the name is written.
    case null
}

extension QueryValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: QueryValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, QueryValue)...) {
        self = .object(Dictionary(elements) { _, later in later })
    }
    public init(nilLiteral: ()) { self = .null }
}

extension QueryValue {
    /// Whether the value is neither a list nor an object.
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        case .string, .int, .double, .bool, .null: true
        }
    }

    /// The kind of the value, for error messages.
    package var kind: String {
        switch self {
        case .array: "a list"
        case .object: "an object"
        case .null: "null"
        case .string: "a text"
        case .int, .double: "a number"
        case .bool: "a truth value"
        }
    }
}

extension QueryValue {
    /// The value of a document. A number that neither `Int64` nor `Double` holds exactly becomes its digits as text.
    package init(_ document: JSONDocument) {
        if let elements = document.elements {
            self = .array(elements.map { QueryValue($0) })
        } else if let members = document.members {
            self = .object(Dictionary(members.map { ($0.name, QueryValue($0.value)) }) { _, later in later })
        } else if let text = document.string {
            self = .string(text)
        } else if let digits = document.digits {
            self = Int64(digits).map { .int($0) } ?? .string(digits)
        } else {
            self = document.bool.map { .bool($0) } ?? .null
        }
    }
}
