/// Whether so many records may go at once without a person's look: an origin that lost its data, or hides them, looks just like
/// one whose records were deleted.
package struct DeletionGuard: Sendable {
    /// So many may go whatever the share, but no more than half of what there was.
    package static let alwaysAllowed = 10

    /// Records that the pages of the resource show now.
    let listed: Int
    /// The largest share that may go; 0 for none at all.
    let most: Double

    package init(listed: Int, most: Double) { (self.listed, self.most) = (listed, most) }

    package func withholds(_ count: Int) -> Bool {
        guard count > 0 else { return false }
        guard listed > 0, most > 0 else { return true }
        let all = listed + count
        return count > max(min(Self.alwaysAllowed, all / 2), Int(Double(all) * most))
    }
}
