/// Stored records that a changed config would remove, before anything is done.
///
/// What the origin itself reports about a record counts as it is. But if only the config says so, a misspelt name or a wrong
/// value may affect all records. So the mass-deletion guard applies.
protocol LeavingRecords: Sendable {
    /// The number of live records.
    var stored: Int { get }
    /// How many of them would be removed.
    var count: Int { get }
    /// Which key of the config would do it, and how.
    static var consequence: String { get }
    /// The count, the total and the reason, as text.
    var words: String { get }
}

extension LeavingRecords {
    /// Whether the mass-deletion guard blocks the removal; see ``DeletionGuard``.
    func isTooMuch(for deletions: Deletions) -> Bool {
        DeletionGuard(listed: stored - count, most: deletions.most).blocks(count)
    }
}
