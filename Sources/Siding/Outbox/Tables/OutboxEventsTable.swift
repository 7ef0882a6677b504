// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_outbox_events`: the history of each entry, for people. Its details are prose, and decide nothing; the kind
/// of the newest event tells how a dropped write ended (``DropCause``).
enum OutboxEventsTable {
    /// The number of events kept per entry: an entry that waits for months is tried thousands of times.
    static let most = 100

    /// Adds an event to the history of each entry, with its detail, and deletes the oldest ones beyond ``most``.
    static func insert(
        _ event: QueueEventKind, of entries: [(id: String, detail: String?)], by who: String, at now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_outbox_events (entry, at, who, event, detail)
            SELECT value ->> 0, ?2, ?3, ?4, value ->> 1 FROM json_each(?1)
            """, try Store.json(entries.map { [$0.id, $0.detail] }), now.microseconds, who, event.rawValue)
        try deleteOldest(of: entries.map(\.id), keeping: most, transaction)
    }

    static func deleteOldest(of entries: [String], keeping count: Int, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            DELETE FROM siding_outbox_events WHERE seq IN (
                SELECT old.seq FROM json_each(?1) JOIN siding_outbox_events AS old ON entry = value
                WHERE old.seq <= (
                    SELECT seq FROM siding_outbox_events WHERE entry = value ORDER BY seq DESC LIMIT 1 OFFSET ?2))
            """, try Store.json(entries), count)
    }

    /// When an event of this kind was last recorded; nil if never.
    static func newest(
        _ event: QueueEventKind, of entry: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Timestamp? {
        try database.first(
            "SELECT at FROM siding_outbox_events WHERE entry = ?1 AND event = ?2 ORDER BY seq DESC LIMIT 1", entry,
            event.rawValue
        ) { try $0.time("at") }
    }

    /// The history of an entry, oldest event first.
    static func events(of entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> [QueueEvent] {
        try database.query(
            "SELECT at, who, event, detail FROM siding_outbox_events WHERE entry = ?1 ORDER BY seq", entry
        ) { row in
            QueueEvent(
                at: try row.time("at"), who: try row.text("who"),
                event: QueueEventKind(rawValue: try row.text("event")),
                detail: try row.optionalText("detail"))
        }
    }
}
