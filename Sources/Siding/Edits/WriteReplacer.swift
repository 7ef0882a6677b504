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
        try actions.checkIsChangeable(old)
        try checkIsNotSecond(old)
        let write = try WriteRequest(of: old, changedBy: change, database)
        try WriteSafety.check(write)
        if let body = change.body, let edit = try PendingEdit.load(old.id, database), edit.terms.change != .delete {
            try EditEnqueuer.check(body, of: edit.resource, at: edit.terms.recordPath)
        }
        guard change.url != nil || change.body != nil else { return TemporaryReferences(write: write) }
        let references = try TemporaryReferences(resolving: write, database)
        if !references.parents.isEmpty,
            try OutboxTable.waitedFor(by: references.parents, database).contains(old.id)
        {
            throw QueueRefusal(
                reason: "it would wait for itself: what it names is created after it",
                hint: "name the record in a write of its own, which waits for both")
        }
        return references
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
                ? "wait for the origin's word; or put it on hold first, and edit it then"
                : "if the origin has it, 'siding queue resolve \(id) --arrived' settles it; if not, 'siding queue release "
                    + "\(id)' sends it as it is")
    }

    /// - Parameter isResolved: whether the operator has decided on a conflict with the present server copy.
    func replace(
        _ old: QueueEntry, with change: WriteChange, isResolved: Bool, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let id = EntryID.random()
        let request = try request(replacing: old, with: change, transaction)
        try OutboxTable.insert(
            id, replacing: old.id, isHeld: !change.releases, at: transitions.now, transaction)
        try OutboxRequestsTable.insert(request.write, of: id, transaction)
        try OutboxEditsTable.insert(
            id, replacing: old.id, keepsBase: !isResolved && old.reason != .conflict, transaction)
        try IdempotencyKeysTable.insert(request.write, of: id, transaction)
        try transitions.note(id, "accepted", "in the place of \(old.shortID)", transaction)
        if !change.releases { try transitions.note(id, "held", "release lets it go", transaction) }
        try retire(old, for: id, transaction)
        try OutboxDependenciesTable.insert(parents: request.parents, of: id, transaction)
        try OutboxTable.updateWaitsOn(of: id, transaction)
        return try OutboxTable.entry(withPrefix: id, transaction)
    }

    /// Drops the old entry and moves its dependencies to the new one. The lane keeps its order.
    private func retire(_ old: QueueEntry, for id: String, _ transaction: borrowing Transaction) throws {
        try OutboxDependenciesTable.move(from: old.id, to: id, transaction)
        try OutboxTable.complete(old.id, as: .dropped, at: transitions.now, transaction)
        try OutboxEditsTable.complete(old.id, transaction)
        try transitions.note(old.id, "replaced", "by \(id)", transaction)
        try EditProjection.showRecord(of: id, now: transitions.now, transaction)
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
            body: change.body ?? stored?.body, idempotency: key?.promise, probe: stored?.probe,
            conflictStatuses: stored?.conflictStatuses, goneIsDone: stored?.goneIsDone)
    }
}
