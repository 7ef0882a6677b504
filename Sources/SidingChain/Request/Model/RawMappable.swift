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
