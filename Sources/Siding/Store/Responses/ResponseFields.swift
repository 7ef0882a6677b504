internal import HTTPTypes
internal import SidingChain

/// The format of header fields in `siding_responses`: a JSON array of name and value pairs, in order.
enum ResponseFields {
    /// The fields without the validators, which have their own columns.
    static func text(_ fields: HTTPFields) throws -> String {
        let others = fields.filter { $0.name != .eTag && $0.name != .lastModified }
        return try Store.json(others.map { [$0.name.rawName, $0.value] })
    }

    static func headerFields(_ text: String, etag: String?, lastModified: String?) throws -> HTTPFields {
        guard let pairs = Store.decode([[String]].self, text) else { throw unreadable }
        var fields = HTTPFields()
        for pair in pairs where pair.count == 2 {
            guard let name = HTTPField.Name(pair[0]) else { throw unreadable }
            fields.append(HTTPField(name: name, value: pair[1]))
        }
        fields[.eTag] = etag
        fields[.lastModified] = lastModified
        return fields
    }

    /// Equal variants have equal text, as it is part of the row's key.
    static func text(_ variant: CacheVariant) throws -> String {
        try Store.json(variant.fields.map { [$0.name, $0.value] })
    }

    static func variant(_ text: String) throws -> CacheVariant {
        guard let pairs = Store.decode([[String?]].self, text) else { throw unreadable }
        return try CacheVariant(
            pairs.map { pair in
                guard pair.count == 2, let name = pair[0] else { throw unreadable }
                return CacheVariant.Field(name: name, value: pair[1])
            })
    }

    private static let unreadable = StoreError(.corrupt, "a stored answer's header fields cannot be read")
}
