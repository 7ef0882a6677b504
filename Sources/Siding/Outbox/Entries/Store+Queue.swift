public import SidingChain
internal import SidingSQLite

extension Store {
    /// The selected entries, oldest first.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if an id matches no entry, ``StoreError/Kind/ambiguous`` if a prefix matches
    ///   several.
    public func entries(_ selection: QueueSelection) async throws(StoreError) -> [QueueEntry] {
        try await entries(selection, limit: nil)
    }

    /// The oldest selected entries, at most `limit`; nil for all.
    public func entries(_ selection: QueueSelection, limit: Int?) async throws(StoreError) -> [QueueEntry] {
        try await read { snapshot in try QueueSelecting.entries(selection, limit: limit, snapshot) }
    }

    /// The request body of a queued page; nil if it has none.
    public func bodyOfFetch(_ entry: String) async throws(StoreError) -> [UInt8]? {
        try await read { snapshot in
            try snapshot.first(
                "SELECT body FROM siding_outbox WHERE id = ?1 AND kind = 'fetch' AND body IS NOT NULL", entry
            ) { $0.blob(0) }
        }
    }

    /// The number of selected entries, without reading them.
    public func count(_ selection: QueueSelection) async throws(StoreError) -> Int {
        try await read { snapshot in try QueueSelecting.count(selection, snapshot) }
    }

    /// The number of open entries per state and reason.
    public func queueCounts() async throws(StoreError) -> [QueueCount] {
        try await read { snapshot in
            try snapshot.query(
                """
                SELECT state, reason, COUNT(*) FROM siding_outbox WHERE settled_at IS NULL
                GROUP BY state, reason ORDER BY state, reason
                """
            ) { row in
                QueueCount(
                    state: QueueEntry.State(rawValue: row.text(0)) ?? .parked,
                    reason: row.optionalText(1).flatMap(ParkReason.init), count: Int(row.int(2)))
            }
        }
    }

    /// The sources of the open writes, by name.
    public func sourcesOfWrites() async throws(StoreError) -> [String] {
        try await read { snapshot in
            try snapshot.query(
                """
                SELECT DISTINCT source FROM siding_outbox WHERE kind = 'write' AND settled_at IS NULL ORDER BY source
                """
            ) { $0.text(0) }
        }
    }

    /// The history of an entry, oldest event first.
    public func history(of entry: String) async throws(StoreError) -> [QueueEvent] {
        try await read { snapshot in
            try snapshot.query(
                "SELECT at, who, event, detail FROM siding_outbox_events WHERE entry = ?1 ORDER BY seq", entry
            ) { row in
                QueueEvent(
                    at: Timestamp(microseconds: row.int(0)), who: row.text(1), event: row.text(2),
                    detail: row.optionalText(3))
            }
        }
    }

    /// The writes that this process has parked since `moment`, for any reason except a hold, and that are still parked, oldest
    /// first.
    public func writesParked(since moment: Timestamp) async throws(StoreError) -> [QueueEntry] {
        let me = try ownerID()
        return try await read { snapshot in
            try snapshot.query(
                """
                SELECT \(QueueRows.columns) FROM siding_outbox
                WHERE settled_at IS NULL AND state = 'parked' AND reason <> 'held' AND kind = 'write'
                    AND parked_by = ?1 AND parked_at >= ?2
                ORDER BY seq
                """, me, moment.microseconds, map: QueueRows.entry)
        }
    }

    public func gates() async throws(StoreError) -> [SourceGate] {
        try await read { snapshot in
            try snapshot.query(
                "SELECT name, gate, gate_until, gate_note FROM siding_sources WHERE gate IS NOT NULL ORDER BY name"
            ) { row in
                SourceGate(
                    source: row.text(0), reason: SourceGate.Reason(rawValue: row.text(1)) ?? .offline,
                    until: row.optionalInt(2).map(Timestamp.init), note: row.text(3))
            }
        }
    }

    /// Records the outcome of a request for its source, shared by all processes. If it ends an outage, entries that waited for
    /// the network become due.
    public func record(_ outcome: SourceOutcome, of source: String) async throws(StoreError) {
        let (jitter, now) = (jitter, clock.now)
        // Most outcomes change nothing, and a commit costs an fsync.
        let isNews = try await read { snapshot in
            let before = try SourceHealthRows.load(source, snapshot)
            var after = before
            return try after.record(outcome, jitter: jitter, now: now) || after != before
                || SourceHealthRows.letsIn(outcome, after, snapshot)
        }
        guard isNews else { return }
        let transitions = try transitions()
        try await write { transaction in
            try SourceHealthRows.record(outcome, of: source, jitter: jitter, transitions, transaction)
        }
    }

    /// Opens the gate of a source, as an operator action.
    public func openGate(ofSource source: String) async throws(StoreError) {
        let now = clock.now.microseconds
        try await write { transaction in
            try transaction.execute(
                """
                UPDATE siding_sources SET gate = NULL, gate_until = NULL, gate_note = NULL, changed_at = ?2
                WHERE name = ?1 AND gate IS NOT NULL
                """, source, now)
        }
    }
}
