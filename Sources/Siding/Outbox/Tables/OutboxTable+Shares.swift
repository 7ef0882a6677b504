// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

extension OutboxTable {
    /// The open entries by source, state and reason, in this order.
    static func shares(_ snapshot: borrowing Snapshot) throws -> [QueueShare] {
        try snapshot.query(
            """
            SELECT source, state, reason, COUNT(*) AS count, MIN(created_at) AS oldest,
                MIN(CASE WHEN state = 'parked' THEN coalesce(parked ->> 'at', created_at) ELSE created_at END) AS since
            FROM siding_outbox WHERE completed_at IS NULL GROUP BY source, state, reason ORDER BY source, state, reason
            """
        ) { row in
            QueueShare(
                source: try row.text("source"),
                state: QueueEntry.State(rawValue: try row.text("state")) ?? .parked,
                reason: try row.optionalText("reason").flatMap(ParkReason.init), count: Int(try row.int("count")),
                oldest: try row.time("oldest"), since: try row.time("since"))
        }
    }
}
