internal import SidingSQLite

extension SQLiteStore {
    public func missingKeys(of resource: String, limit: Int) async throws(StoreError) -> [String] {
        try await read { snapshot in
            try snapshot.query(
                """
                SELECT DISTINCT r.key FROM siding_absences a JOIN siding_records r ON r.id = a.record
                WHERE a.resource = (SELECT id FROM siding_resources WHERE name = ?1) AND r.deleted_at IS NULL
                ORDER BY r.key LIMIT ?2
                """, resource, limit
            ) { $0.text(0) }
        }
    }

    public func undelete(_ run: RunID) async throws(StoreError) -> [String: Int] {
        let now = clock.now
        let counts = try await write { transaction in try Tombstones.undelete(run, now: now, transaction) }
        if !counts.isEmpty { changeSignal.fire() }
        return counts
    }
}
