public import SidingChain

/// A chain step that saves the incoming models in the local copy with a conflict strategy, like
/// ``Siding/upsert(_:to:onConflict:duplicates:)``.
public struct UpsertRecordsStep<Model: Codable & Sendable>: Node {
    private let siding: Siding
    private let resource: Resource<Model>
    private let strategy: ConflictStrategy<Model>
    private let duplicates: DuplicateRule

    public init(
        to resource: Resource<Model>, in siding: Siding, onConflict strategy: ConflictStrategy<Model>,
        duplicates: DuplicateRule = .last
    ) {
        self.siding = siding
        self.resource = resource
        self.strategy = strategy
        self.duplicates = duplicates
    }

    /// - Throws: a failure of the reason ``Failure/Reason/storage(_:)``; nothing was written then.
    public func process(_ models: [Model], _ context: ChainContext) async throws(Failure) -> [RowOutcome<Model>] {
        do throws(StoreError) {
            return try await siding.upsert(models, to: resource, onConflict: strategy, duplicates: duplicates)
        } catch { throw RecordError.store(error).failure(at: name) }
    }
}
