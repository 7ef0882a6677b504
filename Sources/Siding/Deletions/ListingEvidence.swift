/// What a complete listing, or a complete fan-out pass, proves of the records that it did not show.
///
/// A record can slip from a page that was not read yet to one that was, or from the listing of one parent to that of another. So one
/// listing alone is proof only if its pages are `stable` and one run read them all.
struct ListingEvidence: Hashable {
    /// Whether records never move between pages while they are read; see ``AnyResource/isStable``.
    var isStable = false
    /// Whether more than one run read its pages.
    var isInterrupted = false
    /// Whether a page showed a record that another page had shown before.
    var hasMoved = false
    /// Whether it is a pass over the records of another resource.
    var isPass = false
    /// Whether the origin is asked for each missing record.
    var isVerified = false

    /// Whether the listing counts at all.
    var counts: Bool { isStable || isVerified || !isInterrupted }

    /// So many listings in a row have to lack a record, this one included.
    ///
    /// - Parameter isFirst: whether it is the first complete one under its definition, which deletes nothing.
    func passesNeeded(isFirst: Bool) -> Int {
        if isStable { return isInterrupted || isPass || isFirst ? 2 : 1 }
        return hasMoved ? MissingTable.mostPasses : 2
    }
}
