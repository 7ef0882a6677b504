public import SidingChain

/// A chain step that turns local records into tombstones: those with the incoming keys, or those that match a predicate.
public struct DeleteRecordsStep<Input: Sendable, Model: Codable & Sendable>: Node {
    private let delete: @Sendable (Input) async throws(Failure) -> Int

    /// Deletes by a predicate made from the input.
    ///
    /// - Parameter predicate: makes the predicate; an error that it throws becomes a failure of the caller's code.
    public init(
        from resource: Resource<Model>, in siding: Siding,
        where predicate: @escaping @Sendable (Input) throws -> RecordPredicate<Model>
    ) {
        delete = { input throws(Failure) in
            let condition: RecordPredicate<Model>
            do { condition = try predicate(input) } catch {
                throw Failure.wrapping(error, phase: .answered).at(node: "DeleteRecordsStep")
            }
            do throws(RecordError) {
                return try await siding.delete(where: condition, from: resource)
            } catch { throw error.failure(at: "DeleteRecordsStep") }
        }
    }

    /// - Returns: the number of deleted records.
    /// - Throws: a failure of the reason ``Failure/Reason/storage(_:)``; nothing was deleted then.
    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Int {
        try await delete(input)
    }
}

extension DeleteRecordsStep where Input == [String] {
    /// Deletes the records with the incoming keys.
    public init(from resource: Resource<Model>, in siding: Siding) {
        delete = { keys throws(Failure) in
            do throws(StoreError) {
                return try await siding.delete(keys: keys, from: resource)
            } catch { throw RecordError.store(error).failure(at: "DeleteRecordsStep") }
        }
    }
}
