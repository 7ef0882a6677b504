internal import SidingJSON

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
