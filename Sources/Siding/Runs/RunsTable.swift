internal import SidingChain
internal import SidingSQLite

/// Writes `siding_runs`, which has a row per run.
enum RunsTable {
    /// - Returns: the run's number.
    static func begin(
        _ command: String, owner: String, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> RunID {
        try transaction.execute(
            "INSERT INTO siding_runs (command, owner, started_at, revisions) VALUES (?1, ?2, ?3, ?4)", command, owner,
            now.microseconds, ResourcesTable.revisions(transaction))
        return transaction.lastInsertedRowID
    }

    static func end(
        _ run: RunID, as outcome: RunOutcome, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_runs SET ended_at = ?2, outcome = ?3, revisions = ?4 WHERE id = ?1", run, now.microseconds,
            outcome.rawValue, ResourcesTable.revisions(transaction))
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

    static func delete(_ run: RunID, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_runs WHERE id = ?1", run)
    }
}
