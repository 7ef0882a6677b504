internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The row of a record that edits lie on.
struct ProjectedRecord {
    let overlay: EditProjection
    let key: String

    private typealias Stored = (id: Int64, body: [UInt8], deletedAt: Int64?, pending: Int64)

    /// Where there is nothing to show, nothing is made; what was shown becomes a tombstone, so that watchers see it go. Its
    /// body is `null`, as there is no record of the origin's to keep.
    ///
    /// - Parameters:
    ///   - run: the run that brought it; nil leaves the row's own.
    ///   - request: where what lies below the edits came from.
    func write(
        _ state: RecordState, pending: Int, run: RunID?, request: Int64?, _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        guard let stored = try stored(transaction) else {
            guard let body = state.body else { return .unchanged }
            try insert(body, state, pending, run ?? 0, request, transaction)
            return state.deletedAt == nil ? .inserted : .unchanged
        }
        let body = Array((state.body ?? .null).bytes)
        let deletedAt =
            state.body == nil ? stored.deletedAt ?? overlay.now.microseconds : state.deletedAt?.microseconds
        guard body != stored.body || deletedAt != stored.deletedAt || pending != stored.pending else {
            return .unchanged
        }
        let isRevived = deletedAt == nil && stored.deletedAt != nil
        try update(stored.id, body, deletedAt, pending, run, request, isRevived: isRevived, transaction)
        if isRevived { return .revived }
        return body == stored.body && deletedAt == stored.deletedAt ? .unchanged : .updated
    }

    private func stored(_ transaction: borrowing Transaction) throws -> Stored? {
        try transaction.first(
            "SELECT id, body, deleted_at, pending FROM siding_records WHERE resource = ?1 AND key = ?2",
            overlay.resource, key
        ) { row in
            (id: row.int(0), body: row.blob(1), deletedAt: row.optionalInt(2), pending: row.int(3))
        }
    }

    private func insert(
        _ body: JSONDocument, _ state: RecordState, _ pending: Int, _ run: RunID, _ request: Int64?,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_records (resource, key, body, first_seen_at, changed_at, run, deleted_at, revision, pending,
                lives_since, request)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?7, ?9)
            """, overlay.resource, key, String(decoding: body.bytes, as: UTF8.self), overlay.now.microseconds, run,
            state.deletedAt?.microseconds, overlay.revision, pending, request)
        let id = transaction.lastInsertedRowID
        try MissingTable.exempt(id, of: overlay.resource, transaction)
        if let index = try TextIndex.load(of: overlay.resource, transaction) {
            var text = try TextStatements(index, transaction)
            try text.add(id)
        }
        try Revisions.set(overlay.revision, of: overlay.resource, transaction)
    }

    private func update(
        _ id: Int64, _ body: [UInt8], _ deletedAt: Int64?, _ pending: Int, _ run: RunID?, _ request: Int64?,
        isRevived: Bool, _ transaction: borrowing Transaction
    ) throws {
        var text = try TextIndex.load(of: overlay.resource, transaction).map { try TextStatements($0, transaction) }
        try text?.remove(id)
        try transaction.execute(
            """
            UPDATE siding_records SET body = ?2, changed_at = ?3, deleted_at = ?4, pending = ?5, run = COALESCE(?6, run),
                revision = CASE WHEN deleted_at IS NULL OR ?4 IS NULL THEN ?7 ELSE revision END,
                etag = NULL, request = ?8,
                lives_since = CASE WHEN deleted_at IS NOT NULL AND ?4 IS NULL THEN ?7 ELSE lives_since END
            WHERE id = ?1
            """, id, String(decoding: body, as: UTF8.self), overlay.now.microseconds, deletedAt, pending, run,
            overlay.revision, request)
        try text?.add(id)
        try Revisions.set(overlay.revision, of: overlay.resource, transaction)
        if deletedAt != nil {
            try MissingTable.remove(id, of: overlay.resource, transaction)
        } else if isRevived {
            try MissingTable.exempt(id, of: overlay.resource, transaction)
        }
    }
}
