public import SidingJSON

/// A model that knows how to become its data transfer object: the shape in which it travels.
///
/// A model that is its own DTO says so with ``RawEncodable`` and nothing else; where it is `Encodable` too, no method has
/// to be written. A model that is merely `Encodable` needs no conformance here: see ``ModelMapping``.
public protocol DTOEncodable: Sendable {
    /// The shape in which the model travels; the model itself unless said otherwise.
    associatedtype DTO: RawEncodable = Self
    func toDTO() throws -> DTO
}

/// A model that knows how to be made of its data transfer object.
///
/// Whatever ``from(dto:)`` throws ends the call. A ``MappingError`` says which field is at fault; any other error
/// arrives in ``Failure/underlying`` as it was thrown.
public protocol DTODecodable: Sendable {
    /// The shape in which the model travels; the model itself unless said otherwise.
    associatedtype DTO: RawDecodable = Self
    static func from(dto: DTO) throws -> Self
}

/// Both ways between a model and the shape in which it travels.
public typealias DTOConvertible = DTOEncodable & DTODecodable

extension DTOEncodable where DTO == Self {
    public func toDTO() -> Self { self }
}

extension DTODecodable where DTO == Self {
    public static func from(dto: Self) -> Self { dto }
}

extension Array: DTOEncodable where Element: DTOEncodable, Element.DTO.Raw == JSONDocument {
    public func toDTO() throws -> [Element.DTO] {
        try enumerated().map { index, element in try MappingError.inside(.index(index)) { try element.toDTO() } }
    }
}

extension Array: DTODecodable where Element: DTODecodable, Element.DTO.Raw == JSONDocument {
    public static func from(dto: [Element.DTO]) throws -> [Element] {
        try dto.enumerated().map { index, dto in try MappingError.inside(.index(index)) { try Element.from(dto: dto) } }
    }
}

extension Optional: DTOEncodable where Wrapped: DTOEncodable, Wrapped.DTO.Raw == JSONDocument {
    public func toDTO() throws -> Wrapped.DTO? { try self?.toDTO() }
}

extension Optional: DTODecodable where Wrapped: DTODecodable, Wrapped.DTO.Raw == JSONDocument {
    public static func from(dto: Wrapped.DTO?) throws -> Wrapped? { try dto.map { try Wrapped.from(dto: $0) } }
}

extension Dictionary: DTOEncodable where Key == String, Value: DTOEncodable, Value.DTO.Raw == JSONDocument {
    public func toDTO() throws -> [String: Value.DTO] {
        var members: [String: Value.DTO] = [:]
        for (name, value) in self {
            members[name] = try MappingError.inside(.member(name)) { try value.toDTO() }
        }
        return members
    }
}

extension Dictionary: DTODecodable where Key == String, Value: DTODecodable, Value.DTO.Raw == JSONDocument {
    public static func from(dto: [String: Value.DTO]) throws -> [String: Value] {
        var members: [String: Value] = [:]
        for (name, value) in dto {
            members[name] = try MappingError.inside(.member(name)) { try Value.from(dto: value) }
        }
        return members
    }
}
