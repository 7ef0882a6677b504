internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Accepts a write, inside a transaction.
struct WriteEnqueuer {
    private(set) var write: WriteRequest
    let transitions: QueueTransitions

    init(write: WriteRequest, transitions: QueueTransitions) {
        (self.write, self.transitions) = (write, transitions)
    }

    func enqueue(_ transaction: borrowing Transaction) throws -> QueueEntry {
        if let key = write.key, let existing = try entry(underKey: key, transaction) { return existing }
        try editing?.check(transaction)
        let references = try TemporaryReferences(resolving: write, transaction)
        var resolved = self
        resolved.write = references.write
        return try resolved.accept(parents: unsettledParents(transaction).union(references.parents), transaction)
    }

    private var editing: EditEnqueuer? {
        write.edit.map { EditEnqueuer(write: write, edit: $0, transitions: transitions) }
    }

    private func accept(parents: Set<String>, _ transaction: borrowing Transaction) throws -> QueueEntry {
        let id = EntryID.random()
        if let edit = write.edit {
            let coalescer = WriteCoalescer(write: write, edit: edit, transitions: transitions)
            let key = EditEnqueuer.key(of: edit, entry: id)
            switch try coalescer.outcome(lane: lane(of: id), key: key, parents: parents, transaction) {
            case .accept: break
            case .folded(let entry):
                try editing?.showColumns(transaction)
                return try QueueSelecting.entry(withPrefix: entry, transaction)
            case .cancels(let entry):
                let deletion = try add(id, parents: parents, transaction)
                return try cancel(entry, and: deletion, transaction)
            }
        }
        return try add(id, parents: parents, transaction)
    }

    /// Completes the deletion first, so that completing the creation does not park it as a dependency.
    private func cancel(
        _ creation: String, and deletion: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try transitions.settle(
            deletion.id, as: .dropped, event: "cancelled", detail: "its record was never sent", transaction)
        try transitions.settle(
            creation, as: .dropped, event: "cancelled", detail: "\(deletion.shortID) deletes what it was to create",
            transaction)
        return try QueueSelecting.entry(withPrefix: deletion.id, transaction)
    }

    private func add(
        _ id: String, parents: Set<String>, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try insert(id, waitsOn: parents.count, transaction)
        for parent in parents {
            try transaction.execute(
                "INSERT INTO siding_outbox_dependencies (entry, parent) VALUES (?1, ?2)", id, parent)
        }
        try transitions.note(id, "accepted", nil, transaction)
        try editing?.apply(to: id, transaction)
        return try QueueSelecting.entry(withPrefix: id, transaction)
    }

    /// The entry that already has the caller's key, if it is the same request.
    private func entry(underKey key: String, _ transaction: borrowing Transaction) throws -> QueueEntry? {
        try QueuePruning(now: transitions.now).removeKeys(transaction)
        let found = try transaction.first(
            """
            SELECT id, method, url, headers, body, CASE WHEN key_until IS NOT NULL THEN body_sha256 END
            FROM siding_outbox WHERE key = ?1
            """, key
        ) { row in
            (
                id: row.text(0), request: [row.text(1), row.text(2), row.text(3)],
                body: row.isNull(4) ? nil : row.blob(4), digest: row.isNull(5) ? nil : row.blob(5)
            )
        }
        guard let found else { return nil }
        func isSame(_ write: WriteRequest) -> Bool {
            let request = [write.method.rawValue, write.url.description, WriteRows.json(write.headerFields)]
            guard let digest = found.digest else { return found.request == request && found.body == write.body }
            return digest == RequestDigest.of(request, body: write.body)
        }
        // A temporary id in the request may have become a real one since.
        guard try isSame(write) || isSame(TemporaryReferences(resolving: write, transaction).write) else {
            throw StoreError(
                .invalidWrite, "the key is taken: it stands for another request, \(found.id.prefix(8))",
                hint: "a key names one request for good; leave it out to have one made")
        }
        return try QueueSelecting.entry(withPrefix: found.id, transaction)
    }

    private func unsettledParents(_ transaction: borrowing Transaction) throws -> Set<String> {
        var parents: Set<String> = []
        for prefix in write.after {
            let parent = try QueueSelecting.entry(withPrefix: prefix, transaction)
            guard parent.state != .dropped else {
                throw StoreError(
                    .invalidWrite, "\(parent.shortID) was dropped, so nothing can wait for it",
                    hint: "leave --after out if the order does not matter any more")
            }
            if !parent.state.isSettled { parents.insert(parent.id) }
        }
        return parents
    }

    private func lane(of id: String) -> String {
        let record = write.edit.map { "\($0.resource)/\(EditEnqueuer.key(of: $0, entry: id))" }
        return write.lane ?? record ?? QueueEntry.ownLane(of: id)
    }

    private func insert(_ id: String, waitsOn: Int, _ transaction: borrowing Transaction) throws {
        let lane = lane(of: id)
        let now = transitions.now
        let sendsKey = write.idempotency != nil || write.method == .post || write.method == .patch
        try transaction.execute(
            """
            INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, method, url, headers, body,
                key, keyed, key_lifetime_us, key_field, key_quoted, operation, waits_on, created_at, not_before, expires_at,
                probe, conflict_on, gone_is_done)
            VALUES (?1, 'write', 'queued', ?2, ?3,
                (SELECT COALESCE(MAX(position), 0) + 1 FROM siding_outbox WHERE lane = ?3 AND settled_at IS NULL),
                NOT EXISTS (SELECT 1 FROM siding_outbox WHERE lane = ?3 AND settled_at IS NULL),
                ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?15, ?16, ?17, ?18, ?19)
            """,
            id, write.source, lane, write.method.rawValue, write.url.description, WriteRows.json(write.headerFields),
            write.body.map(SQLiteValue.blob), write.key ?? UUID().uuidString.lowercased(),
            write.idempotency == nil ? 0 : 1, write.idempotency?.lifetime.wholeMicroseconds,
            sendsKey ? (write.idempotency?.field ?? Idempotency.standardField).rawName : nil,
            write.idempotency?.format == .quoted ? 1 : 0, write.operation, waitsOn, now.microseconds,
            write.expiry.map { (now + $0).microseconds }, try probeJSON(),
            try write.conflictStatuses.map { try Store.json($0.sorted()) }, write.goneIsDone.map { $0 ? 1 : 0 })
    }

    /// A write that may be sent twice needs no delivery probe.
    private func probeJSON() throws -> String? {
        guard let probe = write.probe, !write.method.isIdempotent else { return nil }
        return try Store.json(ProbeTerms(probe))
    }
}

/// How the parts of a write are stored in its row.
enum WriteRows {
    /// Pairs of name and value, in order: a field may occur more than once.
    static func json(_ fields: HTTPFields) -> String {
        let pairs = fields.map { [$0.name.rawName, $0.value] }
        guard let data = try? JSONEncoder().encode(pairs) else { return "[]" }
        return String(decoding: data, as: UTF8.self)
    }

    static func fields(_ json: String) throws -> HTTPFields {
        guard let pairs = try? JSONDecoder().decode([[String]].self, from: Data(json.utf8)) else { return [:] }
        var fields = HTTPFields()
        for pair in pairs where pair.count == 2 {
            guard let name = HTTPField.Name(pair[0]) else {
                throw StoreError(.corrupt, "a queue entry has a header field whose name is none")
            }
            fields.append(HTTPField(name: name, value: pair[1]))
        }
        return fields
    }
}
