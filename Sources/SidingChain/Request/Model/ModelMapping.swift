public import FoundationEssentials
internal import HTTPTypes
public import SidingJSON

/// One direction of a mapping as a value: how a `Source` becomes a `Target`.
///
/// Nodes that map take one for each direction. The ready ones cover models with a DTO, values with a raw form and plain
/// `Codable` types, so that all of them run through the same nodes:
///
/// ```swift
/// DTOMapperNode(chain, input: .json(), output: .json { let decoder = JSONDecoder(); …; return decoder })
/// ```
public struct ModelMapping<Source: Sendable, Target: Sendable>: Sendable {
    let map: @Sendable (Source) throws -> Target

    /// A mapping by a function; what it throws becomes a failure. ``MappingError`` lets it name the field.
    public init(_ map: @escaping @Sendable (Source) throws -> Target) {
        self.map = map
    }

    /// This mapping, and `next` with its result.
    public func then<Final: Sendable>(_ next: ModelMapping<Target, Final>) -> ModelMapping<Source, Final> {
        ModelMapping<Source, Final> { try next.map(try map($0)) }
    }

    /// - Parameter type: the type that an error names.
    func callAsFunction(
        _ source: Source, of type: Any.Type, phase: Failure.Phase, node: String
    ) throws(Failure) -> Target {
        do { return try map(source) } catch { throw Failure.mapping(error, of: type, phase: phase).at(node: node) }
    }
}

extension ModelMapping where Source == Target {
    /// What comes goes on: for a model that is its own DTO, or for no model at all.
    public static var itself: ModelMapping { ModelMapping { $0 } }
}

extension ModelMapping where Source: DTOEncodable, Target == Source.DTO {
    public static var toDTO: ModelMapping { ModelMapping { try $0.toDTO() } }
}

extension ModelMapping where Target: DTODecodable, Source == Target.DTO {
    public static var fromDTO: ModelMapping { ModelMapping { try Target.from(dto: $0) } }
}

extension ModelMapping where Source: RawEncodable, Target == Source.Raw? {
    /// The raw form, which is always something: nothing at all is said by a chain without input.
    public static var toRaw: ModelMapping { ModelMapping { try $0.toRaw() } }
}

extension ModelMapping where Target: RawDecodable, Source == Target.Raw? {
    /// The value of the raw form; where nothing came, only a ``NoContentRepresentable`` target is made.
    public static var fromRaw: ModelMapping {
        ModelMapping { raw in
            if let raw { return try Target.from(raw: raw) }
            return try noContent(as: Target.self)
        }
    }
}

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

extension ModelMapping where Source == Response<JSONDocument?>, Target: Decodable {
    /// A plain `Decodable` model of an answer's document.
    ///
    /// - Parameter decoder: makes a decoder for each call, with its strategies for dates, keys and data.
    public static func json(
        _ decoder: @escaping @Sendable () -> JSONDecoder = JSONCoding.decoder
    ) -> ModelMapping {
        .document(.json(decoder))
    }
}

extension ModelMapping where Source == Response<JSONDocument?>, Target: RawDecodable, Target.Raw == JSONDocument {
    /// The value of an answer's document.
    public static var fromRaw: ModelMapping {
        .document(ModelMapping<JSONDocument, Target> { try Target.from(raw: $0) })
    }
}

extension ModelMapping where Source == Response<JSONDocument?> {
    /// What `mapping` makes of an answer's document. Where the answer has no content, only a ``NoContentRepresentable``
    /// target is made; what fails names the answer's URL.
    public static func document(_ mapping: ModelMapping<JSONDocument, Target>) -> ModelMapping {
        ModelMapping { response in
            do {
                guard let document = response.body else {
                    return try noContent(as: Target.self, status: response.response.status.code)
                }
                return try mapping.map(document)
            } catch {
                throw Failure.mapping(error, of: Target.self, phase: .answered).at(url: Redaction.url(response.url))
            }
        }
    }

    /// What `mapping` makes of an answer, together with its head.
    public static func keepingHead<Value: Sendable>(
        _ mapping: ModelMapping<Response<JSONDocument?>, Value>
    ) -> ModelMapping where Target == Response<Value> {
        ModelMapping { response in response.with(body: try mapping.map(response)) }
    }
}
