public import HTTPTypes

/// Joins metadata to the raw data of a request; raw data there need not be.
public struct MetadataConnectorNode<Raw: Sendable>: Node {
    private let metadata: HTTPFields

    /// - Parameter metadata: the same for every call; what changes from call to call is asked of a ``MetadataProvider``.
    public init(_ metadata: HTTPFields = [:]) {
        self.metadata = metadata
    }

    public func process(_ input: Raw?, _ context: ChainContext) async throws(Failure) -> RequestModel<Raw> {
        RequestModel(metadata: metadata, raw: input)
    }
}
