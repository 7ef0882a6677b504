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
