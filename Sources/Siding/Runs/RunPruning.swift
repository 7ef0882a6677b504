internal import SidingChain
internal import SidingSQLite

/// Old runs are forgotten, so that a service which syncs every few minutes does not grow its file for ever. What they stored
/// stays.
struct RunPruning {
    /// The newest runs stay however old they are.
    static let newestKept = 1_000
    /// One transaction forgets at most as many.
    private static let mostAtOnce = 500

    let now: Timestamp

    /// Forgets runs that ended before ``QueuePruning/retention``, with their counters, and what each of them deleted: it cannot
    /// be restored by their numbers any more.
    func prune(_ transaction: borrowing Transaction) throws {
        for run in try old(transaction) {
            try transaction.execute("DELETE FROM siding_run_resources WHERE run = ?1", run)
            try transaction.execute("DELETE FROM siding_tombstones WHERE run = ?1", run)
            try transaction.execute("DELETE FROM siding_runs WHERE id = ?1", run)
        }
    }

    /// Whether there was a run of that number, which is forgotten by now. AUTOINCREMENT never gives a number again.
    static func isForgotten(_ run: RunID, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM sqlite_sequence WHERE name = 'siding_runs' AND ?1 BETWEEN 1 AND seq
                AND NOT EXISTS (SELECT 1 FROM siding_runs WHERE id = ?1)
            """, run
        ) { _ in true } ?? false
    }

    /// In the order of their numbers, which is that of their beginnings: the first one that is young enough ends the look.
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
            // A run that goes on, or whose process is not known to be dead yet, stays.
            if let endedAt = statement.optionalInt(2), endedAt < moment { found.append(statement.int(0)) }
        }
        return found
    }
}
