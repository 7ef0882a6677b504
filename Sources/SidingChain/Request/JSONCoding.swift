// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
internal import SidingSynchronization

/// The default coders of requests and responses.
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
}

extension DecodingError {
    /// Where and why decoding failed.
    package var context: Context? {
        switch self {
        case .keyNotFound(_, let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
