// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_runs`, which has a row per run.
enum RunsTable {
    /// - Parameter revisions: those of all resources, as JSON, so that a change feed can begin there.
    /// - Returns: the run's number.
    static func begin(
        _ command: String, owner: String, revisions: String?, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> RunID {
        try transaction.execute(
            "INSERT INTO siding_runs (command, owner, started_at, revisions) VALUES (?1, ?2, ?3, ?4)", command, owner,
            now.microseconds, revisions)
        return transaction.lastInsertedRowID
    }

    static func end(
        _ run: RunID, as outcome: RunOutcome, revisions: String?, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_runs SET ended_at = ?2, outcome = ?3, revisions = ?4 WHERE id = ?1", run, now.microseconds,
            outcome.rawValue, revisions)
    }

    /// Marks the runs of a dead process as interrupted.
    static func interrupt(_ owner: String, now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_runs SET ended_at = ?2, outcome = 'interrupted' WHERE owner = ?1 AND ended_at IS NULL",
            owner, now.microseconds)
    }

    /// Marks a resource as forgotten, with its deletions: changes since the runs so far are no longer complete.
    static func mark(forgotten resource: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_runs SET revisions = json_patch(revisions, json_object('=' || ?1, 1)) WHERE revisions IS NOT NULL
            """, resource)
    }

    static func load(_ run: RunID, _ database: borrowing some Queryable & ~Copyable) throws -> Run? {
        try database.first("SELECT * FROM siding_runs WHERE id = ?1", run) { try Run($0, database) }
    }

    /// - Parameter resource: nil for the runs of all.
    static func newest(
        limit: Int, before run: RunID, of resource: String?, _ snapshot: borrowing Snapshot
    ) throws -> [Run] {
        guard let resource else {
            return try snapshot.query("SELECT * FROM siding_runs WHERE id < ?2 ORDER BY id DESC LIMIT ?1", limit, run) {
                try Run($0, snapshot)
            }
        }
        return try snapshot.query(
            """
            SELECT * FROM siding_runs WHERE id IN (
                SELECT run FROM siding_run_resources WHERE resource = ?3 AND run < ?2 ORDER BY run DESC LIMIT ?1)
            ORDER BY id DESC
            """, limit, run, resource
        ) { try Run($0, snapshot) }
    }

    /// Whether a run of this number existed and was pruned. AUTOINCREMENT never reuses a number.
    static func isForgotten(_ run: RunID, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.exists(
            """
            SELECT 1 FROM sqlite_sequence WHERE name = 'siding_runs' AND ?1 BETWEEN 1 AND seq
                AND NOT EXISTS (SELECT 1 FROM siding_runs WHERE id = ?1)
            """, run)
    }

    /// The owners of the runs that have not ended.
    static func owners(_ snapshot: borrowing Snapshot) throws -> [String] {
        try snapshot.query("SELECT DISTINCT owner FROM siding_runs WHERE ended_at IS NULL") { $0.text(0) }
    }

    // MARK: Pruning

    /// Whether no earlier run ended in the same hour; one that was interrupted may have ended without its upkeep.
    static func isFirstOfHour(_ run: RunID, at now: Timestamp, _ transaction: borrowing Transaction) throws -> Bool {
        let end = try transaction.first(
            """
            SELECT ended_at FROM siding_runs WHERE id < ?1 AND ended_at IS NOT NULL AND outcome <> 'interrupted'
            ORDER BY id DESC LIMIT 1
            """, run
        ) { try $0.time("ended_at") }
        let hour = Duration.seconds(3_600).wholeMicroseconds
        return end.map { $0.microseconds / hour != now.microseconds / hour } ?? true
    }

    /// The newest runs are kept whatever their age.
    private static let newestKept = 1_000
    /// The most runs that one transaction deletes.
    private static let mostAtOnce = 500

    /// Deletes runs that ended before `moment`, so that a service that syncs every few minutes does not grow its file forever,
    /// with their counters. The records that they stored are kept, and so is the run with the newest result of each resource.
    ///
    /// - Returns: the deleted runs.
    static func delete(endedBefore moment: Timestamp, _ transaction: borrowing Transaction) throws -> [RunID] {
        let runs = try old(moment.microseconds, transaction)
        for run in runs {
            try RunResourcesTable.delete(run, transaction)
            try transaction.execute("DELETE FROM siding_runs WHERE id = ?1", run)
        }
        return runs
    }

    /// Runs are read in the order of their numbers, which is the order in which they started, so reading ends at the first one
    /// that is too young. Those with the newest result of a resource are left out: its state is shown by it.
    private static func old(_ moment: Int64, _ transaction: borrowing Transaction) throws -> [RunID] {
        var statement = try transaction.prepare(
            """
            SELECT id, started_at, ended_at FROM siding_runs
            WHERE id <= (SELECT MAX(id) FROM siding_runs) - ?1
                AND NOT EXISTS (
                    SELECT 1 FROM siding_run_resources AS result
                    WHERE run = id AND outcome IS NOT 'skipped' AND \(RunResourcesTable.isNotCancelled)
                        AND \(RunResourcesTable.isSync) AND NOT EXISTS (
                            SELECT 1 FROM siding_run_resources AS later
                            WHERE later.resource = result.resource AND later.run > result.run
                                AND later.outcome IS NOT 'skipped' AND \(RunResourcesTable.isNotCancelled)
                                AND \(RunResourcesTable.isSync)))
            ORDER BY id
            """)
        try statement.bind(1, Int64(newestKept))
        var found: [RunID] = []
        while found.count < mostAtOnce, try statement.step(), try statement.row.int("started_at") < moment {
            // A run without an end is still going on, or its process is not known to be dead yet.
            let endedAt = try statement.row.optionalInt("ended_at")
            if let endedAt, endedAt < moment { found.append(try statement.row.int("id")) }
        }
        return found
    }
}

extension Run {
    fileprivate init(_ row: borrowing Row, _ database: borrowing some Queryable & ~Copyable) throws {
        let endedAt = try row.optionalTime("ended_at")
        self.init(
            id: try row.int("id"), command: try row.text("command"), startedAt: try row.time("started_at"),
            endedAt: endedAt,
            outcome: try row.optionalText("outcome").flatMap(RunOutcome.init),
            resources: try RunResourcesTable.load(row.int("id"), database),
            owner: endedAt == nil ? try row.text("owner") : nil)
    }
}
