// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_incidents`: conditions that hooks are notified of.
enum IncidentsTable {
    static func all(_ snapshot: borrowing Snapshot) throws -> [Incident] {
        try snapshot.query("SELECT * FROM siding_incidents ORDER BY since, kind, subject", map: incident)
            .compactMap(\.self)
    }

    /// Nil for a kind that this version does not know.
    private static func incident(_ row: borrowing Row) throws -> Incident? {
        guard let kind = Incident.Kind(rawValue: try row.text("kind")) else { return nil }
        var incident = Incident(
            kind, of: try row.text("subject"), since: try row.time("since"), message: try row.text("message"))
        incident.endedAt = try row.optionalTime("ended_at")
        // Without it hooks are notified twice, which is better than an error that ends all notifications.
        incident.notified = Set(Store.decodeIfReadable([String].self, try row.text("notified")) ?? [])
        // Without it a hook is called sooner.
        let failedCalls = try row.text("failed_calls")
        incident.failedCalls = Store.decodeIfReadable([String: Incident.FailedCalls].self, failedCalls) ?? [:]
        return incident
    }

    /// Stores the beginning or the end of an incident, which no hook was notified of yet.
    static func save(_ incident: Incident, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_incidents (kind, subject, since, message, ended_at, notified, failed_calls)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (kind, subject) DO UPDATE SET since = excluded.since, message = excluded.message,
                ended_at = excluded.ended_at, notified = excluded.notified, failed_calls = excluded.failed_calls
            """, incident.key.kind.rawValue, incident.key.subject, incident.since.microseconds, incident.message,
            incident.endedAt?.microseconds, try Store.json(incident.notified.sorted()),
            try Store.json(incident.failedCalls))
    }

    /// Adds a hook that took the notification; those of other hooks may be added at the same time.
    static func add(notified hook: String, to key: Incident.Key, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_incidents SET notified = json_insert(notified, '$[#]', ?3) WHERE kind = ?1 AND subject = ?2
            """, key.kind.rawValue, key.subject, hook)
    }

    /// Stores a call that failed, the `count`th of the hook in a row.
    static func add(
        failedCall count: Int, of hook: String, to key: Incident.Key, at now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_incidents SET failed_calls =
                json_set(failed_calls, '$."' || ?3 || '"', json_object('count', ?5, 'at', ?4))
            WHERE kind = ?1 AND subject = ?2
            """, key.kind.rawValue, key.subject, hook, now.microseconds, count)
    }

    /// Forgets that calls of a hook failed, as it took one since.
    static func forgetFailedCalls(of hook: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_incidents SET failed_calls = json_remove(failed_calls, '$."' || ?1 || '"')
            WHERE failed_calls <> '{}'
            """, hook)
    }

    static func delete(_ key: Incident.Key, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "DELETE FROM siding_incidents WHERE kind = ?1 AND subject = ?2", key.kind.rawValue, key.subject)
    }
}
