internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Keeps records with unsettled edits what they are to be: what the origin has, and the edits on top. Works inside a
/// transaction.
struct EditProjection {
    let resource: Int64
    let name: String
    let now: Timestamp
    /// The resource's revision once this transaction has committed.
    let revision: Int64

    /// Whether any record of the resource has unsettled edits: the one question that pages without any are asked.
    static func isNeeded(for resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first("SELECT 1 FROM siding_bases WHERE resource = ?1 LIMIT 1", resource) { _ in true } ?? false
    }

    /// For a resource that is known.
    static func load(
        _ name: String, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> EditProjection? {
        try Store.resourceRow(name, transaction).map { row in
            EditProjection(resource: row.id, name: name, now: now, revision: row.revision + 1)
        }
    }

    /// Makes the record anew of what the origin has and the edits that are left; with the last edit the base goes too.
    ///
    /// - Returns: what that did to the record as it shows.
    @discardableResult
    func show(_ key: String, run: RunID? = nil, _ transaction: borrowing Transaction) throws -> RecordChange {
        guard let base = try ServerCopy.load(resource, key, transaction) else { return .unchanged }
        let edits = try EditRows.edits(of: name, key, transaction)
        var state = base.state
        if edits.isEmpty {
            try transaction.execute("DELETE FROM siding_bases WHERE resource = ?1 AND key = ?2", resource, key)
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

    /// Keeps what the origin has, before the first edit of a record is laid on it. What was only ever ours is nothing there.
    func keepBase(of key: String, _ transaction: borrowing Transaction) throws {
        let table = try RecordsTable.load(resource, transaction)
        try transaction.execute(
            """
            INSERT INTO siding_bases (resource, key, body, deleted_at, etag, request)
            SELECT ?1, ?2, NULLIF(r.body, 'null'), CASE WHEN r.body <> 'null' THEN r.deleted_at END, r.etag, r.request
            FROM (SELECT 1) LEFT JOIN \(table.rows) r ON r.key = ?3
            WHERE true
            ON CONFLICT (resource, key) DO NOTHING
            """, resource, key, table.key(key))
    }

    /// Notes what the origin has now. The edits keep what it had when they were made.
    ///
    /// - Parameters:
    ///   - etag: the validator that came with exactly this state.
    ///   - request: where it came from.
    func setBase(
        of key: String, _ state: RecordState, etag: String? = nil, request: Int64?,
        _ transaction: borrowing Transaction
    ) throws {
        if let old = try ServerCopy.load(resource, key, transaction)?.state, old != state {
            try transaction.execute(
                """
                UPDATE siding_queue SET base = ?3
                WHERE resource = ?1 AND record_key = ?2 AND edit IS NOT NULL AND settled_at IS NULL AND base IS NULL
                """, name, key, SQLiteValue.blob(old.living.map { Array($0.bytes) } ?? []))
        }
        try writeBase(of: key, state, etag: etag, request: request, transaction)
    }

    /// Notes what the origin has now by our own doing: the edits that are left count as made for that.
    func moveBase(
        of key: String, _ state: RecordState, etag: String?, request: Int64?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_queue SET base = NULL
            WHERE resource = ?1 AND record_key = ?2 AND edit IS NOT NULL AND settled_at IS NULL
            """, name, key)
        try writeBase(of: key, state, etag: etag, request: request, transaction)
    }

    private func writeBase(
        of key: String, _ state: RecordState, etag: String?, request: Int64?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_bases (resource, key, body, deleted_at, etag, request) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (resource, key) DO UPDATE SET
                body = excluded.body, deleted_at = excluded.deleted_at, etag = excluded.etag, request = excluded.request
            """, resource, key, state.body.map { String(decoding: $0.bytes, as: UTF8.self) },
            state.deletedAt?.microseconds, etag, request)
    }
}

extension EditProjection {
    /// Makes the record of a settled entry anew, without its edit. Entries that are no edits change nothing.
    static func lift(_ entry: String, now: Timestamp, _ transaction: borrowing Transaction) throws {
        guard let lifted = try EditRows.edit(of: entry, transaction),
            let overlay = try load(lifted.resource, now: now, transaction)
        else { return }
        try overlay.show(lifted.key, transaction)
    }
}
