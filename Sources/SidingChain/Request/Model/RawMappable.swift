internal import FoundationEssentials
public import SidingJSON

/// A value that can be written in the form that travels: JSON, unless ``Raw`` says otherwise.
///
/// A type that is `Encodable` needs no more than the conformance; its JSON has sorted names, so equal values give equal
/// bytes.
public protocol RawEncodable: Sendable {
    /// The form that travels.
    associatedtype Raw: Sendable = JSONDocument
    func toRaw() throws -> Raw
}

/// A value that can be read from the form that travelled.
///
/// A type that is `Decodable` needs no more than the conformance. Whatever ``from(raw:)`` throws ends the call;
/// ``MappingError`` says where in the value it was.
public protocol RawDecodable: Sendable {
    /// The form that travels.
    associatedtype Raw: Sendable = JSONDocument
    static func from(raw: Raw) throws -> Self
}

/// Both ways between a value and the form that travels.
public typealias RawMappable = RawEncodable & RawDecodable

extension RawEncodable where Self: Encodable, Raw == JSONDocument {
    public func toRaw() throws -> JSONDocument { try JSONCoding.document(of: self, by: JSONCoding.encoder()) }
}

extension RawDecodable where Self: Decodable, Raw == JSONDocument {
    public static func from(raw: JSONDocument) throws -> Self {
        try JSONCoding.model(Self.self, from: raw, by: JSONCoding.decoder())
    }
}

extension JSONDocument: RawEncodable, RawDecodable {
    public func toRaw() -> JSONDocument { self }
    public static func from(raw: JSONDocument) -> JSONDocument { raw }
}

extension String: RawEncodable, RawDecodable {}
extension Bool: RawEncodable, RawDecodable {}
extension Int: RawEncodable, RawDecodable {}
extension Int64: RawEncodable, RawDecodable {}
extension Double: RawEncodable, RawDecodable {}

/// An array is an array, at the root as anywhere, and of any nesting; nothing else is ever read as an empty one.
extension Array: RawEncodable where Element: RawEncodable, Element.Raw == JSONDocument {
    public func toRaw() throws -> JSONDocument {
        JSONDocument(
            array: try enumerated().map { index, element in
                try MappingError.inside(.index(index)) { try element.toRaw() }
            })
    }
}

extension Array: RawDecodable where Element: RawDecodable, Element.Raw == JSONDocument {
    public static func from(raw: JSONDocument) throws -> [Element] {
        guard let elements = raw.elements else { throw MappingError.expected("an array", [Element].self, raw) }
        return try elements.enumerated().map { index, element in
            try MappingError.inside(.index(index)) { try Element.from(raw: element) }
        }
    }
}

/// Nil is `null`. That there is nothing at all, not even `null`, is said by a chain without input or output.
extension Optional: RawEncodable where Wrapped: RawEncodable, Wrapped.Raw == JSONDocument {
    public func toRaw() throws -> JSONDocument { try self?.toRaw() ?? .null }
}

extension Optional: RawDecodable where Wrapped: RawDecodable, Wrapped.Raw == JSONDocument {
    public static func from(raw: JSONDocument) throws -> Wrapped? {
        raw.isNull ? nil : try Wrapped.from(raw: raw)
    }
}

extension Dictionary: RawEncodable where Key == String, Value: RawEncodable, Value.Raw == JSONDocument {
    public func toRaw() throws -> JSONDocument {
        var members: [String: JSONDocument] = [:]
        for (name, value) in self {
            members[name] = try MappingError.inside(.member(name)) { try value.toRaw() }
        }
        return JSONDocument(object: members)
    }
}

extension Dictionary: RawDecodable where Key == String, Value: RawDecodable, Value.Raw == JSONDocument {
    public static func from(raw: JSONDocument) throws -> [String: Value] {
        guard let members = raw.members else { throw MappingError.expected("an object", [String: Value].self, raw) }
        var values: [String: Value] = [:]
        for (name, document) in members {
            let value = try MappingError.inside(.member(name)) { try Value.from(raw: document) }
            // JSON compares names by their bytes, Swift by their characters: é may be written in two ways.
            guard values.updateValue(value, forKey: name) == nil else {
                throw MappingError("two names are the same to Swift", at: JSONPath(member: name))
            }
        }
        return values
    }
}
