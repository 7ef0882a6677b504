// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Accepts a write, inside a transaction.
struct WriteEnqueuer {
    var write: WriteRequest
    let transitions: QueueTransitions

    func enqueue(_ transaction: borrowing Transaction) throws -> QueueEntry {
        if let key = write.key, let existing = try entry(underKey: key, transaction) { return existing }
        try editing?.check(transaction)
        let references = try TemporaryReferences(resolving: write, transaction)
        var resolved = self
        resolved.write = references.write
        return try resolved.accept(parents: openParents(transaction).union(references.parents), transaction)
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
                try editing?.addColumns(transaction)
                return try OutboxTable.entry(withPrefix: entry, transaction)
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
        try transitions.completeWrites(
            [deletion.id], as: .dropped, event: .cancelled, detail: "its record was never sent", transaction)
        try transitions.completeWrites(
            [creation], as: .dropped, event: .cancelled,
            detail: "\(deletion.shortID) deletes the record that it would create",
            transaction)
        return try OutboxTable.entry(withPrefix: deletion.id, transaction)
    }

    private func add(
        _ id: String, parents: Set<String>, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let now = transitions.now
        let entry = QueueEntry(
            id: id, kind: .write, state: .queued, source: write.source, resource: write.edit?.resource,
            lane: lane(of: id), method: write.method.rawValue, url: write.url.description, createdAt: now,
            nextAttemptAt: now, waitsOn: parents.count, operation: write.operation)
        try OutboxTable.insert(entry, expiresAt: write.expiry.map { now + $0 }, transaction)
        try OutboxRequestsTable.insert(write, of: id, transaction)
        try IdempotencyKeysTable.insert(write, of: id, transaction)
        try OutboxDependenciesTable.insert(parents: parents, of: id, transaction)
        try transitions.addEvent(id, .accepted, nil, transaction)
        try editing?.apply(to: id, transaction)
        return try OutboxTable.entry(withPrefix: id, transaction)
    }

    /// The entry that already has the caller's key, if it is the same request.
    private func entry(underKey key: String, _ transaction: borrowing Transaction) throws -> QueueEntry? {
        try OutboxTable.deleteForgotten(transitions.now, transaction)
        guard let found = try IdempotencyKeysTable.find(key, transaction) else { return nil }
        let digest = try found.digest ?? RequestDigest.of(entry: found.entry, transaction)
        func isSame(_ write: WriteRequest) throws -> Bool {
            try digest
                == RequestDigest.of(
                    write.method.rawValue, write.url.description, HeaderFieldsText.json(write.headerFields), write.body)
        }
        // A temporary id in the request may have become a real one since.
        guard try isSame(write) || isSame(TemporaryReferences(resolving: write, transaction).write) else {
            throw StoreError(
                .invalidWrite, "the idempotency key belongs to another request, \(found.entry.prefix(8))",
                hint: "use a key for one request only; without a key one is made")
        }
        return try OutboxTable.entry(withPrefix: found.entry, transaction)
    }

    private func openParents(_ transaction: borrowing Transaction) throws -> Set<String> {
        var parents: Set<String> = []
        for prefix in write.after {
            let parent = try OutboxTable.entry(withPrefix: prefix, transaction)
            guard parent.state != .dropped else {
                throw StoreError(
                    .invalidWrite, "\(parent.shortID) was dropped, so nothing can wait for it",
                    hint: "leave out --after if the order no longer matters")
            }
            if !parent.state.isCompleted { parents.insert(parent.id) }
        }
        return parents
    }

    private func lane(of id: String) -> String {
        let record = write.edit.map { "\($0.resource)/\(EditEnqueuer.key(of: $0, entry: id))" }
        return write.lane ?? record ?? QueueEntry.ownLane(of: id)
    }
}
