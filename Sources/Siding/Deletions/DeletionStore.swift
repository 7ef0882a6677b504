/// What complete listings lack, and what was deleted for it.
public protocol DeletionStore: Sendable {
    /// Keys of living records that the last complete listing lacked, in key order.
    func missingKeys(of resource: String, limit: Int) async throws(StoreError) -> [String]

    /// What the last complete listing lacked, and was not asked about since `moment`. Of a resource with a listing per parent
    /// the end of a round tells it.
    func doubtful(
        of resource: String, askedBefore moment: Timestamp
    ) async throws(StoreError) -> DoubtfulRecords

    /// Notes what the origin said of such records; deletes those that are gone, where the terms are given and allow it.
    ///
    /// - Returns: what was deleted and withheld, and the requests.
    func settle(_ findings: AbsenceFindings) async throws(StoreError) -> RunCounters

    /// Takes back the tombstones that a run made; records that have been written since stay as they are.
    ///
    /// What was taken back stays until the origin shows it again and then lacks it.
    /// - Returns: how many, by resource.
    func undelete(_ run: RunID) async throws(StoreError) -> [String: Int]
}
