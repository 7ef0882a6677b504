internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Puts another request in the place of one that is not settled, inside a transaction.
struct WriteReplacer {
    let hand: QueueHand

    private var transitions: QueueTransitions { hand.transitions }

    /// - Returns: the new entry.
    func replace(
        _ prefix: String, with change: WriteChange, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let old = try QueueSelecting.entry(withPrefix: prefix, transaction)
        try hand.checkIsChangeable(old, transaction)
        if old.state == .queued, old.unknownSince != nil {
            throw StoreError(
                .invalidWrite, "\(old.shortID) may have arrived: an edit would be a second write",
                hint: "wait for the origin's word; or put it on hold first, and edit it then")
        }
        let content = try Content.load(of: old, transaction)
        let changed = Content(
            source: content.source, method: content.method, url: content.url,
            headerFields: change.headerFields ?? content.headerFields, body: change.body ?? content.body)
        try changed.check()
        if change.body != nil {
            try changed.checkIsEdit(old, transaction)
            try changed.checkCarriesMark(of: old, transaction)
        }
        let id = EntryID.random()
        try insert(id, in: old, changed, releases: change.releases, transaction)
        try retire(old, for: id, transaction)
        return try QueueSelecting.entry(withPrefix: id, transaction)
    }

    /// The same place, the same promise, another request.
    private func insert(
        _ id: String, in old: QueueEntry, _ content: Content, releases: Bool, _ transaction: borrowing Transaction
    ) throws {
        let isHeld = !releases
        try transaction.execute(
            """
            INSERT INTO siding_queue (id, kind, state, reason, source, resource, parameters, account, lane, position,
                head, method, url, headers, body, key, keyed, key_lifetime_us, key_field, key_quoted, operation,
                waits_on, created_at, not_before, expires_at, replaces, edit, record_key, edit_order, temporary_id, probe, conflict_on)
            SELECT ?2, kind, ?3, ?4, source, resource, parameters, account, lane, position,
                head, method, url, ?5, ?6, ?7, keyed, key_lifetime_us, key_field, key_quoted, operation,
                waits_on, created_at, ?8, CASE WHEN expires_at <= ?8 THEN NULL ELSE expires_at END, id, edit, record_key, edit_order, temporary_id,
                probe, conflict_on
            FROM siding_queue WHERE id = ?1
            """, old.id, id, isHeld ? "parked" : "queued", isHeld ? "held" : nil,
            WriteRows.json(content.headerFields), content.body.map(SQLiteValue.blob),
            UUID().uuidString.lowercased(), transitions.now.microseconds)
        try transitions.note(id, "accepted", "in the place of \(old.shortID)", transaction)
        if isHeld { try transitions.note(id, "held", "release lets it go", transaction) }
    }

    /// What waits for the old one waits for the new one, and its lane does not notice.
    private func retire(_ old: QueueEntry, for id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_dependencies SET entry = ?2 WHERE entry = ?1", old.id, id)
        try transaction.execute("UPDATE siding_dependencies SET parent = ?2 WHERE parent = ?1", old.id, id)
        try transaction.execute(
            """
            UPDATE siding_queue SET state = 'dropped', reason = NULL, owner = NULL, head = 0, crashes = 0, settled_at = ?2
            WHERE id = ?1
            """, old.id, transitions.now.microseconds)
        try transitions.note(old.id, "replaced", "by \(id)", transaction)
        try RecordOverlay.lift(id, now: transitions.now, transaction)
    }
}

extension WriteReplacer {
    /// The request of an entry.
    struct Content {
        var source: String
        var method: HTTPRequest.Method
        var url: HTTPURL
        var headerFields: HTTPFields
        var body: [UInt8]?

        static func load(of entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Content {
            guard let method = HTTPRequest.Method(entry.method), let url = try? HTTPURL(entry.url) else {
                throw StoreError(.corrupt, "queue entry \(entry.id) has a method or URL that cannot be sent")
            }
            let parts = try transaction.first("SELECT headers, body FROM siding_queue WHERE id = ?1", entry.id) { row in
                (fields: try WriteRows.fields(row.text(0)), body: row.isNull(1) ? nil : row.blob(1))
            }
            return Content(
                source: entry.source, method: method, url: url, headerFields: parts?.fields ?? [:], body: parts?.body)
        }

        /// - Throws: ``StoreError/Kind/invalidWrite`` where the entry is an edit and the body is nothing to a record.
        func checkIsEdit(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws {
            guard let edit = try EditRows.edit(of: entry.id, transaction)?.edit, edit.terms.change != .delete else {
                return
            }
            try EditEnqueuer.check(body ?? [], of: entry.resource ?? "")
        }

        /// - Throws: ``StoreError/Kind/invalidWrite`` where the queue may not keep it.
        func check() throws(StoreError) {
            do {
                try WriteSafety.check(WriteRequest(to: source, method, url, headerFields: headerFields, body: body))
            } catch {
                throw StoreError(.invalidWrite, error.detail ?? error.description)
            }
        }
    }
}
