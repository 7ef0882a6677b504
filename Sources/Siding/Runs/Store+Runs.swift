internal import FoundationEssentials
internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Stores the outcome, notes and error of a resource. Its counters are stored already, with its pages.
    ///
    /// - Parameter extra: counters of requests that led to no page.
    package func endResource(
        _ line: RunResource, in run: RunID, extra: RunCounters
    ) async throws(StoreError) {
        let error: String?
        let notes: String
        do {
            error = try line.error.map(Self.json)
            notes = try Self.json(line.notes)
        } catch let problem { throw StoreError(mapping: problem) }
        try await write { transaction in
            try RunCounting.add(extra, to: line.resource, in: run, transaction)
            try transaction.execute(
                """
                UPDATE siding_run_resources SET outcome = ?3, duration_us = ?4, entry = ?5, error = ?6, notes = ?7
                WHERE run = ?1 AND resource = ?2
                """,
                run, line.resource, line.outcome?.rawValue, line.duration.wholeMicroseconds, line.entry, error, notes)
        }
    }

    /// The runs, newest first, at most `limit`.
    package func runs(limit: Int) async throws(StoreError) -> [Run] {
        try await read { snapshot in
            try snapshot.query(
                "SELECT id, command, started_at, ended_at, outcome FROM siding_runs ORDER BY id DESC LIMIT ?1", limit
            ) { row in
                try Self.run(row, snapshot)
            }
        }
    }

    package func run(_ id: RunID) async throws(StoreError) -> Run? {
        try await read { snapshot in
            try snapshot.first(
                "SELECT id, command, started_at, ended_at, outcome FROM siding_runs WHERE id = ?1", id
            ) { row in
                try Self.run(row, snapshot)
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

    /// Whether a run of this number existed and was pruned.
    package func isForgotten(_ run: RunID) async throws(StoreError) -> Bool {
        try await read { snapshot in try Self.isForgotten(run, snapshot) }
    }

    private static func run(_ row: borrowing Row, _ snapshot: borrowing Snapshot) throws -> Run {
        Run(
            id: row.int(0), command: row.text(1), startedAt: Timestamp(microseconds: row.int(2)),
            endedAt: row.optionalInt(3).map(Timestamp.init), outcome: row.optionalText(4).flatMap(RunOutcome.init),
            resources: try RunCounting.resources(of: row.int(0), snapshot))
    }
}
