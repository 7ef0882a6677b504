package import SidingChain
internal import SidingSQLite

/// The open entries of a source in one state, for one reason.
package struct SourceQueue: Sendable, Hashable {
    package var source: String
    package var state: QueueEntry.State
    package var reason: ParkReason?
    package var count: Int
    /// Since when the oldest of them is parked, or if they are not parked, queued.
    package var since: Timestamp

    static func all(_ snapshot: borrowing Snapshot) throws -> [SourceQueue] {
        try snapshot.query(
            """
            SELECT source, state, reason, COUNT(*) AS count,
                MIN(CASE WHEN state = 'parked' THEN coalesce(parked_at, created_at) ELSE created_at END) AS since
            FROM siding_outbox WHERE settled_at IS NULL GROUP BY source, state, reason ORDER BY source, state, reason
            """
        ) { row in
            SourceQueue(
                source: try row.text("source"), state: QueueEntry.State(rawValue: try row.text("state")) ?? .parked,
                reason: try row.optionalText("reason").flatMap(ParkReason.init), count: Int(try row.int("count")),
                since: try row.time("since"))
        }
    }
}

extension Store {
    /// The open entries per source, state and reason.
    package func sourceQueues() async throws(StoreError) -> [SourceQueue] {
        try await read { try SourceQueue.all($0) }
    }
}
