/// What a changed config would let go of what is stored, before anything is done about it.
///
/// What the origin says of a record counts as it says it. Where only the config says so, a misspelt name or a wrong value may mean
/// all there is: so no more goes without a person's look than listings may prove to be gone.
protocol LeavingRecords: Sendable {
    /// Living records.
    var stored: Int { get }
    /// How many of them would go.
    var count: Int { get }
    /// Which key of the config would do it, and what.
    static var consequence: String { get }
    /// So many of how many, and which.
    var words: String { get }
}

extension LeavingRecords {
    /// Whether so many may go without a person's look, as with ``DeletionGuard``.
    func isTooMuch(for deletions: Deletions) -> Bool {
        DeletionGuard(listed: stored - count, most: deletions.most).blocks(count)
    }
}
