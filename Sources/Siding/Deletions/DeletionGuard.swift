// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The mass-deletion guard: blocks too many deletions at once until an operator accepts them. An origin that lost or hides its
/// data looks just like one whose records were deleted.
package struct DeletionGuard: Sendable {
    /// Up to 10 deletions, never more than half of all records, pass whatever the percentage.
    static let alwaysAllowed = 10

    /// The number of records that stay: those that the pages of the resource show now.
    let listed: Int
    /// The maximum share of deletions, from 0 to 1; 0 for none.
    let most: Double

    package init(listed: Int, most: Double) {
        (self.listed, self.most) = (listed, most)
    }

    /// Whether the guard blocks this many deletions at once in all listings of a resource together.
    static func blocks(
        _ count: Int, of resource: Int64, _ terms: DeletionTerms, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        guard count > 0, !terms.isAccepted else { return false }
        return DeletionGuard(listed: try PageMembers.all(of: resource, database).ids.count, most: terms.rule.most)
            .blocks(count)
    }

    /// Whether the guard blocks this many deletions at once.
    package func blocks(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        // A share above 1 is a mistake, such as a percentage.
        guard listed > 0, most > 0, most <= 1 else { return true }
        let all = listed + count
        return count > max(min(Self.alwaysAllowed, all / 2), Int(Double(all) * most))
    }
}

extension Deletions {
    /// Why the guard blocks deletions, for people.
    var excess: String {
        guard (0...1).contains(most) else { return "The share in Deletions.most is not from 0 to 1" }
        let percentage = most * 100
        let shown = percentage == percentage.rounded() ? "\(Int(percentage))" : "\(percentage)"
        return "That is more than deletes.max (\(shown) %)"
    }
}

/// Stored records that a changed config would remove, before anything is done.
///
/// What the origin itself reports about a record counts as it is. But if only the config says so, a misspelt name or a wrong
/// value may affect all records. So the mass-deletion guard applies.
struct RecordsToRemove: Sendable, Hashable {
    /// The number of live records.
    var stored: Int
    /// How many of them would be removed.
    var count: Int
    /// The mark of `deletes` that they have; nil where `where` excludes them.
    var mark: String?
    /// What looks wrong about the filter; nil if nothing does.
    var caution: String?

    /// Which key of the config would do it, and how.
    var consequence: String { mark == nil ? "'where' would leave out" : "'deletes' would delete" }

    /// The count, the total and the reason, as text.
    var message: String {
        "\(MessageFormat.grouped(count)) of \(MessageFormat.count(stored, "stored record"))"
            + (mark.map { ", which have the mark (\($0))" } ?? "")
            + (caution.map { " (\($0))" } ?? "")
    }

    /// Whether the mass-deletion guard blocks the removal; see ``DeletionGuard``.
    func isTooMuch(for deletions: Deletions) -> Bool {
        DeletionGuard(listed: stored - count, most: deletions.most).blocks(count)
    }
}

extension Store {
    /// The live records that have the mark; nil if there are none.
    func marked(by mark: DeletionMark, of resource: String) async throws(StoreError) -> RecordsToRemove? {
        try await read(resource) { table, snapshot in
            var marked = RecordsToRemove(stored: 0, count: 0, mark: PlainText.oneLine("\(mark)", limit: 80))
            try table.forEachBody(snapshot) { body in
                marked.stored += 1
                if mark.marks(body) { marked.count += 1 }
            }
            return marked.count > 0 ? marked : nil
        }
    }
}
