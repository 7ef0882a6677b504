internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Reclaims writes that their sender will never complete, inside a transaction. Repeating it is harmless: the first call
/// changes the state.
struct WriteReclaimer {
    let transitions: QueueTransitions

    /// Reclaims one entry.
    ///
    /// - Parameter owner: a sender that is known to be unable to complete it.
    /// - Returns: the entry afterwards; nil if `owner` has not claimed it.
    func reclaim(_ id: String, from owner: String, _ transaction: borrowing Transaction) throws -> QueueEntry? {
        let left = try transaction.first(
            """
            SELECT \(QueueRows.columns), keyed, first_sent_at FROM siding_outbox
            WHERE id = ?1 AND owner = ?2 AND state = 'sending' AND kind = 'write'
            """, id, owner, map: Self.read)
        return try left.map { try reclaim($0.entry, isKeyed: $0.isKeyed, isMarked: $0.isMarked, transaction) }
    }

    private static func read(_ row: borrowing Row) throws -> (entry: QueueEntry, isKeyed: Bool, isMarked: Bool) {
        (
            entry: try QueueRows.entry(row), isKeyed: row.int(QueueRows.count) == 1,
            isMarked: !row.isNull(QueueRows.count + 1)
        )
    }

    private func reclaim(
        _ entry: QueueEntry, isKeyed: Bool, isMarked: Bool, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        var entry = entry
        entry.crashes += 1
        try transitions.note(entry.id, "crashed", "its sender ended without a word", transaction)
        let isIdempotent = HTTPRequest.Method(entry.method)?.isIdempotent ?? false
        if !isKeyed, !isIdempotent, isMarked, entry.unknownSince == nil {
            let why = "it may have arrived before its sender ended"
            guard try hasProbe(entry.id, transaction) else {
                return try transitions.park(entry, as: .uncertain, why, transaction)
            }
            try transitions.question(entry.id, why, transaction)
            entry.unknownSince = transitions.now
        }
        if entry.crashes >= QueueTransitions.mostCrashes {
            return try transitions.park(entry, as: .poison, "its sender crashed \(entry.crashes) times", transaction)
        }
        try transaction.execute(
            "UPDATE siding_outbox SET state = 'queued', owner = NULL, crashes = ?2, not_before = ?3 WHERE id = ?1",
            entry.id, entry.crashes, transitions.now.microseconds)
        entry.state = .queued
        entry.nextAttemptAt = transitions.now
        return entry
    }

    private func hasProbe(_ id: String, _ transaction: borrowing Transaction) throws -> Bool {
        try transaction.first("SELECT probe IS NOT NULL FROM siding_outbox WHERE id = ?1", id) { $0.int(0) == 1 }
            ?? false
    }
}
