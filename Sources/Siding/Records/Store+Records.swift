internal import SidingJSON
internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Up to `limit` records in key order, after `key`.
    public func records(
        of resource: String, after key: String?, limit: Int, deleted: Bool
    ) async throws(StoreError) -> [Record] {
        try await read { snapshot in
            try RecordsTable.load(Self.resourceID(resource, snapshot), snapshot)
                .records(after: key, limit: limit, isDeleted: deleted, snapshot)
        }
    }

    public func record(of resource: String, key: String) async throws(StoreError) -> Record? {
        try await read { snapshot in
            try RecordsTable.load(Self.resourceID(resource, snapshot), snapshot).record(under: key, snapshot)
        }
    }

    public func count(of resource: String) async throws(StoreError) -> RecordCount {
        try await read { snapshot in
            let count = try RecordsTable.load(Self.resourceID(resource, snapshot), snapshot).count(snapshot)
            return RecordCount(resource: resource, count: count.living, deleted: count.deleted)
        }
    }

    /// The state of every resource that was ever synced, by name.
    ///
    /// - Parameter countsRecords: whether ``ResourceState/records`` are counted, for which every row is read; else 0.
    public func resourceStates(countsRecords: Bool = true) async throws(StoreError) -> [ResourceState] {
        try await read { snapshot in
            var states = try snapshot.query(
                """
                SELECT r.name, r.source, r.completed_at, l.next_url, l.next_number, l.next_offset, l.next_sent, l.scope,
                    r.id, r.definition,
                    (SELECT COUNT(*) FROM siding_quarantine WHERE resource = r.id), r.fresh_until, r.not_before,
                    o.pass, o.state, o.takes_all, o.started_at, o.ended_at,
                    l.cursor_from, l.cursor_reached, COALESCE(l.cursor_moves, 0),
                    CASE WHEN o.pass IS NULL THEN l.checkpoint_at ELSE MAX(o.started_at, COALESCE((
                        SELECT MAX(checkpoint_at) FROM siding_listings WHERE resource = r.id AND pass = o.pass), 0)) END,
                    COALESCE(l.cursor_waits, 0),
                    (SELECT COUNT(*) FROM siding_missing WHERE resource = r.id AND passes IS NOT NULL AND checked_at IS NULL)
                FROM siding_resources r
                LEFT JOIN siding_listings l ON l.resource = r.id AND l.scope = '' AND l.state = 'open'
                LEFT JOIN siding_passes o ON o.resource = r.id
                ORDER BY r.name
                """
            ) { row in
                var state = ResourceState(
                    resource: row.text(0), source: row.text(1), definition: ResourceDefinition(stored: row.text(9)),
                    records: 0, quarantined: Int(row.int(10)),
                    completedAt: row.optionalInt(2).map(Timestamp.init),
                    checkpoint: PageRequest(row, at: 3),
                    checkpointCursor: ListingCursor(
                        from: row.optionalText(18), reached: row.optionalText(19), moves: row.int(20) == 1,
                        waits: row.int(22) == 1),
                    freshness: ListingFreshness(row, at: 11),
                    pass: PassState(row, at: 13))
                state.progressedAt = row.optionalInt(21).map(Timestamp.init)
                state.missing = Int(row.int(23))
                return (state: state, resource: row.int(8))
            }
            for index in states.indices where countsRecords {
                states[index].state.records = try ResourceRow.living(of: states[index].resource, snapshot)
            }
            return states.map(\.state)
        }
    }

    static func resourceID(_ name: String, _ database: borrowing some Queryable & ~Copyable) throws -> Int64 {
        guard let id = try database.first("SELECT id FROM siding_resources WHERE name = ?1", name, map: { $0.int(0) })
        else {
            throw StoreError(
                .notFound, "nothing is stored of a resource '\(PlainText.oneLine(name, limit: 100))'",
                hint: "'siding status' lists what is")
        }
        return id
    }

    /// Reads ``RecordsTable/recordColumns``.
    static func record(_ row: borrowing Row, _ resource: String) -> Record {
        Record(
            resource: resource, key: row.text(0), body: row.blob(1), firstSeenAt: Timestamp(microseconds: row.int(2)),
            changedAt: Timestamp(microseconds: row.int(3)), deletedAt: row.optionalInt(4).map(Timestamp.init),
            run: row.int(5), revision: row.int(6), pending: Int(row.int(7)))
    }
}
