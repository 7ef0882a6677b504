// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// The table `siding_outbox_dependencies`: which entry must be completed before which.
enum OutboxDependenciesTable {
    static func insert(parents: some Sequence<String>, of entry: String, _ transaction: borrowing Transaction) throws {
        for parent in parents {
            try transaction.execute(
                "INSERT OR IGNORE INTO siding_outbox_dependencies (entry, parent) VALUES (?1, ?2)", entry, parent)
        }
    }

    static func parents(of entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> Set<String> {
        Set(
            try database.query("SELECT parent FROM siding_outbox_dependencies WHERE entry = ?1", entry) { $0.text(0) })
    }

    /// The open entries that an entry waits for, oldest first.
    static func openParents(of entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query(
            """
            SELECT parent FROM siding_outbox_dependencies JOIN siding_outbox ON id = parent
            WHERE entry = ?1 AND completed_at IS NULL ORDER BY seq
            """, entry
        ) { $0.text(0) }
    }

    /// Moves all dependencies of replaced entries, in both directions, to their replacements.
    static func move(_ ids: ReplacedIDs, _ transaction: borrowing Transaction) throws {
        for column: SQL in ["entry", "parent"] {
            try transaction.execute(
                """
                UPDATE siding_outbox_dependencies SET \(column) = value ->> 1 FROM json_each(?1)
                WHERE siding_outbox_dependencies.\(column) = value ->> 0
                """, ids.json)
        }
    }

    static func delete(of entries: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            WITH purged (id) AS (SELECT value FROM json_each(?1))
            DELETE FROM siding_outbox_dependencies WHERE entry IN purged OR parent IN purged
            """, try Store.json(entries))
    }
}
