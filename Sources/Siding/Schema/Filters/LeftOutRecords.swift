internal import SidingJSON

/// The stored records that a filter removes.
struct LeftOutRecords: LeavingRecords, Hashable {
    var stored: Int
    /// The number of records that the filter excludes.
    var count: Int
    /// Members in the filter that no stored record has: misspelt, or dropped.
    var unknownMembers: [String]

    static let consequence = "'where' would leave out"

    /// The numbers as a message, with doubts about the filter.
    var words: String { "\(count) of \(stored) stored records\(doubt.map { " (\($0))" } ?? "")" }

    /// What looks wrong about the filter; nil if nothing does.
    var doubt: String? {
        guard !unknownMembers.isEmpty else { return nil }
        let names = unknownMembers.prefix(5).map { "'\(PlainText.oneLine($0, limit: 80))'" }.joined(separator: ", ")
        return "'where' names \(names), which no stored record has"
    }
}
