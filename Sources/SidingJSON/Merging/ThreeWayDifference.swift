// SPDX-License-Identifier: Apache-2.0
/// The three-way comparison of one document, member by member: what one side changed, what both changed alike, and conflicts.
///
/// Values are compared by meaning, as in ``JSONDocument/isEquivalent(to:)``. Objects that both sides still have are entered,
/// so that changes to different members do not conflict; a value that one side added, removed or replaced is one row.
/// If both sides add an object that the base lacks, its members count as added one by one.
///
/// An array is one value, as in a merge patch (RFC 7396): element by element, a change to the first element could be merged
/// into a different element that the other side has moved there.
package struct ThreeWayDifference: Sendable, Hashable {
    /// The two changed documents.
    package enum Side: String, Sendable, Hashable, CaseIterable {
        /// The copy with edits that the origin does not have yet.
        case mine
        /// The copy of the origin.
        case theirs
    }

    /// Who changed a value.
    package enum Change: String, Sendable, Hashable, CaseIterable {
        /// Mine alone.
        case mine
        /// Theirs alone.
        case theirs
        /// Both sides, to the same value, or both removed it.
        case both
        /// Both sides, differently.
        case conflict
    }

    /// One member on which the three documents differ.
    package struct Row: Sendable, Hashable {
        /// Contains only members. A path of more than 64 members cannot be parsed back by `JSONPath`.
        package let path: JSONPath
        /// The value before both changes. Nil if the member is missing; a `null` is a value.
        package let base: JSONDocument?
        /// The value in mine; nil if the member is missing there.
        package let mine: JSONDocument?
        /// The value in theirs; nil if the member is missing there.
        package let theirs: JSONDocument?
        /// Who changed it; never neither, as rows are differences.
        package let change: Change

        /// Whether both sides changed it differently, so that somebody has to choose.
        package var isConflict: Bool { change == .conflict }
    }

    /// In the order of the merged document: members of theirs, those only in mine, then those that both removed.
    package let rows: [Row]
    /// The document with the changes of both sides; nil if there is a conflict.
    ///
    /// It is the text of theirs with the changes of mine. If one side equals the base byte for byte, it is exactly the other.
    package let merged: JSONDocument?
    private let base: JSONDocument?
    private let mine: JSONDocument
    private let theirs: JSONDocument

    /// Compares in linear time. A deletion on one side is not covered, as there is no document: against a change on the other side
    /// it is its own kind of conflict.
    ///
    /// - Parameter base: the common ancestor; nil if it is not known.
    package init(base: JSONDocument?, mine: JSONDocument, theirs: JSONDocument) {
        var walk = ThreeWayWalk(base: base, mine: mine, theirs: theirs, preferring: .theirs)
        let document = walk.document()
        (self.base, self.mine, self.theirs) = (base, mine, theirs)
        rows = walk.rows
        // If only mine changed anything, even the order of members is that of mine.
        merged = rows.contains(where: \.isConflict) ? nil : theirs == base ? mine : document
    }

    /// The paths of all conflicts, in the order of the rows.
    package var conflicts: [JSONPath] { rows.filter(\.isConflict).map(\.path) }

    /// The document with the changes of both sides; `side` wins conflicts.
    package func merged(preferring side: Side) -> JSONDocument {
        if let merged { return merged }
        var walk = ThreeWayWalk(base: base, mine: mine, theirs: theirs, preferring: side)
        return walk.document()
    }
}
