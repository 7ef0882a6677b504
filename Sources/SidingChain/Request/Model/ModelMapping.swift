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
