internal import SidingChain
internal import SidingSQLite

/// Deletes old runs, so that a service that syncs every few minutes does not grow its file forever. The records that they
/// stored are kept.
struct RunPruning {
    /// The newest runs are kept whatever their age.
    static let newestKept = 1_000
    /// The most runs that one transaction deletes.
    private static let mostAtOnce = 500

    let now: Timestamp

    /// Deletes runs that ended more than ``QueuePruning/retention`` ago, with their counters and their lists of deleted
    /// records: those can no longer be restored by run number.
    func prune(_ transaction: borrowing Transaction) throws {
        for run in try old(transaction) {
            try transaction.execute("DELETE FROM siding_run_resources WHERE run = ?1", run)
            try transaction.execute("DELETE FROM siding_tombstones WHERE run = ?1", run)
            try transaction.execute("DELETE FROM siding_runs WHERE id = ?1", run)
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

    /// Runs are read in the order of their numbers, which is the order in which they started, so reading ends at the first one
    /// that is too young.
    private func old(_ transaction: borrowing Transaction) throws -> [RunID] {
        let moment = now.microseconds - QueuePruning.retention
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
