internal import SidingChain
internal import SidingSQLite

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

    static func load(_ run: RunID, _ database: borrowing some Queryable & ~Copyable) throws -> [RunResource] {
        try database.query("SELECT * FROM siding_run_resources WHERE run = ?1 ORDER BY resource", run) { row in
            var result = RunResource(
                resource: try row.text("resource"), outcome: try row.optionalText("outcome").flatMap(RunOutcome.init),
                duration: .microseconds(try row.int("duration_us")), entry: try row.optionalText("entry"),
                error: Store.decode(RecordedError.self, try row.optionalText("error")),
                notes: Store.decode([String].self, try row.optionalText("notes")) ?? [])
            try result.counters.map { $1 = Int(try row.int($0)) }
            return result
        }
    }

    /// The newest two runs that read pages of a resource, newest first.
    static func newest(of resource: String, _ database: borrowing some Queryable & ~Copyable) throws -> [RunID] {
        try database.query(
            "SELECT run FROM siding_run_resources WHERE resource = ?1 AND pages > 0 ORDER BY run DESC LIMIT 2", resource
        ) { $0.int(0) }
    }

    /// The bytes that the network carried for the runs that began at `moment` or later.
    static func bytes(since moment: Timestamp, _ snapshot: borrowing Snapshot) throws -> Int {
        try snapshot.count(
            "SELECT SUM(bytes) FROM siding_run_resources JOIN siding_runs ON id = run WHERE started_at >= ?1",
            moment.microseconds)
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
        var counters = RunCounters()
        return counters.map { column, _ in piece("\(identifier: column.description)") }.joined
    }

    private static func execute(
        _ sql: SQL, _ values: [(any SQLiteBindable)?], _ counters: RunCounters, _ transaction: borrowing Transaction
    ) throws {
        var counters = counters
        var statement = try transaction.prepare(sql)
        try statement.bind(all: values + counters.map { $1 })
        _ = try statement.step()
    }
}
