internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Finds out what a sender has to do for claims from these sources.
    ///
    /// Reads only and so takes no writer lock: waiting senders call it again and again.
    public func outlook(of sources: Set<String>) async throws(StoreError) -> QueueOutlook {
        let now = clock.now
        return try await read { snapshot in
            let nextDue = try Self.nextDue(of: sources, now, snapshot)
            let isDue = nextDue.map { $0 <= now } ?? false
            return QueueOutlook(
                hasWork: try isDue || QueueTransitions.hasExpired(now, snapshot), nextDue: nextDue,
                claimed: Set(try snapshot.query(Self.claimedSources) { $0.text(0) }),
                wantingSignIn: try SourceHealthRows.wantingSignIn(snapshot))
        }
    }

    /// Uses a range of `siding_outbox_owner`.
    private static let claimedSources: SQL =
        "SELECT DISTINCT source FROM siding_outbox WHERE owner IS NOT NULL AND kind = 'write'"

    private static func nextDue(
        of sources: Set<String>, _ now: Timestamp, _ snapshot: borrowing Snapshot
    ) throws -> Timestamp? {
        var earliest: Timestamp?
        for source in sources {
            let due = try snapshot.first(
                """
                SELECT not_before FROM siding_outbox
                WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1
                ORDER BY not_before LIMIT 1
                """, source
            ) { Timestamp(microseconds: $0.int(0)) }
            guard var due, let opens = try SourceHealthRows.load(source, snapshot).opens(now: now) else { continue }
            // The next claim makes it due.
            if due > now, try WriteClaimer.hasStray(of: source, now, snapshot) { due = now }
            earliest = min(earliest ?? .init(microseconds: .max), max(due, opens))
        }
        return earliest
    }
}
