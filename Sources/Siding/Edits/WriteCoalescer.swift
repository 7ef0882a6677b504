internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Merges a new write into an unsent write to the same record.
struct WriteCoalescer {
    let write: WriteRequest
    let edit: WriteEdit
    let transitions: QueueTransitions

    enum Outcome {
        /// Not merged: the write becomes an entry.
        case accept
        /// Merged into this entry.
        case folded(String)
        /// Neither this entry, which creates the record, nor the new write, which deletes it, needs to be sent.
        case cancels(String)
    }

    private typealias Target = (edit: PendingEdit, method: String, url: String, headers: String)

    /// Decides whether the new write is merged, and merges it.
    ///
    /// - Parameters:
    ///   - lane: the lane of the new write.
    ///   - key: the key of the record.
    ///   - parents: the entries that the new write waits for.
    func outcome(
        lane: String, key: String, parents: Set<String>, _ transaction: borrowing Transaction
    ) throws -> Outcome {
        guard edit.coalesces, write.key == nil, edit.change != .create,
            let target = try target(in: lane, key, transaction),
            try parents.isSubset(of: parentsOf(target, transaction))
        else { return .accept }
        let entry = target.edit.entry.id
        if edit.change == .delete { return target.edit.terms.change == .create ? .cancels(entry) : .accept }
        guard let body = try body(of: target) else { return .accept }
        try fold(body, into: entry, transaction)
        return .folded(entry)
    }

    /// The newest entry of the lane, if it concerns the record, was never claimed, and may be changed. An entry that replaced
    /// another is excluded, because the other may have been claimed.
    private func target(
        in lane: String, _ key: String, _ transaction: borrowing Transaction
    ) throws -> Target? {
        let newest = try transaction.first(
            """
            SELECT id, method, url, headers,
                state = 'queued' AND attempts = 0 AND crashes = 0 AND token = 0 AND first_sent_at IS NULL
                AND replaces IS NULL
                AND source = ?2 AND resource IS ?3 AND record_key IS ?4 AND edit IS NOT NULL
            FROM siding_outbox WHERE lane = ?1 AND settled_at IS NULL ORDER BY position DESC, seq DESC LIMIT 1
            """, lane, write.source, edit.resource, key
        ) { row in
            (id: row.text(0), method: row.text(1), url: row.text(2), headers: row.text(3), isOpen: row.int(4) == 1)
        }
        guard let newest, newest.isOpen, let found = try EditRows.edit(of: newest.id, transaction)?.edit,
            found.terms.coalesces
        else { return nil }
        return (found, newest.method, newest.url, newest.headers)
    }

    private func parentsOf(_ target: Target, _ transaction: borrowing Transaction) throws -> Set<String> {
        let id = target.edit.entry.id
        let parents = try transaction.query("SELECT parent FROM siding_outbox_dependencies WHERE entry = ?1", id) {
            $0.text(0)
        }
        return Set(parents).union([id])
    }

    /// One body for both writes; nil if there is none.
    private func body(of target: Target) throws -> JSONDocument? {
        guard let earlier = target.edit.body else { return nil }
        let later = try EditRows.document(write.body ?? [])
        // If only one of them wraps its record, no body can express both.
        if let path = edit.record, (earlier.value(at: path) == nil) != (later.value(at: path) == nil) { return nil }
        let isAlike =
            target.method == write.method.rawValue && target.url == write.url.description
            && target.headers == WriteRows.json(write.headerFields)
        switch (target.edit.terms.change, edit.change) {
        case (.merge, .merge) where isAlike:
            return try? JSONMergePatch.combine(JSONMergePatch(earlier), JSONMergePatch(later)).document
        case (.replace, .replace) where isAlike: return later
        case (.replace, .merge) where target.url == write.url.description:
            return JSONMergePatch(later).applied(to: earlier)
        case (.create, .merge): return unnamed(JSONMergePatch(later).applied(to: earlier), target)
        case (.create, .replace): return unnamed(later, target)
        default: return nil
        }
    }

    /// Removes the temporary id from a create: the origin assigns the real one.
    private func unnamed(_ document: JSONDocument, _ target: Target) -> JSONDocument {
        let (terms, record) = (target.edit.terms, target.edit.terms.record(in: document))
        guard let temporary = target.edit.temporaryID, let path = terms.keyPaths.first,
            terms.key.count == 1, record.value(at: path)?.string == temporary
        else { return document }
        var patch = JSONDocument.null
        for component in path.components.reversed() {
            guard case .member(let name) = component else { return document }
            patch = JSONDocument(object: [name: patch])
        }
        return terms.body(document, carrying: JSONMergePatch(patch).applied(to: record))
    }

    /// The entry was never sent, so it can keep its key.
    private func fold(_ body: JSONDocument, into entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET body = ?2,
                expires_at = CASE WHEN ?3 IS NULL THEN NULL ELSE MAX(expires_at, ?3) END
            WHERE id = ?1
            """, entry, SQLiteValue.blob(Array(body.bytes)),
            write.expiry.map { (transitions.now + $0).microseconds })
        try transitions.note(entry, "coalesced", "with a later change of the same record", transaction)
        try EditProjection.lift(entry, now: transitions.now, transaction)
    }
}
