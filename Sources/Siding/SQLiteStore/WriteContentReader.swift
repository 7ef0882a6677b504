internal import HTTPTypes
internal import SidingSQLite

/// Reads what a write's row holds beside its entry.
enum WriteContentReader {
    static func content(of entry: String, _ snapshot: borrowing Snapshot) throws -> WriteContent? {
        let parents = try snapshot.query(
            """
            SELECT parent FROM siding_dependencies JOIN siding_queue ON id = parent
            WHERE entry = ?1 AND settled_at IS NULL ORDER BY seq
            """, entry
        ) { $0.text(0) }
        let head = try snapshot.first(
            """
            SELECT id FROM siding_queue
            WHERE lane = (SELECT lane FROM siding_queue WHERE id = ?1) AND settled_at IS NULL
            ORDER BY position, seq LIMIT 1
            """, entry
        ) { $0.text(0) }
        return try snapshot.first(
            """
            SELECT headers, body, key, key_field, keyed, first_sent_at, status, answer_type, answer, replaces, probe,
                key_quoted
            FROM siding_queue WHERE id = ?1 AND kind = 'write'
            """, entry
        ) { row in
            let probe = SQLiteStore.decode(ProbeTerms.self, row.optionalText(10))?.probe
            let body = row.isNull(1) ? nil : row.blob(1)
            return WriteContent(
                headerFields: try WriteRows.fields(row.text(0)),
                body: probe?.marked(body, entry: entry, key: row.text(2)) ?? body, key: row.text(2),
                keyField: row.optionalText(3).flatMap { HTTPField.Name($0) },
                isKeyed: row.int(4) == 1, firstSentAt: row.optionalInt(5).map(Timestamp.init),
                answer: row.isNull(8)
                    ? nil : WriteAnswer(status: Int(row.int(6)), contentType: row.optionalText(7), body: row.blob(8)),
                parents: parents, head: head, replaces: row.optionalText(9),
                probe: probe?.path(entry: entry, key: row.text(2)), isKeyQuoted: row.int(11) == 1)
        }
    }
}
