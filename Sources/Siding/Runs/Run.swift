public import SidingChain

/// Names a run: a small number that a person can type.
public typealias RunID = Int64

/// What a run, or a resource within it, came to.
public enum RunOutcome: String, Sendable, Codable, CaseIterable {
    case saved
    /// Every page answered 304: nothing was written.
    case notModified = "not_modified"
    /// A page is retained in the queue; the next run goes on there.
    case queued
    /// Some resources were saved and some failed.
    case partial
    /// Nothing was asked: fresh enough, or another run holds the resource.
    case skipped
    case failed
    /// The process ended before the run did.
    case interrupted
}

/// What happened to a resource in a run, in numbers.
public struct RunCounters: Sendable, Hashable, Codable {
    public var pages = 0
    public var requests = 0
    public var notModified = 0
    public var inserted = 0
    public var updated = 0
    public var unchanged = 0
    public var stale = 0
    public var deleted = 0
    /// Records that are gone from the origin and were left, as they are too many to go without a person's look.
    public var withheld = 0
    public var quarantined = 0
    /// How many of `quarantined` are whole answers that a rule set aside; it is told, and not kept with the run.
    public var answersSetAside = 0
    /// How many of `deleted` left as `where` is neither true nor false of them; it is told, and not kept with the run.
    public var unfit = 0
    /// Records that a later one of the same page replaced, as it has the same key.
    public var duplicates = 0
    public var bytes = 0

    public init() {}

    public static func += (total: inout RunCounters, part: RunCounters) {
        for path in [
            \RunCounters.pages, \.requests, \.notModified, \.inserted, \.updated, \.unchanged, \.stale, \.deleted,
            \.withheld, \.quarantined, \.answersSetAside, \.unfit, \.duplicates, \.bytes,
        ] { total[keyPath: path] += part[keyPath: path] }
    }
}

/// Why a resource failed or was queued, in a form that is stored and shown.
public struct RecordedError: Sendable, Hashable, Codable {
    /// A stable name, as in ``Failure/Reason/name``.
    public var name: String
    /// One line for a person.
    public var message: String
    /// What to do about it.
    public var hint: String?
    /// The HTTP status, where the origin answered.
    public var status: Int?
    /// `not_sent`, `maybe_sent` or `answered`.
    public var phase: String?

    public init(name: String, message: String, hint: String? = nil, status: Int? = nil, phase: String? = nil) {
        (self.name, self.message, self.hint, self.status, self.phase) = (name, message, hint, status, phase)
    }
}

/// One resource's line in a run.
public struct RunResource: Sendable, Hashable {
    public var resource: String
    /// Nil while the run is at it.
    public var outcome: RunOutcome?
    public var counters: RunCounters
    public var duration: Duration
    /// The entry that the queue retains.
    public var entry: String?
    public var error: RecordedError?
    /// What a person should know: the paging that was chosen, a changed definition, a listing that started anew.
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

/// One run of the history.
public struct Run: Sendable, Hashable {
    public var id: RunID
    /// What was asked for: `sync posts`.
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
