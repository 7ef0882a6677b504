// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
public import SidingJSON

/// A model that converts itself to its data transfer object (DTO), the form in which it is sent.
///
/// A model that is its own DTO conforms to ``RawEncodable`` as well; if it is also `Encodable`, no method has to be written. A
/// model that is only `Encodable` needs no conformance here: see ``ModelMapping``.
public protocol DTOEncodable: Sendable {
    /// The data transfer object; the model itself by default.
    associatedtype DTO: RawEncodable = Self
    /// The form in which the model is sent.
    ///
    /// - Throws: any error; the call then ends before anything is sent. A ``MappingError`` names the field at fault.
    func toDTO() throws -> DTO
}

/// A model that can be created from its data transfer object (DTO).
///
/// Any error of ``from(dto:)`` ends the call. A ``MappingError`` names the field at fault; any other error is kept unchanged in
/// `Failure.underlying`.
public protocol DTODecodable: Sendable {
    /// The data transfer object; the model itself by default.
    associatedtype DTO: RawDecodable = Self
    /// Creates the model from the form in which it was received.
    ///
    /// - Throws: any error; it ends the call, although the origin has answered.
    static func from(dto: DTO) throws -> Self
}

/// Converts a model to its data transfer object and back.
public typealias DTOConvertible = DTOEncodable & DTODecodable

extension DTOEncodable where DTO == Self {
    /// A model that is its own DTO is sent unchanged.
    public func toDTO() -> Self { self }
}

extension DTODecodable where DTO == Self {
    /// A model that is its own DTO is returned unchanged.
    public static func from(dto: Self) -> Self { dto }
}

extension Array: DTOEncodable where Element: DTOEncodable, Element.DTO.Raw == JSONDocument {
    /// Converts each element; an error names its index.
    public func toDTO() throws -> [Element.DTO] {
        try enumerated().map { index, element in try MappingError.inside(.index(index)) { try element.toDTO() } }
    }
}

extension Array: DTODecodable where Element: DTODecodable, Element.DTO.Raw == JSONDocument {
    /// Converts each element; an error names its index.
    public static func from(dto: [Element.DTO]) throws -> [Element] {
        try dto.enumerated().map { index, dto in try MappingError.inside(.index(index)) { try Element.from(dto: dto) } }
    }
}

extension Optional: DTOEncodable where Wrapped: DTOEncodable, Wrapped.DTO.Raw == JSONDocument {
    /// Nil stays nil.
    public func toDTO() throws -> Wrapped.DTO? { try self?.toDTO() }
}

extension Optional: DTODecodable where Wrapped: DTODecodable, Wrapped.DTO.Raw == JSONDocument {
    /// Nil stays nil.
    public static func from(dto: Wrapped.DTO?) throws -> Wrapped? { try dto.map { try Wrapped.from(dto: $0) } }
}

extension Dictionary: DTOEncodable where Key == String, Value: DTOEncodable, Value.DTO.Raw == JSONDocument {
    /// Converts each value; names stay, and an error has the name of its value.
    public func toDTO() throws -> [String: Value.DTO] {
        var members: [String: Value.DTO] = [:]
        for (name, value) in self {
            members[name] = try MappingError.inside(.member(name)) { try value.toDTO() }
        }
        return members
    }
}

extension Dictionary: DTODecodable where Key == String, Value: DTODecodable, Value.DTO.Raw == JSONDocument {
    /// Converts each value; names stay, and an error has the name of its value.
    public static func from(dto: [String: Value.DTO]) throws -> [String: Value] {
        var members: [String: Value] = [:]
        for (name, value) in dto {
            members[name] = try MappingError.inside(.member(name)) { try Value.from(dto: value) }
        }
        return members
    }
}
