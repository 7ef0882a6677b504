internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Gives a created record its real id: in its row, its lane, and the entries that name it. Works in the transaction that
/// completes the create.
struct TemporarySettler {
    let transitions: QueueTransitions
    let overlay: EditProjection
    /// The entry that created the record, not yet completed.
    let entry: QueueEntry
    let temporary: String
    /// The record's key if it has several parts; otherwise the real id is the key.
    let composite: String?

    /// Renames the record, and rewrites the entries that name it; parks those if `real` is nil.
    ///
    /// - Parameter real: the id as the origin wrote it; nil if the answer lacked it.
    /// - Returns: the record's key from now on; nil if unknown.
    func settle(_ real: JSONDocument?, _ transaction: borrowing Transaction) throws -> String? {
        guard let real, let rewriting = try? TemporaryRewriting(from: temporary, to: real) else {
            try parkWhatNamesIt(transaction)
            try overlay.moveBase(of: temporary, .nothing, etag: nil, request: nil, transaction)
            return nil
        }
        try rewriteRequests(rewriting, transaction)
        try joinLane(rewriting, transaction)
        let key = composite ?? rewriting.text
        try moveRecord(to: key, transaction)
        try transaction.execute(
            "UPDATE siding_outbox SET real_id = ?2 WHERE id = ?1", entry.id,
            String(decoding: real.bytes, as: UTF8.self))
        try transitions.note(entry.id, "named", "\(temporary) is \(rewriting.text)", transaction)
        return key
    }

    // MARK: What names it

    /// All that names it waits for it (``TemporaryReferences``), or stands behind it in its lane.
    private func naming(_ transaction: borrowing Transaction) throws -> [QueueEntry] {
        try transaction.query(
            """
            SELECT \(QueueRows.columns) FROM siding_outbox WHERE settled_at IS NULL AND id <> ?1 AND (
                id IN (SELECT entry FROM siding_outbox_dependencies WHERE parent = ?1)
                OR lane = ?2 OR (resource = ?3 AND record_key = ?4))
            """, entry.id, entry.lane, overlay.name, temporary, map: QueueRows.entry)
    }

    private func rewriteRequests(_ rewriting: TemporaryRewriting, _ transaction: borrowing Transaction) throws {
        for entry in try naming(transaction) {
            try transaction.execute(
                "UPDATE siding_outbox SET probe = json_set(probe, '$.id', ?3) WHERE id = ?1 AND probe ->> '$.id' = ?2",
                entry.id, temporary, rewriting.text)
            let content = try WriteReplacer.WrittenContent.load(of: entry, transaction)
            let url = try? rewriting.url(content.url)
            let body = rewriting.body(content.body)
            guard let url else {
                _ = try transitions.park(entry, as: .invalid, "its URL cannot carry the real id", transaction)
                continue
            }
            guard url != content.url || body != content.body else { continue }
            try transaction.execute(
                "UPDATE siding_outbox SET url = ?2, body = ?3 WHERE id = ?1", entry.id, url.description,
                body.map(SQLiteValue.blob))
            try transitions.note(entry.id, "rewritten", "\(temporary) is \(rewriting.text)", transaction)
        }
    }

    /// Without the real id they cannot be sent; an operator may fill it in.
    private func parkWhatNamesIt(_ transaction: borrowing Transaction) throws {
        for entry in try naming(transaction) where entry.state == .queued {
            _ = try transitions.park(
                entry, as: .dependency, "the answer to \(self.entry.shortID) did not say which id \(temporary) got",
                transaction)
        }
    }

    // MARK: Its lane

    /// Behind what stands in the lane of the real id already: one of its heads may be on its way.
    private func joinLane(_ rewriting: TemporaryRewriting, _ transaction: borrowing Transaction) throws {
        for lane in try lanes(transaction) where rewriting.lane(lane) != lane {
            let real = rewriting.lane(lane)
            let isTaken = try transaction.first(
                "SELECT 1 FROM siding_outbox WHERE lane = ?1 AND settled_at IS NULL", real
            ) { _ in true }
            try transaction.execute(
                """
                UPDATE siding_outbox SET lane = ?2, head = CASE WHEN ?3 THEN 0 ELSE head END, position = position +
                    (SELECT COALESCE(MAX(position), 0) FROM siding_outbox WHERE lane = ?2 AND settled_at IS NULL)
                WHERE lane = ?1 AND settled_at IS NULL
                """, lane, real, isTaken ?? false)
        }
    }

    private func lanes(_ transaction: borrowing Transaction) throws -> Set<String> {
        try naming(transaction).reduce(into: [entry.lane]) { $0.insert($1.lane) }
    }

    // MARK: Its row

    private func moveRecord(to key: String, _ transaction: borrowing Transaction) throws {
        try overlay.keepBase(of: key, transaction)
        try transaction.execute(
            """
            UPDATE siding_outbox SET record_key = ?3
            WHERE resource = ?1 AND record_key = ?2 AND edit IS NOT NULL AND settled_at IS NULL
            """, overlay.name, temporary, key)
        try removeShown(transaction)
    }

    /// Turns the row of the temporary key into a tombstone, so that change feeds report it.
    private func removeShown(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "DELETE FROM siding_server_copies WHERE resource = ?1 AND key = ?2", overlay.resource, temporary)
        _ = try ProjectedRecord(overlay: overlay, key: temporary).write(
            .nothing, pending: 0, run: nil, request: nil, transaction)
    }
}
