/// A store that keeps what records were, and where they came from.
public protocol HistoryStore: Sendable {
    /// The versions of a record, newest first, the present one among them; nil where there never was such a record.
    ///
    /// Of a resource that keeps no history the present version is all there is.
    /// - Parameter limit: at most so many versions; nil for all.
    /// - Throws: ``StoreError/Kind/notFound`` for a resource of which nothing is stored.
    func history(of resource: String, key: String, limit: Int?) async throws(StoreError) -> RecordHistory?

    /// Where the present body of a record came from, and who stands behind it; nil where there is no such record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a resource of which nothing is stored.
    func provenance(of resource: String, key: String) async throws(StoreError) -> RecordProvenance?
}

extension Siding {
    /// The versions of a record, newest first; nil where there never was such a record.
    ///
    /// - Throws: ``StoreError/Kind/unsupported`` where the store keeps no history.
    public func history(
        of resource: any SyncedResource, key: String, limit: Int? = nil
    ) async throws(StoreError) -> RecordHistory? {
        try await historyStore().history(of: resource.untyped.name, key: key, limit: limit)
    }

    /// Where the present body of a record came from; nil where there is no such record.
    ///
    /// - Throws: ``StoreError/Kind/unsupported`` where the store keeps no provenance.
    public func provenance(
        of resource: any SyncedResource, key: String
    ) async throws(StoreError) -> RecordProvenance? {
        try await historyStore().provenance(of: resource.untyped.name, key: key)
    }

    private func historyStore() throws(StoreError) -> any HistoryStore {
        guard let store = store as? any HistoryStore else {
            throw StoreError(.unsupported, "this store keeps neither history nor provenance")
        }
        return store
    }
}
