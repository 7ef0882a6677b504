public import SidingJSON

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
    Wrapped.Output == ParsedResponse, Output.Raw == JSONDocument
{
    /// Both DTOs know their JSON; errors name the URL of the answer.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped, input: .toRaw, output: .fromRaw)
    }
}
