/// A store that can tell how many of its records a mark would delete, before anything is done about it.
protocol DeletionMarkStore: Sendable {
    /// How many living records of `resource` have `mark`, by their bodies as they are stored; nil where none has.
    func marked(by mark: DeletionMark, of resource: String) async throws(StoreError) -> MarkedRecords?
}

/// What a mark says of stored records.
struct MarkedRecords: Sendable, Hashable {
    /// Living records.
    var stored: Int
    /// How many of them have the mark.
    var count: Int

    /// Whether so many may go without a person's look, as with ``DeletionGuard``.
    func isTooMuch(for deletions: Deletions) -> Bool {
        DeletionGuard(listed: stored - count, most: deletions.most).withholds(count)
    }
}
