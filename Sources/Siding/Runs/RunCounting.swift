internal import SidingSQLite

/// Stores the counters of a resource in a run, in the transactions that write the counted rows.
enum RunCounting {
    static func add(
        _ counters: RunCounters, to resource: String, in run: RunID, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_run_resources (run, resource, pages, requests, not_modified, inserted, updated, unchanged,
                stale, deleted, quarantined, bytes, duplicates, withheld)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            ON CONFLICT (run, resource) DO UPDATE SET
                pages = pages + excluded.pages, requests = requests + excluded.requests,
                not_modified = not_modified + excluded.not_modified, inserted = inserted + excluded.inserted,
                updated = updated + excluded.updated, unchanged = unchanged + excluded.unchanged,
                stale = stale + excluded.stale, deleted = deleted + excluded.deleted,
                quarantined = quarantined + excluded.quarantined, bytes = bytes + excluded.bytes,
                duplicates = duplicates + excluded.duplicates, withheld = withheld + excluded.withheld
            """,
            run, resource, counters.pages, counters.requests, counters.notModified, counters.inserted, counters.updated,
            counters.unchanged, counters.stale, counters.deleted, counters.quarantined, counters.bytes,
            counters.duplicates, counters.withheld)
    }

    static func resources(of run: RunID, _ snapshot: borrowing Snapshot) throws -> [RunResource] {
        try snapshot.query(
            """
            SELECT resource, outcome, pages, requests, not_modified, inserted, updated, unchanged, stale, deleted,
                quarantined, bytes, duration_us, entry, error, notes, duplicates, withheld
            FROM siding_run_resources WHERE run = ?1 ORDER BY resource
            """, run
        ) { row in
            RunResource(
                resource: row.text(0), outcome: row.optionalText(1).flatMap(RunOutcome.init), counters: counters(row),
                duration: .microseconds(row.int(12)), entry: row.optionalText(13),
                error: Store.decode(RecordedError.self, row.optionalText(14)),
                notes: Store.decode([String].self, row.optionalText(15)) ?? [])
        }
    }

    private static func counters(_ row: borrowing Row) -> RunCounters {
        var counters = RunCounters()
        counters.pages = Int(row.int(2))
        counters.requests = Int(row.int(3))
        counters.notModified = Int(row.int(4))
        counters.inserted = Int(row.int(5))
        counters.updated = Int(row.int(6))
        counters.unchanged = Int(row.int(7))
        counters.stale = Int(row.int(8))
        counters.deleted = Int(row.int(9))
        counters.quarantined = Int(row.int(10))
        counters.bytes = Int(row.int(11))
        counters.duplicates = Int(row.int(16))
        counters.withheld = Int(row.int(17))
        return counters
    }
}
