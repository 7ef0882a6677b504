/// What is out of the ordinary about a sync.
public struct SyncOptions: Sendable, Hashable {
    /// Drops checkpoint and validators' use: an unconditional listing from the first page.
    public var isFull: Bool
    /// Ends after so many records; such a listing touches neither checkpoint nor validators.
    public var limit: Int?
    /// Asks for what changed since this value of the cursor, instead of since the stored one.
    public var since: String?
    /// Asks for what changed between two values of the cursor; such a listing touches neither checkpoint nor cursor.
    public var backfill: Backfill?
    /// Whether a kept failure is retained in the queue.
    public var retains: Bool
    /// Resources whose last complete listing is younger are skipped.
    public var maxAge: Duration?
    /// How long to wait for a resource that another run holds.
    public var lockWait: Duration
    /// Whether the first failure ends the run.
    public var failsFast: Bool
    /// Whether as many records may be deleted as are gone: a person has had a look.
    public var acceptsDeletes = false

    public init(
        isFull: Bool = false, limit: Int? = nil, since: String? = nil, backfill: Backfill? = nil, retains: Bool = true,
        maxAge: Duration? = nil,
        lockWait: Duration = .zero, failsFast: Bool = false
    ) {
        self.isFull = isFull
        self.limit = limit
        self.since = since
        self.backfill = backfill
        self.retains = retains
        self.maxAge = maxAge
        self.lockWait = lockWait
        self.failsFast = failsFast
    }

    /// Two values of a cursor, both included where the origin includes them.
    public struct Backfill: Sendable, Hashable {
        public var from: String
        public var to: String

        public init(from: String, to: String) {
            (self.from, self.to) = (from, to)
        }
    }

    /// Whether the listing is one of its own, which leaves checkpoint, validators, cursor and queue alone.
    var isAside: Bool { limit != nil || backfill != nil }

    /// Whether what was left half-way is dropped.
    var startsAnew: Bool { isFull || since != nil }
}

/// How far a sync has come, told after each page.
public struct SyncProgress: Sendable, Hashable {
    public var resource: String
    public var counters: RunCounters
    /// The page that was saved last.
    public var page: Int
}
