internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Projects pending edits: keeps the visible record equal to the server copy with its pending edits applied. Works inside a
/// transaction.
struct EditProjection {
    let resource: Int64
    let name: String
    let now: Timestamp
    /// The resource's revision after this transaction commits.
    let revision: Int64

    /// Whether any record of the resource has pending edits. Checked once per page, so that pages of other resources skip the
    /// projection.
    static func isNeeded(for resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first("SELECT 1 FROM siding_server_copies WHERE resource = ?1 LIMIT 1", resource) { _ in true }
            ?? false
    }

    /// Nil for an unknown resource.
    static func load(
        _ name: String, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> EditProjection? {
        try Store.resourceRow(name, transaction).map { row in
            EditProjection(resource: row.id, name: name, now: now, revision: row.revision + 1)
        }
    }

    /// Rebuilds the visible record from the server copy and the remaining edits. After the last edit the server copy is
    /// deleted.
    ///
    /// - Returns: the change to the visible record.
    @discardableResult
    func show(_ key: String, run: RunID? = nil, _ transaction: borrowing Transaction) throws -> RecordChange {
        guard let base = try ServerCopy.load(resource, key, transaction) else { return .unchanged }
        let edits = try EditRows.edits(of: name, key, transaction)
        var state = base.state
        if edits.isEmpty {
            try transaction.execute("DELETE FROM siding_server_copies WHERE resource = ?1 AND key = ?2", resource, key)
        } else {
            let dropped = try DroppedMembers.of(resource, transaction)
            state = try dropped.removed(from: edits.reduce(state) { state, edit in edit.applied(to: state) })
        }
        let change = try ProjectedRecord(overlay: self, key: key)
            .write(state, pending: edits.count, run: run, request: base.request, transaction)
        if edits.isEmpty, base.etag != nil {
            try RecordsTable.load(resource, transaction).setETag(base.etag, of: key, transaction)
        }
        return change
    }

    /// Stores the server copy before the first edit of a record. A record that exists only locally has none.
    func keepBase(of key: String, _ transaction: borrowing Transaction) throws {
        let table = try RecordsTable.load(resource, transaction)
        try transaction.execute(
            """
            INSERT INTO siding_server_copies (resource, key, body, deleted_at, etag, request)
            SELECT ?1, ?2, NULLIF(r.body, 'null'), CASE WHEN r.body <> 'null' THEN r.deleted_at END, r.etag, r.request
            FROM (SELECT 1) LEFT JOIN \(table.rows) r ON r.key = ?3
            WHERE true
            ON CONFLICT (resource, key) DO NOTHING
            """, resource, key, table.key(key))
    }

    /// Stores a new server copy. Edits made for the old one keep that as their base.
    ///
    /// - Parameters:
    ///   - etag: the validator that came with exactly this state.
    ///   - request: the request that it came with.
    func setBase(
        of key: String, _ state: RecordState, etag: String? = nil, request: Int64?,
        _ transaction: borrowing Transaction
    ) throws {
        if let old = try ServerCopy.load(resource, key, transaction)?.state, old != state {
            try transaction.execute(
                """
                UPDATE siding_outbox SET base = ?3
                WHERE resource = ?1 AND record_key = ?2 AND edit IS NOT NULL AND settled_at IS NULL AND base IS NULL
                """, name, key, SQLiteValue.blob(old.living.map { Array($0.bytes) } ?? []))
        }
        try writeBase(of: key, state, etag: etag, request: request, transaction)
    }

    /// Stores a server copy that resulted from our own write: the remaining edits count as made for it.
    func moveBase(
        of key: String, _ state: RecordState, etag: String?, request: Int64?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET base = NULL
            WHERE resource = ?1 AND record_key = ?2 AND edit IS NOT NULL AND settled_at IS NULL
            """, name, key)
        try writeBase(of: key, state, etag: etag, request: request, transaction)
    }

    private func writeBase(
        of key: String, _ state: RecordState, etag: String?, request: Int64?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_server_copies (resource, key, body, deleted_at, etag, request) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (resource, key) DO UPDATE SET
                body = excluded.body, deleted_at = excluded.deleted_at, etag = excluded.etag, request = excluded.request
            """, resource, key, state.body.map { String(decoding: $0.bytes, as: UTF8.self) },
            state.deletedAt?.microseconds, etag, request)
    }
}

extension EditProjection {
    /// Rebuilds the record without the edit of a completed entry. Does nothing for entries that are not edits.
    static func lift(_ entry: String, now: Timestamp, _ transaction: borrowing Transaction) throws {
        guard let lifted = try EditRows.edit(of: entry, transaction),
            let overlay = try load(lifted.resource, now: now, transaction)
        else { return }
        try overlay.show(lifted.key, transaction)
    }
}
