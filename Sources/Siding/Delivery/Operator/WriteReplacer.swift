// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Replaces the request of an open entry by a new entry in its place: a request that was accepted under one key is never
/// changed under that key. The new entry has an id and a key of its own, and entries that waited for the old one wait for it.
struct WriteReplacer {
    let actions: OperatorActions

    private var transitions: QueueTransitions { actions.transitions }

    /// Checks a change, and applies it to the request of an entry.
    ///
    /// - Returns: the new request, with the real ids that are known, and the open entries that make the others.
    /// - Throws: ``QueueRefusal`` if the entry may not be edited, ``StoreError/Kind/invalidWrite`` if the queue may not keep
    ///   the new request.
    func request(
        replacing old: QueueEntry, with change: WriteChange, _ database: borrowing some Queryable & ~Copyable
    ) throws -> TemporaryReferences {
        try check(old)
        let write = try WriteRequest(of: old, changedBy: change, database)
        // The stored parts were checked when they were accepted, those of the change before.
        try WriteSafety.check(write.probe, of: write)
        if let body = change.body, let edit = try PendingEdit.load(old.id, database), edit.terms.change != .delete {
            try EditEnqueuer.check(body, of: edit.resource, at: edit.terms.recordPath)
        }
        guard change.url != nil || change.body != nil else { return TemporaryReferences(write: write) }
        let references = try TemporaryReferences(resolving: write, database)
        if !references.parents.isEmpty,
            try OutboxTable.waitedFor(by: references.parents, database).contains(old.id)
        {
            throw QueueRefusal(
                reason: "it would wait for itself: it names a record that is created after it",
                hint: "name the record in a write of its own, which waits for both")
        }
        return references
    }

    /// - Throws: ``QueueRefusal`` if the entry may not be edited.
    func check(_ old: QueueEntry) throws {
        try actions.checkIsChangeable(old)
        try checkIsNotSecond(old)
    }

    /// An edit of what may have arrived is a second write. An operator who has put it on hold, or who was told so by the
    /// reason, has decided that. What is invalid cannot be sent as it is.
    private func checkIsNotSecond(_ old: QueueEntry) throws {
        guard old.mayHaveArrived, old.reason != .held, old.reason != .invalid, old.reason?.isDoubt != true else {
            return
        }
        let id = old.shortID
        throw QueueRefusal(
            reason: "it may have arrived: an edit would be a second write",
            hint: old.state == .queued
                ? "wait for its delivery probe; or hold it first, then edit it"
                : "if the origin has it, \(QueueExplanation.arrival(of: old)); if not, 'siding queue release \(id)' queues it unchanged"
        )
    }

    /// Inserts the new entries, drops the old ones, and moves their dependencies to the new ones. The lanes keep their order.
    ///
    /// - Parameters:
    ///   - references: what the new requests name, by the ids of the old entries, where that was looked up.
    ///   - isResolved: whether the operator has decided on a conflict with the present server copy.
    func replace(
        _ olds: [QueueEntry], with change: WriteChange, naming references: [String: TemporaryReferences],
        isResolved: Bool, _ transaction: borrowing Transaction
    ) throws -> [QueueEntry] {
        let oldIDs = olds.map(\.id)
        let ids = try ReplacedIDs(oldIDs)
        try OutboxTable.insert(replacing: ids, isHeld: !change.releases, at: transitions.now, transaction)
        try OutboxRequestsTable.insert(replacing: ids, changedBy: change, isResolved: isResolved, transaction)
        try OutboxEditsTable.insert(replacing: ids, keepsBase: !isResolved, transaction)
        try IdempotencyKeysTable.insert(replacing: ids, transaction)
        let pairs = Array(zip(olds, ids.new))
        try transitions.addEvent(.accepted, of: pairs.map { ($1, "in the place of \($0.shortID)") }, transaction)
        if !change.releases {
            try transitions.addEvent(.held, of: ids.new.map { ($0, "until it is released") }, transaction)
        }
        try OutboxTable.complete(oldIDs, as: .dropped, at: transitions.now, transaction)
        try OutboxEditsTable.complete(oldIDs, transaction)
        try transitions.addEvent(.replaced, of: pairs.map { ($0.id, "by \($1)") }, transaction)
        for (old, references) in references {
            try OutboxDependenciesTable.insert(parents: references.parents, of: old, transaction)
        }
        try OutboxDependenciesTable.move(ids, transaction)
        for (old, id) in pairs {
            guard let write = references[old.id] else { continue }
            try OutboxTable.updateWaitsOn(of: [id], transaction)
            guard write.isRewritten, var request = try OutboxRequestsTable.load(id, transaction) else { continue }
            (request.url, request.body) = (write.write.url.description, write.write.body)
            request.probe?.id = write.write.probe?.id
            try OutboxRequestsTable.update(request, of: id, transaction)
        }
        try EditProjection.rebuildRecords(of: ids.new, now: transitions.now, transaction)
        let replaced = try OutboxTable.entries(ids.new, transaction)
        return ids.new.compactMap { replaced[$0] }
    }
}

extension WriteRequest {
    /// The request of an entry.
    ///
    /// - Parameter change: replaces stored parts, readable or not.
    /// - Throws: ``StoreError/Kind/corrupt`` if the row holds no valid request.
    init(
        of entry: QueueEntry, changedBy change: WriteChange, _ database: borrowing some Queryable & ~Copyable
    ) throws {
        guard let method = HTTPRequest.Method(entry.method), let url = change.url ?? (try? HTTPURL(entry.url)) else {
            throw StoreError(.corrupt, "queue entry \(entry.id) has a method or URL that cannot be sent")
        }
        let stored = try OutboxRequestsTable.load(entry.id, database)
        let key = try IdempotencyKeysTable.load(entry.id, database)
        self.init(
            to: entry.source, method, url, headerFields: try change.headerFields ?? stored?.headerFields() ?? [:],
            body: change.body ?? stored?.body, idempotency: key?.promise)
        (probe, goneIsDone) = (stored?.probe, stored?.goneIsDone)
        conflictStatuses = try stored?.conflictStatuses()
    }
}
