// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// The header fields of an answer in `siding_responses`.
enum ResponseFields {
    /// The fields without the validators, which have their own columns.
    static func text(_ fields: HTTPFields) throws -> String {
        try HeaderFieldsText.json(fields.filter { $0.name != .eTag && $0.name != .lastModified })
    }

    static func headerFields(_ text: String, etag: String?, lastModified: String?) throws -> HTTPFields {
        var fields = try HeaderFieldsText.fields(text, as: name)
        fields[.eTag] = etag
        fields[.lastModified] = lastModified
        return fields
    }

    /// Equal variants have equal text, as it is part of the row's key.
    static func text(_ variant: CacheVariant) throws -> String {
        try Store.json(variant.fields.sorted { $0.key < $1.key }.map { [$0.key, $0.value] })
    }

    static func variant(_ text: String) throws -> CacheVariant {
        let pairs = try Store.decode([[String?]].self, text, as: name)
        return CacheVariant(
            try pairs.reduce(into: [:]) { fields, pair in
                guard pair.count == 2, let field = pair[0] else {
                    throw StoreError(.corrupt, "\(name) cannot be read: a pair has no name and value")
                }
                fields[field] = .some(pair[1])
            })
    }

    private static let name = "the header fields of a stored answer"
}
