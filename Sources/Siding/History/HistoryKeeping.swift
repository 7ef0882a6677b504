internal import SidingChain
internal import SidingSQLite

/// Keeps what a record was, whenever any statement changes what is shown of it.
///
/// A TEMP trigger of each connection that writes: no place that changes records can forget it, and nothing of it stands in
/// the file, where SQLite's triggers stay switched off (https://sqlite.org/c3ref/c_dbconfig_defensive.html,
/// SQLITE_DBCONFIG_ENABLE_TRIGGER leaves TEMP triggers on). Inserts never ask it anything; an update of a resource without
/// history costs one look at the resource's row.
enum HistoryKeeping {
    /// The moment from which on something else is shown. A clock that was set back must not leave two versions for one
    /// moment: older spans are cut to where the new one begins.
    private static let moment: SQL = "MAX(NEW.changed_at, COALESCE(NEW.deleted_at, 0))"

    static let trigger: SQL = """
        CREATE TEMP TRIGGER siding_history_keeping AFTER UPDATE OF body, deleted_at, pending ON main.siding_records
        WHEN (SELECT history_since FROM siding_resources WHERE id = OLD.resource) IS NOT NULL
            AND (OLD.body IS NOT NEW.body OR OLD.deleted_at IS NOT NEW.deleted_at OR OLD.pending IS NOT NEW.pending)
        BEGIN
            UPDATE siding_history SET valid_to = \(moment), valid_from = MIN(valid_from, \(moment))
            WHERE resource = OLD.resource AND key = OLD.key AND valid_to > \(moment);
            INSERT INTO siding_history (resource, key, body, deleted_at, pending, valid_from, valid_to, run, request)
            VALUES (OLD.resource, OLD.key, OLD.body, OLD.deleted_at, OLD.pending,
                MIN(MAX(OLD.changed_at, COALESCE(OLD.deleted_at, 0)), \(moment)), \(moment), OLD.run, OLD.request);
        END
        """
}

/// Begins and ends the history of a resource, as its config says.
struct HistorySwitch {
    let resource: Int64

    /// What was kept stays when it ends; a history that begins again begins at that moment.
    func set(
        _ retention: HistoryRetention?, before: HistoryRetention?, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        guard retention != before else { return }
        // A retention that changed looks at all versions again.
        try transaction.execute(
            """
            UPDATE siding_resources SET history_pruned = 0,
                history_since = CASE WHEN ?2 THEN COALESCE(history_since, ?3) END
            WHERE id = ?1
            """, resource, retention == nil ? 0 : 1, now.microseconds)
    }
}
