internal import SidingSQLite

/// Reads the stored content of a write.
enum WriteContentReader {
    static func content(of entry: String, _ snapshot: borrowing Snapshot) throws -> WriteContent? {
        let parents = try snapshot.query(
            """
            SELECT parent FROM siding_outbox_dependencies JOIN siding_outbox ON id = parent
            WHERE entry = ?1 AND settled_at IS NULL ORDER BY seq
            """, entry
        ) { $0.text(0) }
        let head = try snapshot.first(
            """
            SELECT id FROM siding_outbox
            WHERE lane = (SELECT lane FROM siding_outbox WHERE id = ?1) AND settled_at IS NULL
            ORDER BY position, seq LIMIT 1
            """, entry
        ) { $0.text(0) }
        return try snapshot.first(
            """
            SELECT \(StoredWrite.columns), status, answer_type, answer, replaces
            FROM siding_outbox WHERE id = ?1 AND kind = 'write'
            """, entry
        ) { row in
            let (stored, next) = (try StoredWrite(row), StoredWrite.count)
            let answer =
                row.isNull(next + 2)
                ? nil
                : WriteAnswer(
                    status: Int(row.int(next)), contentType: row.optionalText(next + 1), body: row.blob(next + 2))
            return WriteContent(
                headerFields: stored.headerFields, body: stored.outgoingBody(of: entry), key: stored.key,
                keyField: stored.keyField, isKeyed: stored.isKeyed, firstSentAt: stored.firstSentAt, answer: answer,
                parents: parents, head: head, replaces: row.optionalText(next + 3),
                probe: stored.probe?.path(entry: entry, key: stored.key), isKeyQuoted: stored.isKeyQuoted)
        }
    }
}
