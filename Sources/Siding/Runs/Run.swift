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
    /// How many of `deleted` were removed because `where` is NULL for them.
    public var nullFiltered = 0
    /// Blocked deletions: records missing at the origin that were kept, because there are more than the mass-deletion guard
    /// allows.
    public var withheld = 0
    public var quarantined = 0
    /// How many of `quarantined` are whole answers that a failure rule set aside.
    public var answersSetAside = 0
    /// Records replaced by a later one with the same key on the same page.
    public var duplicates = 0
    public var bytes = 0

    public init() {}

    /// The column of each counter in `siding_run_resources`, in the order of ``values``.
    static let columns: [SQL] = [
        "pages", "requests", "not_modified", "inserted", "updated", "unchanged", "stale", "deleted", "null_filtered",
        "withheld", "quarantined", "answers_set_aside", "duplicates", "bytes",
    ]

    var values: [Int] {
        get {
            [pages, requests, notModified, inserted, updated, unchanged, stale, deleted, nullFiltered, withheld]
                + [quarantined, answersSetAside, duplicates, bytes]
        }
        set {
            (pages, requests, notModified, inserted) = (newValue[0], newValue[1], newValue[2], newValue[3])
            (updated, unchanged, stale, deleted) = (newValue[4], newValue[5], newValue[6], newValue[7])
            (nullFiltered, withheld, quarantined) = (newValue[8], newValue[9], newValue[10])
            (answersSetAside, duplicates, bytes) = (newValue[11], newValue[12], newValue[13])
        }
    }

    package static func += (sum: inout RunCounters, part: RunCounters) {
        sum.values = zip(sum.values, part.values).map(+)
    }

    /// The number of records written.
    var changed: Int { inserted + updated + deleted }
    /// The number of records read.
    var saved: Int { inserted + updated + unchanged + stale + quarantined + duplicates }
}

/// The part of a run that concerns one resource.
package struct RunResource: Sendable, Hashable {
    package var resource: String
    /// Nil while the resource is being synced.
    package var outcome: RunOutcome?
    package var counters = RunCounters()
    package var duration = Duration.zero
    /// The entry that is kept in the queue.
    package var entry: String?
    package var error: RecordedError?
    /// Notes for users: the chosen pagination, a changed definition, a restarted listing.
    package var notes: [String] = []
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

    /// The run number of what no run wrote, such as records that a program saved.
    static let none: RunID = 0
}

/// The table `siding_run_resources`: what each run did to each resource.
///
/// A transaction that writes rows adds what it counted and returns it; the report of the sync adds the same value, and is stored
/// at the end. So the row of a run that was killed counts the pages that it saved.
enum RunResourcesTable {
    static func add(
        _ counters: RunCounters, to resource: String, in run: RunID, _ transaction: borrowing Transaction
    ) throws {
        guard counters != RunCounters() else { return }
        try execute(insertion, [run, resource], counters, transaction)
    }

    static func save(_ result: RunResource, in run: RunID, _ transaction: borrowing Transaction) throws {
        let values: [(any SQLiteBindable)?] = [
            run, result.resource, result.outcome?.rawValue, result.duration.wholeMicroseconds, result.entry,
            try result.error.map(Store.json), try Store.json(result.notes),
        ]
        try execute(replacement, values, result.counters, transaction)
    }

    static func delete(_ run: RunID, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_run_resources WHERE run = ?1", run)
    }

    static func load(_ run: RunID, _ snapshot: borrowing Snapshot) throws -> [RunResource] {
        try snapshot.query(
            """
            SELECT \(list { $0 }), resource, outcome, duration_us, entry, error, notes
            FROM siding_run_resources WHERE run = ?1 ORDER BY resource
            """, run
        ) { row in
            var result = RunResource(
                resource: try row.text("resource"), outcome: try row.optionalText("outcome").flatMap(RunOutcome.init),
                duration: .microseconds(try row.int("duration_us")), entry: try row.optionalText("entry"),
                error: Store.decode(RecordedError.self, try row.optionalText("error")),
                notes: Store.decode([String].self, try row.optionalText("notes")) ?? [])
            result.counters.values = RunCounters.columns.indices.map { Int(row.int($0)) }
            return result
        }
    }

    private static let insertion: SQL = """
        INSERT INTO siding_run_resources (run, resource, \(list { $0 })) VALUES (?, ?, \(list { _ in "?" }))
        ON CONFLICT (run, resource) DO UPDATE SET \(list { "\($0) = \($0) + excluded.\($0)" })
        """
    private static let replacement: SQL = """
        INSERT OR REPLACE INTO siding_run_resources
            (run, resource, outcome, duration_us, entry, error, notes, \(list { $0 }))
        VALUES (?, ?, ?, ?, ?, ?, ?, \(list { _ in "?" }))
        """

    /// A piece of SQL for each counter's column.
    private static func list(_ piece: (SQL) -> SQL) -> SQL {
        RunCounters.columns.dropFirst().reduce(piece(RunCounters.columns[0])) { "\($0), \(piece($1))" }
    }

    private static func execute(
        _ sql: SQL, _ values: [(any SQLiteBindable)?], _ counters: RunCounters, _ transaction: borrowing Transaction
    ) throws {
        var statement = try transaction.prepare(sql)
        try statement.bind(all: values + counters.values)
        _ = try statement.step()
    }
}

extension Store {
    /// Stores what a run did to a resource.
    package func endResource(_ result: RunResource, in run: RunID) async throws(StoreError) {
        try await write { transaction in try RunResourcesTable.save(result, in: run, transaction) }
    }

    /// The runs, newest first, at most `limit`.
    package func runs(limit: Int) async throws(StoreError) -> [Run] {
        try await runs("ORDER BY id DESC LIMIT ?1", Int64(limit))
    }

    package func run(_ id: RunID) async throws(StoreError) -> Run? {
        try await runs("WHERE id = ?1", id).first
    }

    /// The bytes that the network carried for the runs that began at `moment` or later.
    package func bytes(since moment: Timestamp) async throws(StoreError) -> Int {
        try await read { snapshot in
            let sum: SQL =
                "SELECT sum(bytes) FROM siding_run_resources JOIN siding_runs ON id = run WHERE started_at >= ?1"
            return try snapshot.first(sum, moment.microseconds) { Int($0.optionalInt(0) ?? 0) } ?? 0
        }
    }

    private func runs(_ clause: SQL, _ value: Int64) async throws(StoreError) -> [Run] {
        try await read { snapshot in
            try snapshot.query("SELECT id, command, started_at, ended_at, outcome FROM siding_runs \(clause)", value) {
                row in
                Run(
                    id: try row.int("id"), command: try row.text("command"), startedAt: try row.time("started_at"),
                    endedAt: try row.optionalTime("ended_at"),
                    outcome: try row.optionalText("outcome").flatMap(RunOutcome.init),
                    resources: try RunResourcesTable.load(row.int("id"), snapshot))
            }
        }
    }

    /// Whether a run of this number existed and was pruned. AUTOINCREMENT never reuses a number.
    static func isForgotten(_ run: RunID, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM sqlite_sequence WHERE name = 'siding_runs' AND ?1 BETWEEN 1 AND seq
                AND NOT EXISTS (SELECT 1 FROM siding_runs WHERE id = ?1)
            """, run
        ) { _ in true } ?? false
    }

    package func isForgotten(_ run: RunID) async throws(StoreError) -> Bool {
        try await read { snapshot in try Self.isForgotten(run, snapshot) }
    }
}
