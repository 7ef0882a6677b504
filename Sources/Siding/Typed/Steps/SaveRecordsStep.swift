public import SidingChain

/// A chain step that saves the incoming models in the local copy, like ``Siding/save(_:to:duplicates:)``.
///
/// ```swift
/// let refresh = fetchIssues.then(SaveRecordsStep(to: issues, in: siding))
/// ```
public struct SaveRecordsStep<Model: Codable & Sendable>: Node {
    private let siding: Siding
    private let resource: Resource<Model>
    private let duplicates: DuplicateRule

    public init(to resource: Resource<Model>, in siding: Siding, duplicates: DuplicateRule = .last) {
        self.siding = siding
        self.resource = resource
        self.duplicates = duplicates
    }

    /// - Throws: a failure of the reason ``Failure/Reason/storage(_:)``; nothing was written then.
    public func process(_ models: [Model], _ context: ChainContext) async throws(Failure) -> [RowOutcome<Model>] {
        do throws(StoreError) {
            return try await siding.save(models, to: resource, duplicates: duplicates)
        } catch { throw RecordError.store(error).failure(at: name) }
    }
}
