internal import SidingChain
internal import SidingSQLite

/// The beginning and the end of a run, with the upkeep of the file that each does.
extension Store {
    /// Adds a run, and marks the runs of dead processes as interrupted.
    public func beginRun(command: String) async throws(StoreError) -> RunID {
        let me = try ownerID()
        let unfinished = try await read { snapshot in
            try snapshot.query("SELECT DISTINCT owner FROM siding_runs WHERE ended_at IS NULL") { $0.text(0) }
        }
        let dead = unfinished.filter { !owner.isAlive($0) }
        let now = clock.now.microseconds
        let run = try await write { transaction -> RunID in
            for owner in dead {
                try transaction.execute(
                    "UPDATE siding_runs SET ended_at = ?2, outcome = 'interrupted' WHERE owner = ?1 AND ended_at IS NULL",
                    owner, now)
            }
            try QueueTransitions(owner: me, now: Timestamp(microseconds: now)).parkExpired(transaction)
            try transaction.execute(
                """
                INSERT INTO siding_runs (command, owner, started_at, revisions)
                VALUES (?1, ?2, ?3, \(ChangeFeed.revisions))
                """, command, me, now)
            return transaction.lastInsertedRowID
        }
        // An owner without a lock file counts as dead, so anything else that it owned can still be taken over.
        for owner in dead { self.owner.forget(owner) }
        return run
    }

    /// Stores the outcome of a run, and deletes what is older than its retention.
    public func endRun(_ run: RunID, outcome: RunOutcome) async throws(StoreError) {
        let now = clock.now.microseconds
        try await write { transaction in
            try transaction.execute(
                """
                UPDATE siding_runs SET ended_at = ?2, outcome = ?3, revisions = \(ChangeFeed.revisions) WHERE id = ?1
                """, run, now, outcome.rawValue)
            try EntryPruning(now: Timestamp(microseconds: now)).removeSettled(
                before: Timestamp(microseconds: now - EntryPruning.retention), transaction)
            try HistoryPruning(now: Timestamp(microseconds: now)).prune(transaction)
            try RunPruning(now: Timestamp(microseconds: now)).prune(transaction)
        }
        owner.sweep()
    }
}

/// Deletes old runs, so that a service that syncs every few minutes does not grow its file forever. The records that they
/// stored are kept.
struct RunPruning {
    /// The newest runs are kept whatever their age.
    static let newestKept = 1_000
    /// The most runs that one transaction deletes.
    private static let mostAtOnce = 500

    let now: Timestamp

    /// Deletes runs that ended more than ``EntryPruning/retention`` ago, with their counters and their lists of deleted
    /// records: those can no longer be restored by run number.
    func prune(_ transaction: borrowing Transaction) throws {
        for run in try old(transaction) {
            try transaction.execute("DELETE FROM siding_run_resources WHERE run = ?1", run)
            try transaction.execute("DELETE FROM siding_tombstones WHERE run = ?1", run)
            try transaction.execute("DELETE FROM siding_runs WHERE id = ?1", run)
        }
    }

    /// Runs are read in the order of their numbers, which is the order in which they started, so reading ends at the first one
    /// that is too young.
    private func old(_ transaction: borrowing Transaction) throws -> [RunID] {
        let moment = now.microseconds - EntryPruning.retention
        var statement = try transaction.prepare(
            """
            SELECT id, started_at, ended_at FROM siding_runs
            WHERE id <= (SELECT MAX(id) FROM siding_runs) - ?1 ORDER BY id
            """)
        try statement.bind(1, Int64(Self.newestKept))
        var found: [RunID] = []
        while found.count < Self.mostAtOnce, try statement.step(), statement.int(1) < moment {
            // A run without an end is still going on, or its process is not known to be dead yet.
            if let endedAt = statement.optionalInt(2), endedAt < moment { found.append(statement.int(0)) }
        }
        return found
    }
}
