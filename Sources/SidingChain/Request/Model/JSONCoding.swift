public import FoundationEssentials
internal import SidingJSON
internal import SidingSynchronization

/// The coders that are used where none is given, and the way between `Codable` values and documents.
public enum JSONCoding {
    /// Dates as queries and forms have them, `2026-03-01T09:05:00Z` (RFC 3339 §5.6) with milliseconds only where there are
    /// any; `Data` as Base64, names sorted and slashes as they are.
    public static func encoder() -> JSONEncoder {
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

    /// Dates as RFC 3339 has them, with or without fractions of a second; `Data` as Base64, names as they are.
    public static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
            guard let date = try? style.parse(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no date of RFC 3339")
            }
            return date
        }
        return decoder
    }

    /// The model as JSON, names sorted whatever the encoder was made for: bodies are compared.
    static func document<Model: Encodable>(of model: Model, by encoder: JSONEncoder) throws -> JSONDocument {
        encoder.outputFormatting.insert(.sortedKeys)
        encoder.outputFormatting.remove(.prettyPrinted)
        do {
            return try JSONDocument(Array(try encoder.encode(model)), limits: unlimited)
        } catch let error as EncodingError {
            throw MappingError(error).of(Model.self)
        }
    }

    /// The model that stands in the document; the decoder is given the document's own bytes.
    static func model<Model: Decodable>(
        _ type: Model.Type, from document: JSONDocument, by decoder: JSONDecoder
    ) throws -> Model {
        do {
            return try decoder.decode(type, from: Data(document.bytes))
        } catch let error as DecodingError {
            let traced = DecodingTrace.unfitting(after: error, type, in: document, by: decoder)
            throw (traced ?? MappingError(error, in: document)).of(type)
        }
    }

    /// What we write ourselves needs no guard against too much of it.
    private static let unlimited = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)
}

extension MappingError {
    fileprivate func of(_ type: Any.Type) -> MappingError {
        var error = self
        error.type = String(describing: type)
        return error
    }
}
