// SPDX-License-Identifier: Apache-2.0
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
        try database.query(
            "SELECT \(columns) FROM siding_run_resources WHERE run = ?1 ORDER BY resource", run
        ) { try result($0) }
    }

    private static func result(_ row: borrowing Row) throws -> RunResource {
        // Error and notes only inform.
        var result = RunResource(
            resource: try row.text("resource"), outcome: try row.optionalText("outcome").flatMap(RunOutcome.init),
            duration: .microseconds(try row.int("duration_us")), entry: try row.optionalText("entry"),
            error: Store.decodeIfReadable(RecordedError.self, try row.optionalText("error")),
            notes: Store.decodeIfReadable([String].self, try row.optionalText("notes")) ?? [])
        try result.counters.map { $1 = Int(try row.int($0)) }
        return result
    }

    // MARK: The newest results of resources, by their names

    /// A sync that was cancelled on purpose is neither a success nor a failure.
    static let isNotCancelled: SQL = "report ->> '$.error.name' IS NOT 'cancelled'"
    /// The retry of quarantined records asks no origin, so it says nothing about the syncs of its resource.
    static let isSync: SQL = "(SELECT command FROM siding_runs WHERE id = run) IS NOT \(literal: Run.retryOfQuarantine)"

    /// The outcomes of the newest syncs that were not skipped, `interrupted` for one that has none.
    static func newestOutcomes(of resources: [String], _ database: borrowing some Queryable & ~Copyable) throws
        -> [String: RunOutcome]
    {
        try byName(
            """
            SELECT resource, outcome FROM json_each(?1) JOIN siding_run_resources ON resource = value AND run = (
                SELECT run FROM siding_run_resources WHERE resource = value AND outcome IS NOT 'skipped' AND \(isSync)
                ORDER BY run DESC LIMIT 1)
            """, resources, database
        ) { try $0.optionalText("outcome").flatMap(RunOutcome.init) ?? .interrupted }
    }

    /// The newest results that are neither skipped nor cancelled on purpose.
    static func newestResults(of resources: [String], _ database: borrowing some Queryable & ~Copyable) throws
        -> [String: RunResource]
    {
        try byName(
            """
            SELECT \(columns) FROM json_each(?1) JOIN siding_run_resources ON resource = value AND run = (
                SELECT run FROM siding_run_resources
                WHERE resource = value AND outcome <> 'skipped' AND \(isNotCancelled) AND \(isSync) ORDER BY run DESC LIMIT 1)
            """, resources, database
        ) { try result($0) }
    }

    /// The failed syncs since the last success.
    static func failures(of resources: [String], _ database: borrowing some Queryable & ~Copyable) throws
        -> [String: FailureStreak]
    {
        // Without an outcome the sync is still under way, or its process was killed.
        let failed: SQL = """
            SELECT run FROM siding_run_resources AS result JOIN siding_runs ON id = run
            WHERE resource = value AND run > (
                    SELECT IFNULL(MAX(run), 0) FROM siding_run_resources
                    WHERE resource = value AND outcome IN ('saved', 'not_modified') AND \(isSync))
                AND result.outcome IS NOT 'skipped' AND (result.outcome IS NOT NULL OR ended_at IS NOT NULL)
                AND \(isNotCancelled) AND \(isSync)
            """
        return try byName(
            """
            SELECT resource, oldest.started_at AS since, result.outcome AS outcome, report ->> 'error' AS error,
                IFNULL(newest.ended_at, newest.started_at) AS ended_at
            FROM json_each(?1)
            JOIN siding_runs AS oldest ON oldest.id = (\(failed) ORDER BY run LIMIT 1)
            JOIN siding_runs AS newest ON newest.id = (\(failed) ORDER BY run DESC LIMIT 1)
            JOIN siding_run_resources AS result ON resource = value AND run = newest.id
            """, resources, database
        ) { row in
            // The error only informs.
            FailureStreak(
                since: try row.time("since"), endedAt: try row.time("ended_at"),
                outcome: try row.optionalText("outcome").flatMap(RunOutcome.init) ?? .interrupted,
                error: Store.decodeIfReadable(RecordedError.self, try row.optionalText("error")))
        }
    }

    /// The newest syncs that were not skipped, newest first.
    static func pastSyncs(
        of resource: String, limit: Int, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [PastSync] {
        try database.query(
            """
            SELECT started_at, ended_at IS NOT NULL AS has_ended, result.* FROM (
                SELECT run, \(columns) FROM siding_run_resources
                WHERE resource = ?1 AND outcome IS NOT 'skipped' AND \(isSync) ORDER BY run DESC LIMIT ?2) AS result
            JOIN siding_runs ON id = run ORDER BY run DESC
            """, resource, limit
        ) { row in
            PastSync(
                run: try row.int("run"), startedAt: try row.time("started_at"), hasEnded: try row.isTrue("has_ended"),
                result: try result(row))
        }
    }

    /// - Parameter sql: has a row for each of the names in the JSON array `?1` of which there is something.
    private static func byName<Value>(
        _ sql: SQL, _ resources: [String], _ database: borrowing some Queryable & ~Copyable,
        _ value: (borrowing Row) throws -> Value
    ) throws -> [String: Value] {
        let pairs = try database.query(sql, try Store.json(resources)) { (try $0.text("resource"), try value($0)) }
        return Dictionary(pairs) { first, _ in first }
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
            (run, resource, outcome, duration_us, report, \(list { $0 }))
        VALUES (?, ?, ?, ?, json_object('entry', ?, 'error', json(?), 'notes', json(?)), \(list { _ in "?" }))
        """
    /// Those of a result, with the members of `report`.
    private static let columns: SQL = """
        resource, outcome, duration_us, report ->> 'entry' AS entry, report ->> 'error' AS error,
            report ->> 'notes' AS notes, \(list { $0 })
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
