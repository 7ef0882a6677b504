public import SidingChain
public import SidingJSON

/// What a record was and is.
public struct RecordHistory: Sendable, Hashable {
    /// From when on every version of every record of the resource is kept; nil where it keeps none.
    public var since: Timestamp?
    /// Newest first. What was kept before the history was switched off is still among them.
    public var versions: [RecordVersion]

    public init(since: Timestamp?, versions: [RecordVersion]) {
        (self.since, self.versions) = (since, versions)
    }
}

/// A record as it was shown for a while: the origin's body with the user's own unsettled edits on it.
public struct RecordVersion: Sendable, Hashable {
    /// How a version came about.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        case inserted, updated, deleted
        /// It was deleted before.
        case revived
    }

    /// The JSON text, byte for byte; a tombstone keeps the body it had.
    public var body: [UInt8]
    public var from: Timestamp
    /// The first moment at which something else was shown; nil for the present version.
    public var to: Timestamp?
    /// The run that wrote it; 0 for none: the program's own saves and writes.
    public var run: RunID
    public var change: Change
    /// How many of the user's own edits in it the origin had not answered.
    public var pending: Int
    /// What differs from the version before, in the order of the members; nil where that version is not kept, and for an
    /// inserted one.
    public var differences: [MemberDifference]?

    public init(
        body: [UInt8], from: Timestamp, to: Timestamp?, run: RunID, change: Change, pending: Int,
        differences: [MemberDifference]?
    ) {
        self.body = body
        self.from = from
        self.to = to
        self.run = run
        self.change = change
        self.pending = pending
        self.differences = differences
    }
}

/// One place at which two versions differ. Objects are gone into; an array is one value.
public struct MemberDifference: Sendable, Hashable {
    public var path: JSONPath
    /// Nil where nothing was there, which a `null` is not.
    public var old: JSONDocument?
    /// Nil where nothing is there any more.
    public var new: JSONDocument?

    public init(path: JSONPath, old: JSONDocument?, new: JSONDocument?) {
        (self.path, self.old, self.new) = (path, old, new)
    }

    /// What differs between two documents by its meaning: other spellings of one value are no difference.
    static func between(_ old: JSONDocument, _ new: JSONDocument) -> [MemberDifference] {
        ThreeWayDifference(base: old, mine: old, theirs: new).rows.map { row in
            MemberDifference(path: row.path, old: row.base, new: row.theirs)
        }
    }
}
