package import SidingChain
internal import SidingSQLite

/// The number of a run, small enough for users to type.
public typealias RunID = Int64

/// The result of a run, or of one resource in it.
package enum RunOutcome: String, Sendable, Codable, CaseIterable {
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

/// The part of a run that concerns one resource.
package struct RunResource: Sendable, Hashable {
    package var resource: String
    /// Nil while the resource is being synced.
    package var outcome: RunOutcome?
    package var counters: RunCounters
    package var duration: Duration
    /// The entry that is kept in the queue.
    package var entry: String?
    package var error: RecordedError?
    /// Notes for users: the chosen pagination, a changed definition, a restarted listing.
    package var notes: [String]

    package init(
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
package struct Run: Sendable, Hashable {
    package var id: RunID
    /// The command that started it, such as `sync posts`.
    package var command: String
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    /// Nil while it runs.
    package var outcome: RunOutcome?
    package var resources: [RunResource]

    /// Stands for what no run wrote, such as records that the program saved.
    static let none: RunID = 0

    package init(
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

extension RunCounters {
    /// The number of records written.
    var changed: Int { inserted + updated + deleted }
}

/// Stores the counters of a resource in a run, in the transactions that write the counted rows.
enum RunCounting {
    static func add(
        _ counters: RunCounters, to resource: String, in run: RunID, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_run_resources (run, resource, pages, requests, not_modified, inserted, updated, unchanged,
                stale, deleted, quarantined, bytes, duplicates, withheld)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            ON CONFLICT (run, resource) DO UPDATE SET
                pages = pages + excluded.pages, requests = requests + excluded.requests,
                not_modified = not_modified + excluded.not_modified, inserted = inserted + excluded.inserted,
                updated = updated + excluded.updated, unchanged = unchanged + excluded.unchanged,
                stale = stale + excluded.stale, deleted = deleted + excluded.deleted,
                quarantined = quarantined + excluded.quarantined, bytes = bytes + excluded.bytes,
                duplicates = duplicates + excluded.duplicates, withheld = withheld + excluded.withheld
            """,
            run, resource, counters.pages, counters.requests, counters.notModified, counters.inserted, counters.updated,
            counters.unchanged, counters.stale, counters.deleted, counters.quarantined, counters.bytes,
            counters.duplicates, counters.withheld)
    }

    static func resources(of run: RunID, _ snapshot: borrowing Snapshot) throws -> [RunResource] {
        try snapshot.query(
            """
            SELECT resource, outcome, pages, requests, not_modified, inserted, updated, unchanged, stale, deleted,
                quarantined, bytes, duration_us, entry, error, notes, duplicates, withheld
            FROM siding_run_resources WHERE run = ?1 ORDER BY resource
            """, run
        ) { row in
            RunResource(
                resource: row.text(0), outcome: row.optionalText(1).flatMap(RunOutcome.init), counters: counters(row),
                duration: .microseconds(row.int(12)), entry: row.optionalText(13),
                error: Store.decode(RecordedError.self, row.optionalText(14)),
                notes: Store.decode([String].self, row.optionalText(15)) ?? [])
        }
    }

    private static func counters(_ row: borrowing Row) -> RunCounters {
        var counters = RunCounters()
        counters.pages = Int(row.int(2))
        counters.requests = Int(row.int(3))
        counters.notModified = Int(row.int(4))
        counters.inserted = Int(row.int(5))
        counters.updated = Int(row.int(6))
        counters.unchanged = Int(row.int(7))
        counters.stale = Int(row.int(8))
        counters.deleted = Int(row.int(9))
        counters.quarantined = Int(row.int(10))
        counters.bytes = Int(row.int(11))
        counters.duplicates = Int(row.int(16))
        counters.withheld = Int(row.int(17))
        return counters
    }
}
