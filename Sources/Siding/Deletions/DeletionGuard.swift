/// The mass-deletion guard: whether so many records may be deleted at once before a person has looked. An origin that lost or
/// hides its data looks just like one whose records were deleted.
package struct DeletionGuard: Sendable {
    /// Up to 10 deletions, never more than half of all records, pass whatever the percentage.
    package static let alwaysAllowed = 10

    /// Records that the pages of the resource show now.
    let listed: Int
    /// The largest share that may be deleted; 0 for none at all.
    let most: Double

    package init(listed: Int, most: Double) { (self.listed, self.most) = (listed, most) }

    package func blocks(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        guard listed > 0, most > 0 else { return true }
        let all = listed + count
        return count > max(min(Self.alwaysAllowed, all / 2), Int(Double(all) * most))
    }
}
