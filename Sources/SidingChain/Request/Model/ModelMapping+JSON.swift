public import FoundationEssentials
internal import HTTPTypes
public import SidingJSON

extension ModelMapping where Source: Encodable, Target == JSONDocument? {
    /// A plain `Encodable` model as JSON, names sorted.
    ///
    /// - Parameter encoder: makes an encoder for each call, with its strategies for dates, keys and data.
    public static func json(
        _ encoder: @escaping @Sendable () -> JSONEncoder = JSONCoding.encoder
    ) -> ModelMapping {
        ModelMapping { try JSONCoding.document(of: $0, by: encoder()) }
    }
}

extension ModelMapping where Source == JSONDocument, Target: Decodable {
    /// A plain `Decodable` model of a document.
    ///
    /// - Parameter decoder: makes a decoder for each call, with its strategies for dates, keys and data.
    public static func json(
        _ decoder: @escaping @Sendable () -> JSONDecoder = JSONCoding.decoder
    ) -> ModelMapping {
        ModelMapping { try JSONCoding.model(Target.self, from: $0, by: decoder()) }
    }
}

extension ModelMapping where Source == ParsedResponse, Target: Decodable {
    /// A plain `Decodable` model of an answer's document.
    ///
    /// - Parameter decoder: makes a decoder for each call, with its strategies for dates, keys and data.
    public static func json(
        _ decoder: @escaping @Sendable () -> JSONDecoder = JSONCoding.decoder
    ) -> ModelMapping {
        .document(.json(decoder))
    }
}

extension ModelMapping where Source == ParsedResponse, Target: RawDecodable, Target.Raw == JSONDocument {
    /// The value of an answer's document.
    public static var fromRaw: ModelMapping {
        .document(ModelMapping<JSONDocument, Target> { try Target.from(raw: $0) })
    }
}

extension ModelMapping where Source == ParsedResponse {
    /// What `mapping` makes of an answer's document. Where the answer has no content, only a ``NoContentRepresentable``
    /// target is made; what fails names the answer's URL.
    public static func document(_ mapping: ModelMapping<JSONDocument, Target>) -> ModelMapping {
        ModelMapping { response in
            do {
                guard let document = response.document else {
                    return try noContent(as: Target.self, status: response.response.status.code)
                }
                return try mapping.map(document)
            } catch {
                throw Failure.mapping(error, of: Target.self, phase: .answered).at(url: Redaction.url(response.url))
            }
        }
    }

    /// What `mapping` makes of an answer, together with its head.
    public static func answer<Value: Sendable>(
        _ mapping: ModelMapping<ParsedResponse, Value>
    ) -> ModelMapping where Target == Answer<Value> {
        ModelMapping { response in
            Answer(value: try mapping.map(response), response: response.response, url: response.url)
        }
    }
}
