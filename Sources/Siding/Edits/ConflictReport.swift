public import SidingJSON

/// The local and remote versions of a record with a pending edit.
public struct ConflictReport: Sendable, Hashable {
    public var entry: QueueEntry
    public var change: WriteEdit.Change
    /// The server copy when the edit was made, with earlier edits applied; nil if there was no record.
    public var base: JSONDocument?
    /// The edit applied to ``base``; nil if it deletes the record.
    public var mine: JSONDocument?
    /// The present server copy, with earlier edits applied; nil if the record is gone.
    public var theirs: JSONDocument?
    /// The differences per member; nil if the record is missing locally or remotely.
    public var difference: ThreeWayDifference?
    /// Why the edit conflicts with the server copy, as a message; nil if it can be sent.
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

/// An operator's decision on a write.
public enum ConflictResolution: Sendable, Hashable {
    /// Sends the write again, under a new key, against the present server copy.
    case mine
    /// Drops the write.
    case theirs
    /// Sends another body as a new entry. For an edit, the parameter is the whole wanted record; a write with a merge patch
    /// sends only its differences from the server copy. For other writes it is the body.
    case merge([UInt8])
    /// Not for conflicts, but for a write in doubt that the operator has found at the origin. Completes it as delivered; `id`
    /// is the origin's id of the created record, for the entries that name it.
    case arrived(id: String?)
}
