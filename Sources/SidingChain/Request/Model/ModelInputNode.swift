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
