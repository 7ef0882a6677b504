// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
internal import HTTPTypes
public import SidingChain
public import SidingJSON

/// One direction of a mapping as a value: converts a `Source` to a `Target`.
///
/// Mapping nodes take one for each direction. The predefined ones cover models with a DTO, values with a raw form and plain
/// `Codable` types, so that all of them work with the same nodes:
///
/// ```swift
/// DTOMapperNode(chain, input: .json(), output: .json { let decoder = JSONDecoder(); …; return decoder })
/// ```
public struct ModelMapping<Source: Sendable, Target: Sendable>: Sendable {
    let map: @Sendable (Source) throws -> Target

    /// A mapping by a function; its errors become failures. Throw a ``MappingError`` to name the field.
    public init(_ map: @escaping @Sendable (Source) throws -> Target) {
        self.map = map
    }

    /// This mapping followed by `next`.
    public func then<Final: Sendable>(_ next: ModelMapping<Target, Final>) -> ModelMapping<Source, Final> {
        ModelMapping<Source, Final> { try next.map(try map($0)) }
    }

    /// - Parameter type: the type that errors name.
    func callAsFunction(
        _ source: Source, of type: Any.Type, phase: Failure.Phase, node: String
    ) throws(Failure) -> Target {
        do { return try map(source) } catch { throw Failure.mapping(error, of: type, phase: phase).at(node: node) }
    }
}

extension ModelMapping where Source == Target {
    /// Returns its input: for a model that is its own DTO, or for no model at all.
    public static var itself: ModelMapping { ModelMapping { $0 } }
}

extension ModelMapping where Source: DTOEncodable, Target == Source.DTO {
    /// Converts a model to its data transfer object, with ``DTOEncodable/toDTO()``.
    public static var toDTO: ModelMapping { ModelMapping { try $0.toDTO() } }
}

extension ModelMapping where Target: DTODecodable, Source == Target.DTO {
    /// Creates a model from its data transfer object, with ``DTODecodable/from(dto:)``.
    public static var fromDTO: ModelMapping { ModelMapping { try Target.from(dto: $0) } }
}

extension ModelMapping where Source: RawEncodable, Target == Source.Raw? {
    /// Converts to the raw form, which is never nil. For no body at all, use a chain without input.
    public static var toRaw: ModelMapping { ModelMapping { try $0.toRaw() } }
}

extension ModelMapping where Target: RawDecodable, Source == Target.Raw? {
    /// Converts from the raw form. Without content, only an optional target can be made.
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
        _ encoder: (@Sendable () -> JSONEncoder)? = nil
    ) -> ModelMapping {
        ModelMapping { try JSONCoding.document(of: $0, by: encoder?() ?? JSONCoding.encoder()) }
    }
}

extension ModelMapping where Source == JSONDocument, Target: Decodable {
    /// Decodes a plain `Decodable` model from a document.
    ///
    /// - Parameter decoder: makes a decoder for each call, with its strategies for dates, keys and data.
    public static func json(
        _ decoder: (@Sendable () -> JSONDecoder)? = nil
    ) -> ModelMapping {
        ModelMapping { try JSONCoding.model(Target.self, from: $0, by: decoder?() ?? JSONCoding.decoder()) }
    }
}

extension ModelMapping where Source == ChainResponse<JSONDocument?>, Target: Decodable {
    /// Decodes a plain `Decodable` model from a response's document.
    ///
    /// - Parameter decoder: makes a decoder for each call, with its strategies for dates, keys and data.
    public static func json(
        _ decoder: (@Sendable () -> JSONDecoder)? = nil
    ) -> ModelMapping {
        .document(.json(decoder))
    }
}

extension ModelMapping where Source == ChainResponse<JSONDocument?>, Target: RawDecodable, Target.Raw == JSONDocument {
    /// Converts a response's document to a value.
    public static var fromRaw: ModelMapping {
        .document(ModelMapping<JSONDocument, Target> { try Target.from(raw: $0) })
    }
}

extension ModelMapping where Source == ChainResponse<JSONDocument?> {
    /// Applies `mapping` to a response's document. Without content, only an optional target can be made.
    /// Failures name the response's URL.
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

    /// Applies `mapping` to a response and keeps its head.
    public static func keepingHead<Value: Sendable>(
        _ mapping: ModelMapping<ChainResponse<JSONDocument?>, Value>
    ) -> ModelMapping where Target == ChainResponse<Value> {
        ModelMapping { response in response.with(body: try mapping.map(response)) }
    }
}
