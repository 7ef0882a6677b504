/// The net change of a record since the end of a run.
public struct ChangedRecord: Sendable, Hashable {
    /// The kind of a net change.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The record is live, and was not during all of that time. A copy may still have it, if it was deleted and came back.
        case inserted
        /// The record is live and was during all of that time.
        case updated
        /// The record is deleted. A copy may never have had it, if it was created and deleted since.
        case deleted
    }

    public var key: String
    public var kind: Kind

    public init(key: String, kind: Kind) {
        (self.key, self.kind) = (key, kind)
    }
}

/// The changes of a resource since the end of a run. To update a copy from that time, replace or add the inserted and updated
/// records by key and remove the deleted ones.
public struct RecordsSince: Sendable, Hashable {
    /// Sorted by key, each key once.
    public var changes: [ChangedRecord]
    /// The run to pass next time: the newest one that had ended. Changes after it may be reported again then. 0 if no run ever
    /// ended: the next call reports everything, including tombstones.
    public var run: RunID

    public init(changes: [ChangedRecord], run: RunID) {
        (self.changes, self.run) = (changes, run)
    }
}
