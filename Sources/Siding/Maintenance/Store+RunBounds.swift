internal import SidingChain
internal import SidingSQLite

/// The beginning and the end of a run, with the upkeep of the file that each does.
extension Store {
    /// Adds a run, and marks the runs of dead processes as interrupted.
    package func beginRun(command: String) async throws(StoreError) -> RunID {
        let me = try ownerID()
        let unfinished = try await read { snapshot in
            try snapshot.query("SELECT DISTINCT owner FROM siding_runs WHERE ended_at IS NULL") { $0.text(0) }
        }
        let dead = unfinished.filter { !owner.isAlive($0) }
        let now = clock.now
        let run = try await write { transaction -> RunID in
            for owner in dead { try RunsTable.interrupt(owner, now: now, transaction) }
            try QueueTransitions(owner: me, now: now).parkExpired(transaction)
            return try RunsTable.begin(command, owner: me, now: now, transaction)
        }
        // An owner without a lock file counts as dead, so anything else that it owned can still be taken over.
        for owner in dead { self.owner.forget(owner) }
        return run
    }

    /// How long completed entries and ended runs are kept: 30 days, in microseconds.
    private static let retention: Int64 = 30 * 86_400 * 1_000_000

    /// Stores the outcome of a run, and deletes what is older than its retention: completed entries, versions, requests and runs.
    package func endRun(_ run: RunID, outcome: RunOutcome) async throws(StoreError) {
        let now = clock.now
        let oldest = Timestamp(microseconds: now.microseconds - Self.retention)
        try await write { transaction in
            try RunsTable.end(run, as: outcome, now: now, transaction)
            try EntryPruning(now: now).removeSettled(before: oldest, transaction)
            try HistoryPruning(now: now).prune(transaction)
            try RunPruning.deleteRuns(endedBefore: oldest, transaction)
        }
        owner.sweep()
    }
}

/// Deletes old runs, so that a service that syncs every few minutes does not grow its file forever. The records that they
/// stored are kept.
enum RunPruning {
    /// The newest runs are kept whatever their age.
    static let newestKept = 1_000
    /// The most runs that one transaction deletes.
    private static let mostAtOnce = 500

    /// Deletes runs that ended before `moment`, with their counters and their lists of deleted records: those can no longer be
    /// restored by run number.
    static func deleteRuns(endedBefore moment: Timestamp, _ transaction: borrowing Transaction) throws {
        for run in try old(moment.microseconds, transaction) {
            try RunResourcesTable.delete(run, transaction)
            try Tombstones.delete(of: run, transaction)
            try RunsTable.delete(run, transaction)
        }
    }

    /// Runs are read in the order of their numbers, which is the order in which they started, so reading ends at the first one
    /// that is too young.
    private static func old(_ moment: Int64, _ transaction: borrowing Transaction) throws -> [RunID] {
        var statement = try transaction.prepare(
            """
            SELECT id, started_at, ended_at FROM siding_runs
            WHERE id <= (SELECT MAX(id) FROM siding_runs) - ?1 ORDER BY id
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
