internal import SidingChain

/// Options of a sync that differ from the usual.
public struct SyncOptions: Sendable, Hashable {
    /// Makes an unconditional listing from the first page: ignores checkpoint and validators.
    public var isFull: Bool
    /// Ends after this many records. This is an ad-hoc listing: it touches neither checkpoint nor validators.
    public var limit: Int?
    /// Asks for changes since this cursor value, instead of the stored one.
    public var since: String?
    /// Asks for changes between two cursor values. This is an ad-hoc listing: it touches neither checkpoint nor cursor.
    public var backfill: Backfill?
    /// Whether failures that may be retained go to the queue.
    public var retains: Bool
    /// Skips resources whose last complete listing is younger.
    public var maxAge: Duration?
    /// How long to wait for a resource that another run holds.
    public var lockWait: Duration
    /// Whether the first failure ends the run.
    public var failsFast: Bool
    /// Whether the user accepted the deletions, so that the mass-deletion guard does not apply.
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

    /// A range of cursor values; both ends are included if the origin includes them.
    public struct Backfill: Sendable, Hashable {
        public var from: String
        public var to: String

        public init(from: String, to: String) {
            (self.from, self.to) = (from, to)
        }
    }

    /// Whether the listing is ad hoc: it leaves checkpoint, validators, cursor and queue alone.
    var isAdHoc: Bool { limit != nil || backfill != nil }

    /// Whether an unfinished listing is dropped.
    var startsAnew: Bool { isFull || since != nil }
}

/// The progress of a sync, reported after each page.
package struct SyncProgress: Sendable, Hashable {
    package var resource: String
    package var counters: RunCounters
    /// The number of the page saved last.
    package var page: Int
}

extension CursorStart {
    /// The range of a new listing under `options`.
    init(_ rule: IncrementalCursor?, stored: StoredCursor?, _ options: SyncOptions, now: Timestamp) {
        self.init(
            rule, stored: stored, since: options.since, backfill: options.backfill.map { ($0.from, $0.to) },
            isFull: options.isFull, now: now)
    }
}
