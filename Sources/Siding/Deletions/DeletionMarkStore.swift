internal import SidingJSON

/// A store that can tell how many of its records a mark would delete, before anything is done about it.
protocol DeletionMarkStore: Sendable {
    /// How many living records of `resource` have `mark`, by their bodies as they are stored; nil where none has.
    func marked(by mark: DeletionMark, of resource: String) async throws(StoreError) -> MarkedRecords?
}

/// What a mark says of stored records.
struct MarkedRecords: LeavingRecords, Hashable {
    let mark: DeletionMark
    var stored = 0
    /// How many of them have the mark.
    var count = 0

    static let consequence = "'deletes' would delete"

    var words: String {
        "\(count) of \(stored) stored records, which have the mark (\(PlainText.oneLine("\(mark)", limit: 80)))"
    }
}
