/// Quarantined records, for programs.
extension Siding {
    /// The quarantined records, oldest first, without their bytes.
    public func quarantined(
        _ selection: QuarantineSelection = QuarantineSelection()
    ) async throws(StoreError) -> [QuarantinedRecord] {
        try await store.quarantined(selection)
    }

    /// Retries quarantined records with the resources' present declarations and saves those that are good; skips resources in use
    /// by a sync (``QuarantineChange/heldBy``).
    @discardableResult
    public func retryQuarantined(
        _ selection: QuarantineSelection = QuarantineSelection()
    ) async throws(StoreError) -> [QuarantineChange] {
        try await store.retryQuarantined(selection, as: resources)
    }
}
