// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging

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
    /// Whether a page that could not be fetched is kept in the queue, for the next sync to continue there; true by default.
    public var retains: Bool
    /// Skips resources whose last complete listing is younger; nil, the default, skips none.
    public var maxAge: Duration?
    /// How long to wait for a resource that another process syncs; by default not at all.
    public var lockWait: Duration
    /// Sends no further request once the run has carried this many bytes, both directions counted; nil for no limit. Requests are
    /// then sent one at a time, so the run exceeds it by one answer at most. The next sync continues there.
    public var maxBytes: Int?
    /// Whether the first failure ends the run.
    public var failsFast: Bool
    /// Whether the user accepted the deletions, so that the mass-deletion guard does not apply.
    public var acceptsDeletes = false

    /// The usual sync by default. The parameters are the properties of the same names.
    public init(
        isFull: Bool = false, limit: Int? = nil, since: String? = nil, backfill: Backfill? = nil, retains: Bool = true,
        maxAge: Duration? = nil, lockWait: Duration = .zero, failsFast: Bool = false
    ) {
        (self.isFull, self.limit, self.since, self.backfill) = (isFull, limit, since, backfill)
        (self.retains, self.maxAge, self.lockWait, self.failsFast) = (retains, maxAge, lockWait, failsFast)
    }

    /// A range of cursor values; both ends are included if the origin includes them.
    public struct Backfill: Sendable, Hashable {
        /// The first value, as the origin writes it.
        public var from: String
        /// The last value.
        public var to: String

        /// The changes between these two cursor values.
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
    ///
    /// - Parameters:
    ///   - stored: the stored cursor, if it belongs to the present definition.
    ///   - now: the current time, to check the cursor's age against the origin's retention.
    init(_ rule: IncrementalCursor?, stored: StoredCursor?, _ options: SyncOptions, now: Timestamp) {
        self.init()
        guard let rule else { return }
        if rule.isOfRecords, rule.type.isTime, rule.direction == .max { began = now }
        if let backfill = options.backfill {
            (from, until) = (backfill.from, backfill.to)
            reason = "changes from \(backfill.from) to \(backfill.to); the cursor stays"
        } else if let since = options.since {
            from = since
            // Nobody requested the changes between the stored cursor and a later value.
            moves = stored.map { !rule.isOpaque && !rule.isFurther(since, than: $0.value) } ?? false
            reason = "changes since \(since), as asked" + (moves ? "" : "; the cursor stays")
        } else {
            moves = true
            (from, reason) = Self.usual(rule, stored, isFull: options.isFull, now: now)
        }
    }
}

extension ListingOpening {
    /// The opening of a listing, or of a fan-out pass, of `resource` under `options`.
    init(
        _ resource: AnyResource, _ options: SyncOptions, lease: Lease, run: RunID, first: PageRequest,
        cursor: ListingCursor = ListingCursor(), parent: ListingParent? = nil, root: String? = nil
    ) {
        self.init(
            resource: resource.name, source: resource.source.name, definition: ResourceDefinition(resource),
            lease: lease, run: run, startsAnew: options.startsAnew, isUnconditional: options.isFull,
            first: first, cursor: cursor, isAdHoc: options.isAdHoc,
            schema: resource.schema, parent: parent, root: root, isWritten: resource.isWritten)
    }
    /// An opening for a plan, which writes nothing and needs no lease.
    init(
        planning resource: AnyResource, _ options: SyncOptions, _ first: PageRequest, root: String? = nil
    ) {
        self.init(
            resource, options, lease: Lease(name: Lease.name(ofResource: resource.name), token: 0), run: Run.none,
            first: first, root: root)
    }
}
