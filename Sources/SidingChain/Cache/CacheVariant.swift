internal import HTTPTypes

/// The request fields that an origin varies on, with the values they had: the secondary key of a stored answer
/// (RFC 9111 §4.1).
public struct CacheVariant: Sendable, Hashable {
    /// One field of `Vary`, and what the request said of it.
    public struct Field: Sendable, Hashable {
        /// In lower case.
        public var name: String
        /// Nil where the request had no such field.
        public var value: String?

        public init(name: String, value: String?) {
            (self.name, self.value) = (name.lowercased(), value)
        }
    }

    /// Sorted by name; empty where the origin varies on nothing.
    public let fields: [Field]

    public init(_ fields: [Field] = []) {
        self.fields = fields.sorted { $0.name < $1.name }
    }

    /// Whether an answer of this variant is one to `request`.
    public func matches(_ request: CacheRequest) -> Bool {
        fields.allSatisfy { $0.value == Self.value(of: $0.name, in: request.headerFields) }
    }

    /// Whether both came from the same `Vary`, whatever the values.
    public func hasNames(of other: CacheVariant) -> Bool {
        fields.map(\.name) == other.fields.map(\.name)
    }

    /// The lines of a field, combined and without space around them, as §4.1 compares them.
    static func value(of name: String, in fields: HTTPFields) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let lines = fields[values: name]
        guard !lines.isEmpty else { return nil }
        return lines.map { line in
            String(line.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed())
        }.joined(separator: ", ")
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
