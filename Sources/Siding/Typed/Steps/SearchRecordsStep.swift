public import SidingChain

/// A chain step that searches the texts of the local copy for its input, like ``Siding/search(_:in:limit:offset:snippet:)``.
public struct SearchRecordsStep<Model: Codable & Sendable>: Node {
    private let siding: Siding
    private let resource: Resource<Model>
    private let limit: Int
    private let snippet: TextSearch.SnippetStyle?

    public init(
        in resource: Resource<Model>, of siding: Siding, limit: Int = 50, snippet: TextSearch.SnippetStyle? = nil
    ) {
        self.siding = siding
        self.resource = resource
        self.limit = limit
        self.snippet = snippet
    }

    /// - Throws: a failure of the reason ``Failure/Reason/storage(_:)``.
    public func process(
        _ text: TextSearch.Text, _ context: ChainContext
    ) async throws(Failure) -> [SearchHit<Model>] {
        do throws(RecordError) {
            return try await siding.search(text, in: resource, limit: limit, snippet: snippet)
        } catch { throw error.failure(at: name) }
    }
}
