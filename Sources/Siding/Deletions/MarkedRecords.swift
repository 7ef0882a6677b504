internal import SidingJSON

/// Stored records that have a changed deletion mark.
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
