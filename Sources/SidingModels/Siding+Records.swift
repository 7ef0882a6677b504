// SPDX-License-Identifier: Apache-2.0
public import Siding

extension Siding {
    /// The stored records of a resource as values of its model; works offline. A resource that was never synced has none.
    public func records<Model>(of resource: Resource<Model>) -> RecordQuery<Model> {
        RecordQuery(resource, in: store)
    }

    /// The record under a key; nil if there is none, only a tombstone, or a pending creation that does not decode as the model.
    public func record<Model>(of resource: Resource<Model>, key: String) async throws(RecordError) -> Model? {
        let store = store
        let lookup = RecordLookup(resource: resource.name, keys: [key])
        let found = try await RecordError.mapping { () throws(StoreError) in try await store.records(lookup) }
        guard let record = found.first else { return nil }
        return try await resource.decodeUnlessPending(record, with: RecordDecoder(resource.coding), in: store)
    }

    /// The record under a numeric key.
    public func record<Model>(
        of resource: Resource<Model>, key: some BinaryInteger & Sendable
    ) async throws(RecordError) -> Model? {
        try await record(of: resource, key: String(key))
    }

    /// The records in pages of `size`, in key order.
    public func pages<Model>(
        of resource: Resource<Model>, size: Int, where predicate: RecordPredicate<Model> = .everything
    ) -> RecordPages<Model> {
        records(of: resource).where(predicate).pages(of: size)
    }
}

// MARK: Writing to the local copy only

extension Siding {
    /// Saves models in the local copy, in one transaction: inserts new records, replaces those
    /// with another model, and leaves the others as they are.
    ///
    /// Nothing is sent to the origin. A sync overwrites a saved record once it fetches a page with it; a page that answers 304
    /// leaves it as it is.
    /// - Returns: an outcome per model, in order.
    @discardableResult
    public func save<Model>(
        _ models: [Model], to resource: Resource<Model>, duplicates: DuplicateRule = .last
    ) async throws(StoreError) -> [RowOutcome<Model>] {
        try await upsert(models, to: resource, onConflict: .overwrite, duplicates: duplicates)
    }

    /// Saves one model in the local copy, like ``save(_:to:duplicates:)``.
    @discardableResult
    public func save<Model>(
        _ model: Model, to resource: Resource<Model>
    ) async throws(StoreError) -> RowOutcome<Model> {
        try await save([model], to: resource).first ?? .unchanged
    }

    /// Saves models in the local copy, and applies `strategy` if another model is stored under a key.
    ///
    /// All rows are written in one transaction. The strategy's functions run before it. If a record changes meanwhile,
    /// everything is decided again, at most eight times.
    /// - Throws: `StoreError.Kind.outdated` if records changed every time.
    @discardableResult
    public func upsert<Model>(
        _ models: [Model], to resource: Resource<Model>, onConflict strategy: ConflictStrategy<Model>,
        duplicates: DuplicateRule = .last
    ) async throws(StoreError) -> [RowOutcome<Model>] {
        let writer = RecordWriter(store: store, resource: resource, strategy: strategy, duplicates: duplicates)
        return try await writer.save(models)
    }

    /// Turns the local record under a key into a tombstone, which keeps its body. Nothing is sent to the origin, and a sync
    /// that still finds the record there restores it.
    ///
    /// - Returns: whether there was a record.
    @discardableResult
    public func deleteLocally(key: String, from resource: some SyncedResource) async throws(StoreError) -> Bool {
        try await deleteLocally(keys: [key], from: resource) > 0
    }

    /// Turns the local records under these keys into tombstones, in one transaction.
    ///
    /// - Returns: the number of deleted records.
    @discardableResult
    public func deleteLocally(keys: [String], from resource: some SyncedResource) async throws(StoreError) -> Int {
        try await store.delete(RecordLookup(resource: resource.name, keys: keys))
    }

    /// Turns the local records that match the predicate into tombstones, in one transaction.
    ///
    /// - Returns: the number of deleted records.
    @discardableResult
    public func deleteLocally<Model>(
        where predicate: RecordPredicate<Model>, from resource: Resource<Model>
    ) async throws(RecordError) -> Int {
        let (store, filter) = (store, try predicate.resolve(resource))
        return try await RecordError.mapping { () throws(StoreError) in
            try await store.delete(RecordSelection(resource: resource.name, filter: filter))
        }
    }
}

// MARK: Searching

extension Siding {
    /// The records whose searchable members contain all words of `text`, best match first. `text` has no syntax.
    ///
    /// The first search of a resource builds its index, in short write transactions that read every record.
    /// - Parameters:
    ///   - text: the words.
    ///   - resource: the resource of the records.
    ///   - limit: the greatest number of records; matches that are pending creations count.
    public func search<Model>(
        _ text: String, in resource: Resource<Model>, limit: Int = 50
    ) async throws(RecordError) -> [SearchHit<Model>] {
        try await search(.words(text), in: resource, limit: limit)
    }

    /// The records whose searchable members match, best match first.
    public func search<Model>(
        _ text: TextSearch.Text, in resource: Resource<Model>, limit: Int = 50, offset: Int = 0,
        snippet: TextSearch.SnippetStyle? = nil
    ) async throws(RecordError) -> [SearchHit<Model>] {
        let search = TextSearch(
            of: resource.name, fields: resource.searchable, text: text, limit: limit, offset: offset, snippet: snippet)
        let store = store
        let matches = try await RecordError.mapping { () throws(StoreError) in try await store.search(search) }
        let decoder = RecordDecoder(resource.coding)
        var hits: [SearchHit<Model>] = []
        for match in matches {
            guard let model = try await resource.decodeUnlessPending(match.record, with: decoder, in: store) else {
                continue
            }
            hits.append(SearchHit(model: model, key: match.record.key, rank: match.rank, snippet: match.snippet))
        }
        return hits
    }
}

/// A model found by a text search.
public struct SearchHit<Model: Sendable>: Sendable {
    /// The record as its model.
    public var model: Model
    /// The key of the record.
    public var key: String
    /// Lower is better; comparable within one search only.
    public var rank: Double
    /// The matching part, if requested.
    public var snippet: String?
}

extension SearchHit: Equatable where Model: Equatable {}
