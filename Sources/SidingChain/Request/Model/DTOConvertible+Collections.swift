public import SidingJSON

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
