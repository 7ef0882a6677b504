public import SidingJSON

/// A write and the origin, where they may disagree: what each would have of the record.
public struct ConflictReport: Sendable, Hashable {
    public var entry: QueueEntry
    public var change: WriteEdit.Change
    /// What the origin had when the edit was made, with the edits that go first; nil where it had nothing.
    public var base: JSONDocument?
    /// What the edit makes of that; nil where it deletes it.
    public var mine: JSONDocument?
    /// What the origin has now, with the edits that go first; nil where it has nothing any more.
    public var theirs: JSONDocument?
    /// Member by member; nil where one side has no record.
    public var difference: ThreeWayDifference?
    /// Why the edit may not simply be sent, in words; nil where it may.
    public var disagreement: String?

    init(_ sides: EditSides) {
        entry = sides.edit.entry
        change = sides.edit.terms.change
        base = sides.base.living
        mine = sides.mine.living
        theirs = sides.theirs.living
        difference = sides.difference
        disagreement = sides.disagreement
    }
}

/// A person's decision between a write and the origin.
public enum ConflictResolution: Sendable, Hashable {
    /// The write is sent again, under a new key, for what the origin has now.
    case mine
    /// The write is dropped.
    case theirs
    /// Another body is sent in its place, as a new entry. For an edit it is the whole record as it is to be, of which a
    /// write that carries a merge patch sends only what differs from the origin's; for other writes it is the body.
    case merge([UInt8])
    /// No conflict, but a write that may have arrived: the person has looked, and the origin has it. It is settled as
    /// delivered; `id` is what the origin calls the record that it created, for all that names it.
    case arrived(id: String?)
}
