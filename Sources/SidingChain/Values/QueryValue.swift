/// A value of a query parameter, typed so that nothing turns into `Optional(3)` or `<null>` on the wire.
public indirect enum QueryValue: Sendable, Hashable {
    case string(String)
    case int(Int64)
    case double(Double)
    case bool(Bool)
    case array([QueryValue])
    case object([String: QueryValue])
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
