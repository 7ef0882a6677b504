internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Carries out an operator action on an entry, inside a transaction.
struct OperatorActions {
    let transitions: QueueTransitions
    /// Whether a process is alive: the entries that it has claimed are not touched.
    let isAlive: @Sendable (String) -> Bool
    /// The ids of entries that were just reclaimed from dead senders. The operator cannot know yet that they may have arrived.
    let reclaimed: Set<String>

    /// Applies `decision` to the present state of an entry, if `selection` still contains it: completely or not at all.
    ///
    /// - Parameter found: the entry as the selection found it.
    /// - Throws: errors that concern the whole store; a problem with this entry becomes a refusal.
    func carryOut(
        _ decision: OperatorAction, on found: QueueEntry, by selection: QueueSelection,
        _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        guard let entry = try OutboxTable.entry(found.id, transaction) else {
            return QueueChange(entry: found, refusal: "it was forgotten meanwhile")
        }
        // A drop parks the entries that waited for the dropped one; they may be selected as well.
        let isParkedByDrop = decision == .act(.drop) && entry.state == .parked && entry.reason == .dependency
        guard selection.fits(entry) || isParkedByDrop else {
            return QueueChange(entry: entry, refusal: "it was changed meanwhile, and is \(entry.state.rawValue) now")
        }
        return try Self.change(of: entry) {
            switch decision {
            // These write only after all checks, so thousands of them need no savepoint each.
            case .act(.hold), .act(.retry), .act(.release): try changed(by: decision, entry, transaction)
            case .act(.drop), .replace, .resolve, .purge:
                try transaction.part { try changed(by: decision, entry, transaction) }
            }
        }
    }

    /// Predicts the result of `decision` on an entry without writing anything.
    ///
    /// - Returns: nil for a resolution, which only a trial run can predict.
    func preview(
        _ decision: OperatorAction, on entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueChange? {
        if case .resolve = decision { return nil }
        var preview: RequestPreview?
        var change = try Self.change(of: entry) {
            switch decision {
            case .act(let action):
                try check(action, on: entry, database)
                return switch action {
                case .retry, .release: entry.requeued(at: transitions.now)
                case .hold: entry.parked(as: .held)
                case .drop: entry.dropped(at: transitions.now)
                }
            case .purge: _ = try EntryPruning(now: transitions.now).keyLifetime(ofForgettable: entry, database)
            case .replace(let change):
                let request = try WriteReplacer(actions: self).request(replacing: entry, with: change, database).write
                preview = RequestPreview(
                    method: entry.method, url: request.url.description,
                    headerNames: request.headerFields.map(\.name.rawName), bodyBytes: request.body?.count)
                return change.releases ? entry.requeued(at: transitions.now) : entry.parked(as: .held)
            case .resolve: break
            }
            return entry
        }
        change.request = preview
        return change
    }

    private static func change(of entry: QueueEntry, by body: () throws -> QueueEntry) throws -> QueueChange {
        do {
            return QueueChange(entry: try body(), before: entry)
        } catch let refusal as QueueRefusal {
            return QueueChange(entry: entry, refusal: refusal.reason, hint: refusal.hint)
        } catch let error as StoreError {
            return QueueChange(entry: entry, refusal: error.message, hint: error.hint)
        }
    }

    /// - Returns: the entry afterwards, or the entry that replaced it.
    /// - Throws: ``QueueRefusal``, and ``StoreError`` if its row cannot be read.
    private func changed(
        by decision: OperatorAction, _ entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        switch decision {
        case .act(let action):
            try check(action, on: entry, transaction)
            return switch action {
            case .retry: try transitions.requeue(entry, because: .retried, transaction)
            case .release: try transitions.requeue(entry, because: .released, transaction)
            case .hold: try transitions.park(entry, as: .held, nil, transaction)
            case .drop: try drop(entry, transaction)
            }
        case .replace(let change):
            return try WriteReplacer(actions: self).replace(entry, with: change, isResolved: false, transaction)
        case .resolve(let resolution):
            return try ConflictResolver(actions: self).resolve(entry, as: resolution, transaction)
        case .purge:
            try EntryPruning(now: transitions.now).forget(entry, transaction)
            return entry
        }
    }

    /// - Throws: ``QueueRefusal`` if the action is not allowed for the entry.
    private func check(
        _ action: QueueAction, on entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws {
        let surprise = action == .drop ? nil : surprise(entry)
        let asksOrigin = action == .release || action == .retry
        let refusal =
            try surprise ?? action.refusal(on: entry, isBeingSent: isBeingSent(entry))
            ?? (asksOrigin ? unknownName(in: entry, database) : nil)
        if let refusal { throw QueueRefusal(reason: refusal) }
    }

    /// A refusal if the entry was just reclaimed and parked, which the operator cannot know yet; else nil.
    private func surprise(_ entry: QueueEntry) -> String? {
        guard entry.state == .parked, reclaimed.contains(entry.id) else { return nil }
        return "its sender ended, and it may have arrived: it is parked now (\(entry.reason?.rawValue ?? ""))"
    }

    /// A refusal if the request names a temporary id that will never get a real one: the origin does not know it.
    private func unknownName(
        in entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        guard entry.kind == .write else { return nil }
        let body = try OutboxRequestsTable.load(entry.id, database)?.body ?? []
        for id in TemporaryID.found(in: Array(entry.url.utf8)) + TemporaryID.found(in: body) {
            guard let maker = try OutboxTable.maker(of: id, database) else { continue }
            if maker.entry.state.isSettled, maker.realID == nil { return "it names \(id), which has no real id" }
        }
        return nil
    }

    /// Whether a live sender has claimed the entry. Writes of dead senders were reclaimed before, so a `sending` write has a
    /// live sender. A fetch is reclaimed only by the next run of its resource, so its owner is checked.
    private func isBeingSent(_ entry: QueueEntry) -> Bool {
        entry.state == .sending && (entry.kind == .write || entry.owner.map(isAlive) ?? false)
    }

    /// - Throws: ``QueueRefusal`` if the entry is a fetch, is completed, or is being sent.
    func checkIsChangeable(_ entry: QueueEntry) throws {
        let refusal =
            entry.kind == .fetch
            ? "it is a fetch, which follows its resource's definition"
            : QueueAction.drop.refusal(on: entry, isBeingSent: isBeingSent(entry)) ?? surprise(entry)
        if let refusal { throw QueueRefusal(reason: refusal) }
    }

    private func drop(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try transitions.completeWrite(entry.id, as: .dropped, event: "dropped", detail: "by a person", transaction)
        if entry.kind == .fetch, let name = entry.resource, let row = try Store.resourceRow(name, transaction) {
            let scope = try OutboxTable.scope(of: entry.id, transaction)
            try ListingsTable.end(row.id, scope: scope, transaction)
        }
        return entry.dropped(at: transitions.now)
    }
}
