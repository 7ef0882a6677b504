/// Whether so many records may go at once without a person's look: an origin that lost its data, or hides them, looks just like
/// one whose records were deleted.
package struct DeletionGuard: Sendable {
    /// So many may always go, but not the last ones.
    package static let alwaysAllowed = 10

    /// Records that the pages of the resource show now.
    let listed: Int
    /// What the same run has removed of the resource already.
    let removed: Int
    let most: Double

    package init(listed: Int, removed: Int, most: Double) {
        (self.listed, self.removed, self.most) = (listed, removed, most)
    }

    package func withholds(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        guard listed > 0 else { return true }
        let share = Int(Double(listed + removed + count) * most)
        return removed + count > max(Self.alwaysAllowed, share)
    }
}
