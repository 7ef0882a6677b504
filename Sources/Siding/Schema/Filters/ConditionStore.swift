internal import SidingJSON

/// A store that can tell what a condition leaves out, before anything is done about it; neither writes.
protocol ConditionStore: Sendable {
    /// What the condition of `shape` leaves out of the records of `resource`; nil where it is the one that they are kept by,
    /// or there are none.
    func leftOut(by shape: RecordShape, of resource: String) async throws(StoreError) -> LeftOutRecords?

    /// What pages showed that does not fit the condition any more, and that was too much to go at once; nil where there is
    /// nothing like that.
    func unfit(of resource: String) async throws(StoreError) -> LeftOutRecords?
}

/// What a condition leaves out of what is stored.
struct LeftOutRecords: LeavingRecords, Hashable {
    var stored: Int
    /// How many of them do not fit.
    var count: Int
    /// Members that the condition names and none of them has: misspelt, or dropped.
    var unknownMembers: [String]

    static let consequence = "'where' would leave out"

    /// So many of how many, and what is odd about the condition.
    var words: String { "\(count) of \(stored) stored records\(doubt.map { " (\($0))" } ?? "")" }

    /// What is odd about the condition; nil where nothing is.
    var doubt: String? {
        guard !unknownMembers.isEmpty else { return nil }
        let names = unknownMembers.prefix(5).map { "'\(PlainText.oneLine($0, limit: 80))'" }.joined(separator: ", ")
        return "'where' names \(names), which no stored record has"
    }
}
