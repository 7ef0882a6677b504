// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingChain
public import SidingJSON

/// A value that converts itself to its raw form: JSON, unless ``Raw`` is another type.
///
/// An `Encodable` type needs only the conformance. Its JSON has sorted names, so equal values give equal bytes.
public protocol RawEncodable: Sendable {
    /// The raw form.
    associatedtype Raw: Sendable = JSONDocument
    /// The raw form of the value.
    ///
    /// - Throws: any error; the call then ends before anything is sent. A ``MappingError`` names the place in the value.
    func toRaw() throws -> Raw
}

/// A value that can be created from its raw form.
///
/// A `Decodable` type needs only the conformance. Any error of ``from(raw:)`` ends the call; ``MappingError`` names the place
/// in the value.
public protocol RawDecodable: Sendable {
    /// The raw form.
    associatedtype Raw: Sendable = JSONDocument
    /// Creates the value from its raw form.
    ///
    /// - Throws: any error; it ends the call, although the origin has answered.
    static func from(raw: Raw) throws -> Self
}

/// Converts a value to its raw form and back.
public typealias RawMappable = RawEncodable & RawDecodable

extension RawEncodable where Self: Encodable, Raw == JSONDocument {
    /// The JSON of an `Encodable` type: names sorted, dates of RFC 3339, `Data` as Base64.
    public func toRaw() throws -> JSONDocument { try JSONCoding.document(of: self, by: JSONCoding.encoder()) }
}

extension RawDecodable where Self: Decodable, Raw == JSONDocument {
    /// Decodes a `Decodable` type from JSON: dates of RFC 3339, `Data` from Base64.
    public static func from(raw: JSONDocument) throws -> Self {
        try JSONCoding.model(Self.self, from: raw, by: JSONCoding.decoder())
    }
}

extension JSONDocument: RawEncodable, RawDecodable {
    /// The document itself.
    public func toRaw() -> JSONDocument { self }
    /// The document itself.
    public static func from(raw: JSONDocument) -> JSONDocument { raw }
}

extension String: RawEncodable, RawDecodable {}
extension Bool: RawEncodable, RawDecodable {}
extension Int: RawEncodable, RawDecodable {}
extension Int64: RawEncodable, RawDecodable {}
extension Double: RawEncodable, RawDecodable {}

/// An array of any nesting is read only from a JSON array; nothing else is ever read as an empty one.
extension Array: RawEncodable where Element: RawEncodable, Element.Raw == JSONDocument {
    /// A JSON array; an error names the index of its element.
    public func toRaw() throws -> JSONDocument {
        JSONDocument(
            array: try enumerated().map { index, element in
                try MappingError.inside(.index(index)) { try element.toRaw() }
            })
    }
}

extension Array: RawDecodable where Element: RawDecodable, Element.Raw == JSONDocument {
    /// Reads a JSON array.
    ///
    /// - Throws: ``MappingError`` if `raw` is no array; an error of an element names its index.
    public static func from(raw: JSONDocument) throws -> [Element] {
        guard let elements = raw.elements else { throw MappingError.expected("an array", [Element].self, raw) }
        return try elements.enumerated().map { index, element in
            try MappingError.inside(.index(index)) { try Element.from(raw: element) }
        }
    }
}

/// Nil is `null`. For no content at all, not even `null`, use a chain without input or output.
extension Optional: RawEncodable where Wrapped: RawEncodable, Wrapped.Raw == JSONDocument {
    /// `null` for nil.
    public func toRaw() throws -> JSONDocument { try self?.toRaw() ?? .null }
}

extension Optional: RawDecodable where Wrapped: RawDecodable, Wrapped.Raw == JSONDocument {
    /// Nil for `null`.
    public static func from(raw: JSONDocument) throws -> Wrapped? {
        raw.isNull ? nil : try Wrapped.from(raw: raw)
    }
}

extension Dictionary: RawEncodable where Key == String, Value: RawEncodable, Value.Raw == JSONDocument {
    /// A JSON object; an error has the name of its member.
    public func toRaw() throws -> JSONDocument {
        var members: [String: JSONDocument] = [:]
        for (name, value) in self {
            members[name] = try MappingError.inside(.member(name)) { try value.toRaw() }
        }
        return JSONDocument(object: members)
    }
}

extension Dictionary: RawDecodable where Key == String, Value: RawDecodable, Value.Raw == JSONDocument {
    /// Reads a JSON object.
    ///
    /// - Throws: ``MappingError`` if `raw` is no object, or if two of its names are equal as a `String`, such as é in two
    ///   spellings.
    public static func from(raw: JSONDocument) throws -> [String: Value] {
        guard let members = raw.members else { throw MappingError.expected("an object", [String: Value].self, raw) }
        var values: [String: Value] = [:]
        for (name, document) in members {
            let value = try MappingError.inside(.member(name)) { try Value.from(raw: document) }
            // JSON compares names by bytes, Swift by characters: é may be written in two ways.
            guard values.updateValue(value, forKey: name) == nil else {
                throw MappingError("two names are the same to Swift", at: JSONPath(member: name))
            }
        }
        return values
    }
}
