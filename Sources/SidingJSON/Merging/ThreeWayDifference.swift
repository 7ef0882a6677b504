/// What two sides made of one document, member by member: what only one changed, what both changed alike, and where they
/// disagree.
///
/// Values are compared by their meaning, as ``JSONDocument/isEquivalent(to:)`` does. Objects that both sides still have are
/// gone into, so that changes to different members do not meet; a value that one side added, removed or replaced is one row.
/// Where the base has nothing and both sides have an object, its members count as added one by one.
///
/// An array is one value, as it is to a merge patch (RFC 7396): element by element, a change to the first element would be
/// merged into whatever another side has moved there.
public struct ThreeWayDifference: Sendable, Hashable {
    public enum Side: String, Sendable, Hashable, CaseIterable {
        case mine, theirs
    }

    /// Who changed a value.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        case mine, theirs
        /// Both, to the same value, or both removed it.
        case both
        /// Both, and not alike.
        case conflict
    }

    /// One place where not all three are the same.
    public struct Row: Sendable, Hashable {
        /// Of members only. One that leads through more than 64 of them is written, but `JSONPath` does not read it.
        public let path: JSONPath
        /// nil where nothing is there, which a `null` is not; the same holds for the sides.
        public let base: JSONDocument?
        public let mine: JSONDocument?
        public let theirs: JSONDocument?
        public let change: Change

        public var isConflict: Bool { change == .conflict }
    }

    /// In the order of the merged document: their members, then those that only mine has, then those that both removed.
    public let rows: [Row]
    /// The document with the changes of both; nil where they disagree.
    ///
    /// It is their text, in which only what mine changed is another. If one side is the base to the byte, it is the other
    /// side to the byte.
    public let merged: JSONDocument?
    private let base: JSONDocument?
    private let mine: JSONDocument
    private let theirs: JSONDocument

    /// Takes time in proportion to all three. A document that one side deleted has no text, so that it cannot be here: a
    /// deletion against a change is a conflict of its own.
    ///
    /// - Parameter base: what both sides began with; nil where it is not known.
    public init(base: JSONDocument?, mine: JSONDocument, theirs: JSONDocument) {
        var walk = ThreeWayWalk(base: base, mine: mine, theirs: theirs, preferring: .theirs)
        let document = walk.document()
        (self.base, self.mine, self.theirs) = (base, mine, theirs)
        rows = walk.rows
        // Where only mine changed anything, even the order of members is mine.
        merged = rows.contains(where: \.isConflict) ? nil : theirs == base ? mine : document
    }

    /// Where both sides changed a value and not alike, in the order of the rows.
    public var conflicts: [JSONPath] { rows.filter(\.isConflict).map(\.path) }

    /// The document with the changes of both, and with those of one side where they disagree.
    public func merged(preferring side: Side) -> JSONDocument {
        if let merged { return merged }
        var walk = ThreeWayWalk(base: base, mine: mine, theirs: theirs, preferring: side)
        return walk.document()
    }
}
