internal import FoundationEssentials
internal import SidingChain
internal import SidingSQLite

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

    /// Stores the outcome, notes and error of a resource. Its counters are stored already, with its pages.
    ///
    /// - Parameter extra: counters of requests that led to no page.
    public func endResource(
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

    public func endRun(_ run: RunID, outcome: RunOutcome) async throws(StoreError) {
        let now = clock.now.microseconds
        try await write { transaction in
            try transaction.execute(
                """
                UPDATE siding_runs SET ended_at = ?2, outcome = ?3, revisions = \(ChangeFeed.revisions) WHERE id = ?1
                """, run, now, outcome.rawValue)
            try QueuePruning(now: Timestamp(microseconds: now)).removeSettled(
                before: Timestamp(microseconds: now - QueuePruning.retention), transaction)
            try HistoryPruning(now: Timestamp(microseconds: now)).prune(transaction)
            try RunPruning(now: Timestamp(microseconds: now)).prune(transaction)
        }
        owner.sweep()
    }

    /// The runs, newest first, at most `limit`.
    public func runs(limit: Int) async throws(StoreError) -> [Run] {
        try await read { snapshot in
            try snapshot.query(
                "SELECT id, command, started_at, ended_at, outcome FROM siding_runs ORDER BY id DESC LIMIT ?1", limit
            ) { row in
                try Self.run(row, snapshot)
            }
        }
    }

    public func run(_ id: RunID) async throws(StoreError) -> Run? {
        try await read { snapshot in
            try snapshot.first(
                "SELECT id, command, started_at, ended_at, outcome FROM siding_runs WHERE id = ?1", id
            ) { row in
                try Self.run(row, snapshot)
            }
        }
    }

    /// Whether a run of this number existed and was pruned.
    public func isForgotten(_ run: RunID) async throws(StoreError) -> Bool {
        try await read { snapshot in try RunPruning.isForgotten(run, snapshot) }
    }

    private static func run(_ row: borrowing Row, _ snapshot: borrowing Snapshot) throws -> Run {
        Run(
            id: row.int(0), command: row.text(1), startedAt: Timestamp(microseconds: row.int(2)),
            endedAt: row.optionalInt(3).map(Timestamp.init), outcome: row.optionalText(4).flatMap(RunOutcome.init),
            resources: try RunCounting.resources(of: row.int(0), snapshot))
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String?) -> Value? {
        text.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
}
