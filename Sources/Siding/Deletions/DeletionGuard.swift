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
