public import SidingChain
internal import SidingSQLite

extension Store {
    /// The entries that `selection` means, oldest first.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` where an id leads to no entry, ``StoreError/Kind/ambiguous`` where a prefix
    ///   leads to several.
    public func entries(_ selection: QueueSelection) async throws(StoreError) -> [QueueEntry] {
        try await entries(selection, limit: nil)
    }

    /// The oldest entries that `selection` means, at most `limit`; nil for all.
    public func entries(_ selection: QueueSelection, limit: Int?) async throws(StoreError) -> [QueueEntry] {
        try await read { snapshot in try QueueSelecting.entries(selection, limit: limit, snapshot) }
    }

    /// The body that a retained page is asked for with; nil for none.
    public func bodyOfFetch(_ entry: String) async throws(StoreError) -> [UInt8]? {
        try await read { snapshot in
            try snapshot.first(
                "SELECT body FROM siding_queue WHERE id = ?1 AND kind = 'fetch' AND body IS NOT NULL", entry
            ) { $0.blob(0) }
        }
    }

    /// How many entries `selection` means; none of them is read.
    public func count(_ selection: QueueSelection) async throws(StoreError) -> Int {
        try await read { snapshot in try QueueSelecting.count(selection, snapshot) }
    }

    /// How many entries are in which state, for which reason; settled ones are left out.
    public func queueCounts() async throws(StoreError) -> [QueueCount] {
        try await read { snapshot in
            try snapshot.query(
                """
                SELECT state, reason, COUNT(*) FROM siding_queue WHERE settled_at IS NULL
                GROUP BY state, reason ORDER BY state, reason
                """
            ) { row in
                QueueCount(
                    state: QueueEntry.State(rawValue: row.text(0)) ?? .parked,
                    reason: row.optionalText(1).flatMap(ParkReason.init), count: Int(row.int(2)))
            }
        }
    }

    /// The sources of the writes that are not settled, by name.
    public func sourcesOfWrites() async throws(StoreError) -> [String] {
        try await read { snapshot in
            try snapshot.query(
                """
                SELECT DISTINCT source FROM siding_queue WHERE kind = 'write' AND settled_at IS NULL ORDER BY source
                """
            ) { $0.text(0) }
        }
    }

    /// What happened to an entry, oldest first.
    public func history(of entry: String) async throws(StoreError) -> [QueueEvent] {
        try await read { snapshot in
            try snapshot.query(
                "SELECT at, who, event, detail FROM siding_attempts WHERE entry = ?1 ORDER BY seq", entry
            ) { row in
                QueueEvent(
                    at: Timestamp(microseconds: row.int(0)), who: row.text(1), event: row.text(2),
                    detail: row.optionalText(3))
            }
        }
    }

    /// The writes that this process itself has parked since `moment` for whatever reason, and that are parked still, oldest first.
    public func writesParked(since moment: Timestamp) async throws(StoreError) -> [QueueEntry] {
        let me = try ownerID()
        return try await read { snapshot in
            try snapshot.query(
                """
                SELECT \(QueueRows.columns) FROM siding_queue
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

    /// Keeps what a request taught about its source, for all processes; where an outage ended, what waited for the line is
    /// due.
    public func learn(_ lesson: SourceOutcome, of source: String) async throws(StoreError) {
        let (jitter, now) = (jitter, clock.now)
        // Most answers teach nothing new, and a commit costs an fsync.
        let isNews = try await read { snapshot in
            let before = try SourceHealthRows.load(source, snapshot)
            var after = before
            return try after.learn(lesson, jitter: jitter, now: now) || after != before
                || SourceHealthRows.letsIn(lesson, after, snapshot)
        }
        guard isNews else { return }
        let transitions = try transitions()
        try await write { transaction in
            try SourceHealthRows.learn(lesson, of: source, jitter: jitter, transitions, transaction)
        }
    }

    /// Opens the gate of a source because a person says so.
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
