package import FoundationEssentials
internal import SidingJSON
internal import SidingSynchronization

/// The default coders, and the conversion between `Codable` values and documents.
package enum JSONCoding {
    /// Writes dates like queries and forms do, `2026-03-01T09:05:00Z` (RFC 3339 §5.6), to the microsecond, with a fraction only
    /// if there is one; `Data` as Base64, names sorted, slashes unescaped.
    package static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = UTCDate(secondsSince1970: date.timeIntervalSince1970)?.iso8601 else {
                throw EncodingError.invalidValue(
                    date,
                    EncodingError.Context(
                        codingPath: encoder.codingPath, debugDescription: "a date outside of the years 1 to 9999"))
            }
            try container.encode(text)
        }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// Reads dates as ``Timestamp/init(rfc3339:)`` does, to the microsecond; `Data` as Base64, names unchanged.
    package static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let moment = Timestamp(rfc3339: text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date of RFC 3339")
            }
            return Date(timeIntervalSince1970: moment.secondsSince1970)
        }
        return decoder
    }

    /// The model as JSON. Names are always sorted, because bodies are compared.
    static func document<Model: Encodable>(of model: Model, by encoder: JSONEncoder) throws -> JSONDocument {
        if let document = model as? JSONDocument { return document }
        encoder.outputFormatting.insert(.sortedKeys)
        encoder.outputFormatting.remove(.prettyPrinted)
        do {
            // Our own output needs no limits.
            return try JSONDocument(Array(try encoder.encode(model)), limits: .unlimited)
        } catch let error as EncodingError {
            throw MappingError(error).of(Model.self)
        }
    }

    /// The model decoded from the document's own bytes.
    static func model<Model: Decodable>(
        _ type: Model.Type, from document: JSONDocument, by decoder: JSONDecoder
    ) throws -> Model {
        if let document = document as? Model { return document }
        do {
            return try decoder.decode(type, from: Data(document.bytes))
        } catch let error as DecodingError {
            let traced = DecodingTrace.unfitting(after: error, type, in: document, by: decoder)
            throw (traced ?? MappingError(error, in: document)).of(type)
        }
    }
}

extension MappingError {
    fileprivate func of(_ type: Any.Type) -> MappingError {
        var error = self
        error.type = String(describing: type)
        return error
    }
}
