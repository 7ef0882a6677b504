/// What became of a record since a run ended, however often it was written meanwhile.
public struct ChangedRecord: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// It lives, and did not all the time since. A copy may have it still: of a record that went and came back its
        /// reader is told this alone.
        case inserted
        /// It lives, and did all the time.
        case updated
        /// It is gone. A copy may never have had it: of a record that came and went its reader is told this alone.
        case deleted
    }

    public var key: String
    public var kind: Kind

    public init(key: String, kind: Kind) {
        (self.key, self.kind) = (key, kind)
    }
}

/// What changed in a resource since a run ended: whoever puts the inserted and updated records in the place of those that a
/// copy has under their keys, and removes the deleted ones, makes a copy of then one of now.
public struct RecordsSince: Sendable, Hashable {
    /// In the order of the keys, each key once.
    public var changes: [ChangedRecord]
    /// Where the next look begins: the newest run that had ended. What changed after it and is told here is told again then.
    /// 0 where no run ever ended: everything is told since then, what is gone included.
    public var run: RunID

    public init(changes: [ChangedRecord], run: RunID) {
        (self.changes, self.run) = (changes, run)
    }
}
