internal import SidingChain
internal import SidingSQLite

/// Deletes completed entries after their retention time. The keys of writes are kept for as long as origins remember them.
struct QueuePruning {
    /// 30 days, in microseconds.
    static let retention: Int64 = 30 * 86_400 * 1_000_000

    let now: Timestamp

    /// Deletes entries that were completed before `moment`, and expired keys.
    func removeSettled(before moment: Timestamp, _ transaction: borrowing Transaction) throws {
        let old = try transaction.query(
            "SELECT \(QueueRows.columns) FROM siding_outbox WHERE settled_at < ?1 AND key_until IS NULL",
            moment.microseconds, map: QueueRows.entry)
        for entry in old { _ = try forget(entry, transaction) }
        try removeKeys(transaction)
    }

    /// Deletes the keys that no origin remembers any more.
    func removeKeys(_ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_outbox WHERE key_until <= ?1", now.microseconds)
    }

    /// Deletes an entry. If the origin may still remember its key, the key is kept.
    ///
    /// - Returns: the entry before its deletion.
    /// - Throws: ``QueueRefusal`` if it is not completed, or was purged already.
    func forget(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        let lifetime = try keyLifetime(ofForgettable: entry, transaction)
        try removeTombstone(of: entry, transaction)
        // No attempt was later than this, so no origin remembers the key for longer.
        let until = (entry.settledAt ?? now) + lifetime
        if entry.kind == .write, until > now {
            try strip(entry, until, transaction)
        } else {
            try transaction.execute("DELETE FROM siding_outbox WHERE id = ?1", entry.id)
        }
        return entry
    }

    /// How long the key of an entry stays reserved after completion.
    ///
    /// - Throws: ``QueueRefusal`` if it is not completed, or was purged already.
    func keyLifetime(
        ofForgettable entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Duration {
        guard entry.settledAt != nil else {
            throw QueueRefusal(
                reason: "it is not settled (\(entry.state.rawValue))",
                hint: "'siding queue drop \(entry.shortID)' gives it up; then it can be forgotten")
        }
        let key = try database.first(
            "SELECT key_lifetime_us, key_until FROM siding_outbox WHERE id = ?1", entry.id
        ) { (lifetime: $0.optionalInt(0), until: $0.optionalInt(1)) }
        if let until = key?.until {
            throw QueueRefusal(
                reason: "it is forgotten but for its key, until \(Timestamp(microseconds: until).rfc3339)")
        }
        return key?.lifetime.map { .microseconds($0) } ?? Idempotency().lifetime
    }

    /// Deletes the tombstone of the entry's temporary id, which only change feeds needed.
    private func removeTombstone(of entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        let named = try transaction.first(
            """
            SELECT r.id, q.temporary_id FROM siding_outbox q JOIN siding_resources r ON r.name = q.resource
            WHERE q.temporary_id IS NOT NULL AND q.id = ?1
            """, entry.id
        ) { (resource: $0.int(0), key: $0.text(1)) }
        guard let named else { return }
        let table = try RecordsTable.load(named.resource, transaction)
        guard let record = try table.find(named.key, transaction), record.deletedAt != nil, record.pending == 0 else {
            return
        }
        try ChangeFeed.forget(revision: record.revision, of: named.resource, transaction)
        try table.remove(record.row, transaction)
    }

    /// Deletes the request and keeps the final state with the key, so that a repeated command gets the same answer.
    private func strip(_ entry: QueueEntry, _ until: Timestamp, _ transaction: borrowing Transaction) throws {
        let digest = try RequestDigest.ofRow(entry.id, transaction)
        try transaction.execute(
            """
            UPDATE siding_outbox SET key_until = ?2, body_sha256 = ?3, headers = '[]', body = NULL, answer = NULL,
                answer_type = NULL, status = NULL, error = NULL, edit = NULL, base = NULL, unknown_since = NULL, probe = NULL
            WHERE id = ?1
            """, entry.id, until.microseconds, digest.map(SQLiteValue.blob))
        try transaction.execute(
            """
            DELETE FROM siding_outbox_events
            WHERE entry = ?1 AND seq < (SELECT MAX(seq) FROM siding_outbox_events WHERE entry = ?1)
            """, entry.id)
        try transaction.execute("DELETE FROM siding_outbox_dependencies WHERE entry = ?1 OR parent = ?1", entry.id)
    }
}

/// Digests that compare requests without storing them.
enum RequestDigest {
    /// - Parameter request: method, URL, and header fields in the form of ``WriteRows``.
    static func of(_ request: [String], body: [UInt8]?) -> [UInt8] {
        // No part holds a NUL, so different requests give different texts.
        let parts = Array((request.joined(separator: "\0") + "\0").utf8)
        return Array(SHA256.hexadecimal(parts + (body == nil ? [0] : [1]) + (body ?? [])).utf8)
    }

    static func ofRow(_ entry: String, _ transaction: borrowing Transaction) throws -> [UInt8]? {
        try transaction.first("SELECT method, url, headers, body FROM siding_outbox WHERE id = ?1", entry) { row in
            of([row.text(0), row.text(1), row.text(2)], body: row.isNull(3) ? nil : row.blob(3))
        }
    }
}
