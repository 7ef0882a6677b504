extension Siding {
    /// The versions of a record, newest first; nil where there never was such a record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a resource of which nothing is stored.
    public func history(
        of resource: any SyncedResource, key: String, limit: Int? = nil
    ) async throws(StoreError) -> RecordHistory? {
        try await store.history(of: resource.untyped.name, key: key, limit: limit)
    }

    /// Where the present body of a record came from; nil where there is no such record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a resource of which nothing is stored.
    public func provenance(
        of resource: any SyncedResource, key: String
    ) async throws(StoreError) -> RecordProvenance? {
        try await store.provenance(of: resource.untyped.name, key: key)
    }
}
