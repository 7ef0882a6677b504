extension Siding {
    /// The versions of a record, newest first; nil if there never was such a record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    public func history(
        of resource: any SyncedResource, key: String, limit: Int? = nil
    ) async throws(StoreError) -> RecordHistory? {
        try await store.history(of: resource.untyped.name, key: key, limit: limit)
    }

    /// Where the present body of a record came from; nil if there is no such record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    public func provenance(
        of resource: any SyncedResource, key: String
    ) async throws(StoreError) -> RecordProvenance? {
        try await store.provenance(of: resource.untyped.name, key: key)
    }
}
