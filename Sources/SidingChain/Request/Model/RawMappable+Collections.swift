public import SidingJSON

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
