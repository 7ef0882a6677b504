// SPDX-License-Identifier: Apache-2.0
public import SidingChain
public import SidingJSON

/// A step around a node: maps its own input to that of the node, and the node's output to its own.
///
/// Mapping errors are failures that name the Swift type and the field's path, with a ``MappingError`` in
/// `Failure.underlying`. ``ModelInputNode`` and ``DTOMapperNode`` are this node at two places of a chain.
public struct MappingNode<Place: MappingPlace, Input: Sendable, Output: Sendable, Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let input: ModelMapping<Input, Wrapped.Input>
    private let output: ModelMapping<Wrapped.Output, Output>

    /// The name of its place.
    public var name: String { Place.name }

    /// - Parameters:
    ///   - wrapped: the node between the two mappings.
    ///   - input: maps this node's input to that of `wrapped`.
    ///   - output: maps the output of `wrapped` to this node's.
    public init(
        _ wrapped: Wrapped, input: ModelMapping<Input, Wrapped.Input>, output: ModelMapping<Wrapped.Output, Output>
    ) {
        (self.wrapped, self.input, self.output) = (wrapped, input, output)
    }

    public func process(_ value: Input, _ context: ChainContext) async throws(Failure) -> Output {
        let mapped = try input(value, of: Input.self, phase: .notSent, node: name)
        return try output(
            await wrapped.process(mapped, context), of: Output.self, phase: .answered, node: name)
    }
}

extension MappingNode where Output == Wrapped.Output {
    /// Maps the input only.
    public init(_ wrapped: Wrapped, input: ModelMapping<Input, Wrapped.Input>) {
        self.init(wrapped, input: input, output: .itself)
    }
}

extension MappingNode where Input == Wrapped.Input {
    /// Maps the output only.
    public init(_ wrapped: Wrapped, output: ModelMapping<Wrapped.Output, Output>) {
        self.init(wrapped, input: .itself, output: output)
    }
}

/// Where in a chain a ``MappingNode`` stands: between models and their DTOs, or between those and their raw forms.
public protocol MappingPlace: Sendable {
    /// The name of the step in failures and logs.
    static var name: String { get }
}

/// Between models and their DTOs.
public enum ModelPlace: MappingPlace {
    public static let name = "ModelInputNode"
}

/// Between DTOs and their raw forms.
public enum DTOPlace: MappingPlace {
    public static let name = "DTOMapperNode"
}

/// The outermost step of a typed chain: converts the input model to its DTO, and the returned DTO to a model.
public typealias ModelInputNode<Input: Sendable, Output: Sendable, Wrapped: Node> =
    MappingNode<ModelPlace, Input, Output, Wrapped>

/// Converts DTOs to and from their raw form: JSON, or another form that the mappings support.
///
/// The wrapped node's input is optional: nil means no body, which differs from JSON's `null`. A root array stays an array, and
/// an object, even an empty one, is never read as an array.
public typealias DTOMapperNode<Input: Sendable, Output: Sendable, Wrapped: Node> =
    MappingNode<DTOPlace, Input, Output, Wrapped>

extension MappingNode
where
    Place == ModelPlace, Input: DTOEncodable, Output: DTODecodable, Wrapped.Input == Input.DTO,
    Wrapped.Output == Output.DTO
{
    /// Both models define their DTOs.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped, input: .toDTO, output: .fromDTO)
    }
}

extension MappingNode
where
    Place == DTOPlace, Input: RawEncodable, Output: RawDecodable, Wrapped.Input == Input.Raw?,
    Wrapped.Output == Output.Raw?
{
    /// Both DTOs define their raw forms, JSON or another.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped, input: .toRaw, output: .fromRaw)
    }
}

extension MappingNode
where
    Place == DTOPlace, Input: RawEncodable, Output: RawDecodable, Wrapped.Input == Input.Raw?,
    Wrapped.Output == ChainResponse<JSONDocument?>, Output.Raw == JSONDocument
{
    /// Both DTOs define their JSON; errors name the URL of the response.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped, input: .toRaw, output: .fromRaw)
    }
}
