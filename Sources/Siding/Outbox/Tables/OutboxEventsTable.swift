internal import SidingChain
internal import SidingSQLite

/// The table `siding_outbox_events`: the history of each entry, for people. Nothing is decided by it.
enum OutboxEventsTable {
    /// The number of events kept per entry: an entry that waits for months is tried thousands of times.
    static let most = 100

    /// Adds an event to an entry's history, and deletes the oldest ones beyond ``most``.
    static func insert(_ event: QueueEvent, of entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "INSERT INTO siding_outbox_events (entry, at, who, event, detail) VALUES (?1, ?2, ?3, ?4, ?5)", entry,
            event.at.microseconds, event.who, event.event, event.detail)
        try deleteOldest(of: entry, keeping: most, transaction)
    }

    static func deleteOldest(of entry: String, keeping count: Int, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            DELETE FROM siding_outbox_events WHERE entry = ?1 AND seq <= (
                SELECT seq FROM siding_outbox_events WHERE entry = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)
            """, entry, count)
    }

    /// The history of an entry, oldest event first.
    static func events(
        of entry: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEvent] {
        try database.query(
            "SELECT at, who, event, detail FROM siding_outbox_events WHERE entry = ?1 ORDER BY seq", entry
        ) { row in
            QueueEvent(
                at: Timestamp(microseconds: row.int(0)), who: row.text(1), event: row.text(2),
                detail: row.optionalText(3))
        }
    }
}

/// The table `siding_outbox_dependencies`: which entry must be completed before which.
enum OutboxDependenciesTable {
    static func insert(
        parents: some Sequence<String>, of entry: String, _ transaction: borrowing Transaction
    ) throws {
        for parent in parents {
            try transaction.execute(
                "INSERT OR IGNORE INTO siding_outbox_dependencies (entry, parent) VALUES (?1, ?2)", entry, parent)
        }
    }

    static func parents(
        of entry: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Set<String> {
        Set(
            try database.query("SELECT parent FROM siding_outbox_dependencies WHERE entry = ?1", entry) { $0.text(0) })
    }

    /// The open entries that an entry waits for, oldest first.
    static func openParents(
        of entry: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [String] {
        try database.query(
            """
            SELECT parent FROM siding_outbox_dependencies JOIN siding_outbox ON id = parent
            WHERE entry = ?1 AND settled_at IS NULL ORDER BY seq
            """, entry
        ) { $0.text(0) }
    }

    /// Moves all dependencies of `old`, in both directions, to its replacement.
    static func move(from old: String, to entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_outbox_dependencies SET entry = ?2 WHERE entry = ?1", old, entry)
        try transaction.execute("UPDATE siding_outbox_dependencies SET parent = ?2 WHERE parent = ?1", old, entry)
    }

    static func delete(of entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_outbox_dependencies WHERE entry = ?1 OR parent = ?1", entry)
    }
}
