/// The records that broke their contract, from inside a program.
extension Siding {
    /// The records that were set aside, oldest first, without their bytes.
    public func quarantined(
        _ selection: QuarantineSelection = QuarantineSelection()
    ) async throws(StoreError) -> [QuarantinedRecord] {
        try await store.quarantined(selection)
    }

    /// Reads quarantined records again as the resources are declared now, and saves what is good; nothing of those that a sync
    /// is at (``QuarantineChange/heldBy``).
    @discardableResult
    public func retryQuarantined(
        _ selection: QuarantineSelection = QuarantineSelection()
    ) async throws(StoreError) -> [QuarantineChange] {
        try await store.retryQuarantined(selection, as: resources)
    }
}
