// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

// Keeps what a record was, whenever any statement changes what is shown of it.

/// A TEMP trigger of each connection that writes, on the table of each resource that keeps a history: no statement that changes
/// records can forget it, and nothing of it stands in the file, where SQLite's triggers stay switched off
/// (https://sqlite.org/c3ref/c_dbconfig_defensive.html, SQLITE_DBCONFIG_ENABLE_TRIGGER leaves TEMP triggers on). Inserts never ask
/// it anything.
extension RecordsTable {
    /// The time at which the new version begins. If the clock was set back, older spans are cut to it, so that no two versions are
    /// valid at one time.
    private static let moment: SQL = "MAX(NEW.changed_at, COALESCE(NEW.deleted_at, 0))"

    private var historyTrigger: String { "siding_history_keeping_\(resource)" }

    /// Makes the trigger where this connection has none yet; called before anything that changes what a record shows.
    func makeHistoryTrigger(_ transaction: borrowing Transaction) throws {
        guard row.historySince != nil, layout != nil, try !hasHistoryTrigger(transaction) else { return }
        let (moment, resource) = (Self.moment, SQL("\(integer: resource)"))
        try transaction.execute(
            """
            CREATE TEMP TRIGGER \(identifier: historyTrigger) AFTER UPDATE OF body, deleted_at, pending
            ON main.\(identifier: name)
            WHEN (SELECT history_since FROM siding_resources WHERE id = \(resource)) IS NOT NULL
                AND (OLD.body IS NOT NEW.body OR OLD.deleted_at IS NOT NEW.deleted_at OR OLD.pending IS NOT NEW.pending)
            BEGIN
                UPDATE siding_history SET valid_to = \(moment), valid_from = MIN(valid_from, \(moment))
                WHERE resource = \(resource) AND key = OLD.key AND valid_to > \(moment);
                INSERT INTO siding_history (resource, key, body, deleted_at, pending, valid_from, valid_to, run, cause, request)
                VALUES (\(resource), OLD.key, OLD.body, OLD.deleted_at, OLD.pending,
                    MIN(MAX(OLD.changed_at, COALESCE(OLD.deleted_at, 0)), \(moment)), \(moment), OLD.run, OLD.cause, OLD.request);
            END
            """)
    }

    /// Converts the keys of versions that were stored as texts.
    func convertHistory(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_history SET key = CAST(key AS INTEGER)
            WHERE resource = ?1 AND typeof(key) = 'text' AND \(Self.isInteger("key"))
            """, resource)
    }

    /// Before the table is renamed or dropped: the trigger is made again with the next write.
    func dropHistoryTrigger(_ transaction: borrowing Transaction) throws {
        guard try hasHistoryTrigger(transaction) else { return }
        try transaction.execute("DROP TRIGGER temp.\(identifier: historyTrigger)")
    }

    private func hasHistoryTrigger(_ transaction: borrowing Transaction) throws -> Bool {
        try transaction.first("SELECT 1 FROM sqlite_temp_schema WHERE name = ?1", historyTrigger) { _ in true } ?? false
    }
}
