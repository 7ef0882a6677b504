public import SidingChain

/// The number of a run, small enough for users to type.
public typealias RunID = Int64

/// The result of a run, or of one resource in it.
public enum RunOutcome: String, Sendable, Codable, CaseIterable {
    case saved
    /// Every page was answered with 304: nothing was written.
    case notModified = "not_modified"
    /// A page is kept in the queue; the next run continues there.
    case queued
    /// Some resources were saved and some failed.
    case partial
    /// No request was made: the resource is fresh enough, or another run holds it.
    case skipped
    case failed
    /// The process ended before the run did.
    case interrupted
}

/// Counters of a resource in a run.
public struct RunCounters: Sendable, Hashable, Codable {
    public var pages = 0
    public var requests = 0
    public var notModified = 0
    public var inserted = 0
    public var updated = 0
    public var unchanged = 0
    public var stale = 0
    public var deleted = 0
    /// Blocked deletions: records missing at the origin that were kept, because there are more than the mass-deletion guard
    /// allows.
    public var withheld = 0
    public var quarantined = 0
    /// How many of `quarantined` are whole answers set aside by a failure rule; reported, but not stored with the run.
    public var answersSetAside = 0
    /// How many of `deleted` were removed because `where` is NULL for them; reported, but not stored with the run.
    public var nullFiltered = 0
    /// Records replaced by a later one with the same key on the same page.
    public var duplicates = 0
    public var bytes = 0

    public init() {}

    public static func += (total: inout RunCounters, part: RunCounters) {
        for path in [
            \RunCounters.pages, \.requests, \.notModified, \.inserted, \.updated, \.unchanged, \.stale, \.deleted,
            \.withheld, \.quarantined, \.answersSetAside, \.nullFiltered, \.duplicates, \.bytes,
        ] { total[keyPath: path] += part[keyPath: path] }
    }
}

/// Why a resource failed or was queued, in a form that is stored and shown.
public struct RecordedError: Sendable, Hashable, Codable {
    /// A stable name, as in ``Failure/Reason/name``.
    public var name: String
    /// One line for users.
    public var message: String
    /// What to do about it.
    public var hint: String?
    /// The HTTP status, if the origin answered.
    public var status: Int?
    /// `not_sent`, `maybe_sent` or `answered`.
    public var phase: String?

    public init(name: String, message: String, hint: String? = nil, status: Int? = nil, phase: String? = nil) {
        (self.name, self.message, self.hint, self.status, self.phase) = (name, message, hint, status, phase)
    }
}

/// The part of a run that concerns one resource.
public struct RunResource: Sendable, Hashable {
    public var resource: String
    /// Nil while the resource is being synced.
    public var outcome: RunOutcome?
    public var counters: RunCounters
    public var duration: Duration
    /// The entry that is kept in the queue.
    public var entry: String?
    public var error: RecordedError?
    /// Notes for users: the chosen pagination, a changed definition, a restarted listing.
    public var notes: [String]

    public init(
        resource: String, outcome: RunOutcome?, counters: RunCounters = RunCounters(), duration: Duration = .zero,
        entry: String? = nil, error: RecordedError? = nil, notes: [String] = []
    ) {
        self.resource = resource
        self.outcome = outcome
        self.counters = counters
        self.duration = duration
        self.entry = entry
        self.error = error
        self.notes = notes
    }
}

/// One run in the history.
public struct Run: Sendable, Hashable {
    public var id: RunID
    /// The command that started it, such as `sync posts`.
    public var command: String
    public var startedAt: Timestamp
    public var endedAt: Timestamp?
    /// Nil while it runs.
    public var outcome: RunOutcome?
    public var resources: [RunResource]

    public init(
        id: RunID, command: String, startedAt: Timestamp, endedAt: Timestamp?, outcome: RunOutcome?,
        resources: [RunResource]
    ) {
        self.id = id
        self.command = command
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.outcome = outcome
        self.resources = resources
    }
}
