// SPDX-License-Identifier: Apache-2.0
public import Siding
public import SidingChain

/// A chain step that reads models from the local copy, by a query made from the input.
///
/// ```swift
/// let open = SaveRecordsStep(to: issues, in: siding).then(
///     FetchRecordsStep { _ in siding.records(of: issues).where(\.state == "open") })
/// ```
public struct FetchRecordsStep<Input: Sendable, Model: Codable & Sendable>: Node {
    private let query: @Sendable (Input) throws -> RecordQuery<Model>

    /// - Parameter query: makes the query; an error that it throws becomes a failure of the caller's code.
    public init(_ query: @escaping @Sendable (Input) throws -> RecordQuery<Model>) {
        self.query = query
    }

    /// - Throws: a failure of the reason `Failure.Reason.storage`, or of the caller's function.
    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> [Model] {
        let query: RecordQuery<Model>
        do { query = try self.query(input) } catch { throw Failure.wrapping(error, phase: .answered).at(node: name) }
        do throws(RecordError) { return try await query.array() } catch { throw error.failure(at: name) }
    }
}

/// A chain step that searches the texts of the local copy for its input, like
/// ``Siding/Siding/search(_:in:limit:offset:snippet:)``.
public struct SearchRecordsStep<Model: Codable & Sendable>: Node {
    private let siding: Siding
    private let resource: Resource<Model>
    private let limit: Int
    private let snippet: TextSearch.SnippetStyle?

    /// 50 matches without snippets by default.
    public init(
        in resource: Resource<Model>, of siding: Siding, limit: Int = 50, snippet: TextSearch.SnippetStyle? = nil
    ) {
        self.siding = siding
        self.resource = resource
        self.limit = limit
        self.snippet = snippet
    }

    /// - Throws: a failure of the reason `Failure.Reason.storage`.
    public func process(
        _ text: TextSearch.Text, _ context: ChainContext
    ) async throws(Failure) -> [SearchHit<Model>] {
        do throws(RecordError) {
            return try await siding.search(text, in: resource, limit: limit, snippet: snippet)
        } catch { throw error.failure(at: name) }
    }
}

/// A chain step that saves the incoming models in the local copy, like ``Siding/Siding/save(_:to:duplicates:)``.
///
/// ```swift
/// let refresh = fetchIssues.then(SaveRecordsStep(to: issues, in: siding))
/// ```
public struct SaveRecordsStep<Model: Codable & Sendable>: Node {
    private let siding: Siding
    private let resource: Resource<Model>
    private let duplicates: DuplicateRule

    /// Of models with the same key, `duplicates` says which one is saved: the last by default.
    public init(to resource: Resource<Model>, in siding: Siding, duplicates: DuplicateRule = .last) {
        self.siding = siding
        self.resource = resource
        self.duplicates = duplicates
    }

    /// - Throws: a failure of the reason `Failure.Reason.storage`; nothing was written then.
    public func process(_ models: [Model], _ context: ChainContext) async throws(Failure) -> [RowOutcome<Model>] {
        do throws(StoreError) {
            return try await siding.save(models, to: resource, duplicates: duplicates)
        } catch { throw RecordError.store(error).failure(at: name) }
    }
}

/// A chain step that saves the incoming models in the local copy with a conflict strategy, like
/// ``Siding/Siding/upsert(_:to:onConflict:duplicates:)``.
public struct UpsertRecordsStep<Model: Codable & Sendable>: Node {
    private let siding: Siding
    private let resource: Resource<Model>
    private let strategy: ConflictStrategy<Model>
    private let duplicates: DuplicateRule

    /// Of models with the same key, `duplicates` says which one is saved: the last by default.
    public init(
        to resource: Resource<Model>, in siding: Siding, onConflict strategy: ConflictStrategy<Model>,
        duplicates: DuplicateRule = .last
    ) {
        self.siding = siding
        self.resource = resource
        self.strategy = strategy
        self.duplicates = duplicates
    }

    /// - Throws: a failure of the reason `Failure.Reason.storage`; nothing was written then.
    public func process(_ models: [Model], _ context: ChainContext) async throws(Failure) -> [RowOutcome<Model>] {
        do throws(StoreError) {
            return try await siding.upsert(models, to: resource, onConflict: strategy, duplicates: duplicates)
        } catch { throw RecordError.store(error).failure(at: name) }
    }
}

/// A chain step that turns local records into tombstones: those with the incoming keys, or those that match a predicate.
public struct DeleteRecordsStep<Input: Sendable, Model: Codable & Sendable>: Node {
    private let delete: @Sendable (Input) async throws(Failure) -> Int

    /// Deletes by a predicate made from the input. An error that `predicate` throws becomes a failure of the caller's
    /// code.
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
                return try await siding.deleteLocally(where: condition, from: resource)
            } catch { throw error.failure(at: "DeleteRecordsStep") }
        }
    }

    /// - Returns: the number of deleted records.
    /// - Throws: a failure of the reason `Failure.Reason.storage`; nothing was deleted then.
    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Int {
        try await delete(input)
    }
}

extension DeleteRecordsStep where Input == [String] {
    /// Deletes the records with the incoming keys.
    public init(from resource: Resource<Model>, in siding: Siding) {
        delete = { keys throws(Failure) in
            do throws(StoreError) {
                return try await siding.deleteLocally(keys: keys, from: resource)
            } catch { throw RecordError.store(error).failure(at: "DeleteRecordsStep") }
        }
    }
}
