internal import SidingJSON
internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Records in key order, from behind `key`.
    public func records(
        of resource: String, after key: String?, limit: Int, deleted: Bool
    ) async throws(StoreError) -> [Record] {
        try await read { snapshot in
            let id = try Self.resourceID(resource, snapshot)
            return try snapshot.query(
                """
                SELECT \(Self.recordColumns) FROM siding_records
                WHERE resource = ?1 AND (?2 IS NULL OR key > ?2) AND (deleted_at IS NOT NULL) = ?3
                ORDER BY key LIMIT ?4
                """, id, key, deleted, limit
            ) { row in Self.record(row, resource) }
        }
    }

    public func record(of resource: String, key: String) async throws(StoreError) -> Record? {
        try await read { snapshot in
            let id = try Self.resourceID(resource, snapshot)
            return try snapshot.first(
                """
                SELECT \(Self.recordColumns) FROM siding_records
                WHERE resource = ?1 AND key = ?2
                """, id, key
            ) { row in Self.record(row, resource) }
        }
    }

    public func count(of resource: String) async throws(StoreError) -> RecordCount {
        try await read { snapshot in
            let id = try Self.resourceID(resource, snapshot)
            let row = try snapshot.first(
                "SELECT COUNT(*) - COUNT(deleted_at), COUNT(deleted_at) FROM siding_records WHERE resource = ?1", id
            ) { row in (Int(row.int(0)), Int(row.int(1))) }
            return RecordCount(resource: resource, count: row?.0 ?? 0, deleted: row?.1 ?? 0)
        }
    }

    /// The state of every resource that was ever synced, by name.
    public func resourceStates() async throws(StoreError) -> [ResourceState] {
        try await read { snapshot in
            try snapshot.query(
                """
                SELECT r.name, r.source, r.completed_at, l.next_url, l.next_number, l.next_offset, l.next_sent, l.scope,
                    (SELECT COUNT(*) FROM siding_records WHERE resource = r.id AND deleted_at IS NULL), r.definition,
                    (SELECT COUNT(*) FROM siding_quarantine WHERE resource = r.id), r.fresh_until, r.not_before,
                    o.round, o.state, o.takes_all, o.started_at, o.ended_at,
                    l.cursor_from, l.cursor_reached, COALESCE(l.cursor_moves, 0),
                    CASE WHEN o.round IS NULL THEN l.checkpoint_at ELSE MAX(o.started_at, COALESCE((
                        SELECT MAX(checkpoint_at) FROM siding_listings WHERE resource = r.id AND round = o.round), 0)) END,
                    COALESCE(l.cursor_waits, 0),
                    (SELECT COUNT(*) FROM siding_missing WHERE resource = r.id AND passes IS NOT NULL AND checked_at IS NULL)
                FROM siding_resources r
                LEFT JOIN siding_listings l ON l.resource = r.id AND l.scope = '' AND l.state = 'open'
                LEFT JOIN siding_rounds o ON o.resource = r.id
                ORDER BY r.name
                """
            ) { row in
                var state = ResourceState(
                    resource: row.text(0), source: row.text(1), definition: ResourceDefinition(stored: row.text(9)),
                    records: Int(row.int(8)), quarantined: Int(row.int(10)),
                    completedAt: row.optionalInt(2).map(Timestamp.init),
                    checkpoint: PageRequest(row, at: 3),
                    checkpointCursor: ListingCursor(
                        from: row.optionalText(18), reached: row.optionalText(19), moves: row.int(20) == 1,
                        waits: row.int(22) == 1),
                    freshness: ListingFreshness(row, at: 11),
                    round: RoundState(row, at: 13))
                state.progressedAt = row.optionalInt(21).map(Timestamp.init)
                state.missing = Int(row.int(23))
                return state
            }
        }
    }

    static func resourceID(_ name: String, _ snapshot: borrowing Snapshot) throws -> Int64 {
        guard let id = try snapshot.first("SELECT id FROM siding_resources WHERE name = ?1", name, map: { $0.int(0) })
        else {
            throw StoreError(
                .notFound, "nothing is stored of a resource '\(PlainText.oneLine(name, limit: 100))'",
                hint: "'siding status' lists what is")
        }
        return id
    }

    /// What ``record(_:_:)`` reads, in its order.
    static let recordColumns: SQL = "key, body, first_seen_at, changed_at, deleted_at, run, revision, pending"

    static func record(_ row: borrowing Row, _ resource: String) -> Record {
        Record(
            resource: resource, key: row.text(0), body: row.blob(1), firstSeenAt: Timestamp(microseconds: row.int(2)),
            changedAt: Timestamp(microseconds: row.int(3)), deletedAt: row.optionalInt(4).map(Timestamp.init),
            run: row.int(5), revision: row.int(6), pending: Int(row.int(7)))
    }
}
