public import SidingJSON

/// Maps what goes into a chain, and what comes back: the one node behind ``ModelInputNode`` and ``DTOMapperNode``, which
/// differ in what they map by themselves and in the name that failures and logs carry.
public struct MappingNode<Role: MappingRole, Input: Sendable, Output: Sendable, Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let input: ModelMapping<Input, Wrapped.Input>
    private let output: ModelMapping<Wrapped.Output, Output>

    /// - Parameters:
    ///   - wrapped: takes and gives what the mappings lead to.
    ///   - input: from what comes in to what `wrapped` takes.
    ///   - output: from what `wrapped` gives to what leaves.
    public init(
        _ wrapped: Wrapped, input: ModelMapping<Input, Wrapped.Input>, output: ModelMapping<Wrapped.Output, Output>
    ) {
        self.wrapped = wrapped
        self.input = input
        self.output = output
    }

    public var name: String { Role.nodeName }

    public func process(_ value: Input, _ context: ChainContext) async throws(Failure) -> Output {
        let mapped = try input(value, of: Input.self, phase: .notSent, node: name)
        let answer = try await wrapped.process(mapped, context)
        return try output(answer, of: Output.self, phase: .answered, node: name)
    }
}

extension MappingNode where Output == Wrapped.Output {
    /// What comes back leaves as it is.
    public init(_ wrapped: Wrapped, input: ModelMapping<Input, Wrapped.Input>) {
        self.init(wrapped, input: input, output: .itself)
    }
}

extension MappingNode where Input == Wrapped.Input {
    /// What comes in travels as it is.
    public init(_ wrapped: Wrapped, output: ModelMapping<Wrapped.Output, Output>) {
        self.init(wrapped, input: .itself, output: output)
    }
}

/// Between which forms a ``MappingNode`` stands: ``ModelRole`` or ``DTORole``.
public protocol MappingRole: Sendable {
    static var nodeName: String { get }
}

/// The outermost step of a typed chain: a model goes in and travels as its DTO, a DTO comes back and leaves as a model.
///
/// Mapping errors are failures that name the Swift type and the field's path, in ``Failure/underlying`` as
/// ``MappingError``.
public typealias ModelInputNode<Input: Sendable, Output: Sendable, Wrapped: Node> =
    MappingNode<ModelRole, Input, Output, Wrapped>

/// Between models and DTOs.
public enum ModelRole: MappingRole {
    public static var nodeName: String { "ModelInputNode" }
}

extension MappingNode
where
    Role == ModelRole, Input: DTOEncodable, Output: DTODecodable, Wrapped.Input == Input.DTO,
    Wrapped.Output == Output.DTO
{
    /// Both models know their DTOs.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped, input: .toDTO, output: .fromDTO)
    }
}

/// Writes DTOs in the form that travels, and reads them from it: JSON, or any other form that the mappings know.
///
/// What the wrapped node takes is optional: nil is no body at all, which JSON's `null` is not. An array at the root is an
/// array, and an object, empty or not, is never read as one.
public typealias DTOMapperNode<Input: Sendable, Output: Sendable, Wrapped: Node> =
    MappingNode<DTORole, Input, Output, Wrapped>

/// Between DTOs and the form that travels.
public enum DTORole: MappingRole {
    public static var nodeName: String { "DTOMapperNode" }
}

extension MappingNode
where
    Role == DTORole, Input: RawEncodable, Output: RawDecodable, Wrapped.Input == Input.Raw?,
    Wrapped.Output == Output.Raw?
{
    /// Both DTOs know their raw forms, JSON or another.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped, input: .toRaw, output: .fromRaw)
    }
}

extension MappingNode
where
    Role == DTORole, Input: RawEncodable, Output: RawDecodable, Wrapped.Input == Input.Raw?,
    Wrapped.Output == Response<JSONDocument?>, Output.Raw == JSONDocument
{
    /// Both DTOs know their JSON; errors name the URL of the answer.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped, input: .toRaw, output: .fromRaw)
    }
}
