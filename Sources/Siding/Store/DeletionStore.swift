/// What complete listings lack, and what was deleted for it.
public protocol DeletionStore: Sendable {
    /// Keys of living records that the last complete listing lacked, in key order.
    func missingKeys(of resource: String, limit: Int) async throws(StoreError) -> [String]

    /// Takes back the tombstones that a run made; records that have been written since stay as they are.
    ///
    /// What was taken back stays until the origin shows it again and then lacks it.
    /// - Returns: how many, by resource.
    func undelete(_ run: RunID) async throws(StoreError) -> [String: Int]
}
