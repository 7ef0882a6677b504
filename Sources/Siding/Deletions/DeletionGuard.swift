internal import SidingJSON
internal import SidingSQLite

/// The mass-deletion guard: blocks too many deletions at once until an operator accepts them. An origin that lost or hides its
/// data looks just like one whose records were deleted.
package struct DeletionGuard: Sendable {
    /// Up to 10 deletions, never more than half of all records, pass whatever the percentage.
    package static let alwaysAllowed = 10

    /// The number of records that the pages of the resource show now.
    let listed: Int
    /// The maximum share of deletions, from 0 to 1; 0 for none.
    let most: Double

    package init(listed: Int, most: Double) { (self.listed, self.most) = (listed, most) }

    /// Whether the guard blocks this many deletions at once.
    package func blocks(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        guard listed > 0, most > 0 else { return true }
        let all = listed + count
        return count > max(min(Self.alwaysAllowed, all / 2), Int(Double(all) * most))
    }
}

/// How saving a page handles deletions.
package struct DeletionTerms: Sendable, Hashable {
    package var rule: Deletions
    /// Whether one uninterrupted listing is enough; see ``AnyResource/isStable``.
    package var isStable: Bool
    /// Whether an operator accepted the deletions, so that the guard does not apply.
    package var isAccepted: Bool

    package init(_ rule: Deletions = Deletions(), isStable: Bool = false, isAccepted: Bool = false) {
        (self.rule, self.isStable, self.isAccepted) = (rule, isStable, isAccepted)
    }
}

extension Deletions {
    /// Why the guard blocks deletions, for people.
    var excess: String {
        let percentage = most * 100
        let shown = percentage == percentage.rounded() ? "\(Int(percentage))" : "\(percentage)"
        return "That is more than deletes.max (\(shown) %)"
    }
}

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

extension Store {
    /// The live records that have the mark; nil if there are none.
    func marked(by mark: DeletionMark, of resource: String) async throws(StoreError) -> MarkedRecords? {
        try await read { snapshot in
            var marked = MarkedRecords(mark: mark)
            guard let id = try Self.resourceRow(resource, snapshot)?.id else { return nil }
            try RecordsTable.load(id, snapshot).forEachBody(snapshot) { body in
                marked.stored += 1
                if mark.marks(body) { marked.count += 1 }
            }
            return marked.count > 0 ? marked : nil
        }
    }
}
