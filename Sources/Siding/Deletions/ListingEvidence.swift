/// How strong the evidence of a complete listing or fan-out pass is that missing records were deleted.
///
/// A record can move from an unread page to one already read, or from one parent's listing to another's. So a single listing is
/// enough only if its pages are `stable` and one run read them all.
struct ListingEvidence: Hashable {
    /// Whether records never move between pages while they are read; see ``AnyResource/isStable``.
    var isStable = false
    /// Whether more than one run read its pages.
    var isInterrupted = false
    /// Whether a page showed a stored record that it had not shown before.
    var hasMoved = false
    /// Whether it is a fan-out pass.
    var isPass = false
    /// Whether missing records are verified by GET.
    var isVerified = false

    /// Whether the listing counts at all. If the origin is asked for each missing record, its answer is the proof.
    var counts: Bool { isStable || isVerified || !isInterrupted }

    /// The number of listings in a row, this one included, that must lack a record.
    ///
    /// - Parameter isFirst: whether it is the first complete listing under its definition, which deletes nothing.
    func passesNeeded(isFirst: Bool) -> Int {
        if isStable { return isInterrupted || isPass || isFirst ? 2 : 1 }
        return hasMoved ? MissingTable.mostPasses : 2
    }
}
