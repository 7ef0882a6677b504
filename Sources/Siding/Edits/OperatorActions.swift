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

    /// Applies `decision` to one entry, completely or not at all.
    ///
    /// - Throws: errors that concern the whole store; a problem with this entry becomes a refusal.
    func carryOut(
        _ decision: OperatorAction, on entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        try Self.change(of: entry) { try transaction.part { try changed(by: decision, entry, transaction) } }
    }

    /// Predicts the result of `decision` on an entry without writing anything.
    ///
    /// - Returns: nil for a decision that makes a new request, which only a trial run can predict.
    func preview(
        _ decision: OperatorAction, on entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueChange? {
        switch decision {
        case .act(let action):
            try Self.change(of: entry) {
                try check(action, on: entry, database)
                return outcome(of: action, on: entry)
            }
        case .purge:
            try Self.change(of: entry) {
                _ = try EntryPruning(now: transitions.now).keyLifetime(ofForgettable: entry, database)
                return entry
            }
        case .replace, .resolve: nil
        }
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
        case .act(let action): return try perform(action, on: entry, transaction)
        case .replace(let change): return try WriteReplacer(hand: self).replace(entry, with: change, transaction)
        case .resolve(let resolution):
            return try ConflictResolver(hand: self).resolve(entry, as: resolution, transaction)
        case .purge: return try EntryPruning(now: transitions.now).forget(entry, transaction)
        }
    }

    private func perform(
        _ action: QueueAction, on entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try check(action, on: entry, transaction)
        switch action {
        case .retry: return try transitions.requeue(entry, because: .retried, transaction)
        case .release: return try transitions.requeue(entry, because: .released, transaction)
        case .hold: return try transitions.park(entry, as: .held, nil, transaction)
        case .drop: return try drop(entry, transaction)
        }
    }

    /// - Throws: ``QueueRefusal`` if the action is not allowed for the entry.
    private func check(
        _ action: QueueAction, on entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws {
        let isLive = try isBeingSent(entry, database)
        let surprise = action == .drop ? nil : surprise(entry)
        let asksOrigin = action == .release || action == .retry
        let refusal =
            try surprise ?? action.refusal(on: entry, isBeingSent: isLive)
            ?? (asksOrigin ? unknownName(in: entry, database) : nil)
        if let refusal { throw QueueRefusal(reason: refusal) }
    }

    /// The entry as it will be after the action.
    private func outcome(of action: QueueAction, on entry: QueueEntry) -> QueueEntry {
        switch action {
        case .retry, .release: entry.requeued(at: transitions.now)
        case .hold: entry.parked(as: .held)
        case .drop: entry.dropped(at: transitions.now)
        }
    }

    /// A refusal if the entry was just reclaimed and parked, which the operator cannot know yet; else nil.
    private func surprise(_ entry: QueueEntry) -> String? {
        guard entry.state == .parked, reclaimed.contains(entry.id) else { return nil }
        return "its sender ended, and it may have arrived: it is parked now (\(entry.reason?.rawValue ?? ""))"
    }

    /// A refusal if the request names a temporary id that will never get a real one: the origin does not know it.
    ///
    /// An unreadable request is not refused here; the next sender parks it as invalid.
    private func unknownName(
        in entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        guard entry.kind == .write, let content = try WriteReplacer.WrittenContent.readable(of: entry, database) else {
            return nil
        }
        for id in TemporaryID.found(in: Array(entry.url.utf8)) + TemporaryID.found(in: content.body ?? []) {
            guard let maker = try OutboxTable.maker(of: id, database) else { continue }
            if maker.entry.state.isSettled, maker.realID == nil { return "it names \(id), which has no real id" }
        }
        return nil
    }

    /// Whether a live sender has claimed the entry. Writes of dead senders were reclaimed before, so a `sending` write has a
    /// live sender. A fetch is reclaimed only by the next run of its resource, so its owner is checked.
    private func isBeingSent(
        _ entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        guard entry.state == .sending else { return false }
        if entry.kind == .write { return true }
        return try OutboxTable.sending(of: entry.id, database)?.owner.map(isAlive) ?? false
    }

    /// Checks that the request of an entry may be changed.
    ///
    /// - Throws: ``QueueRefusal`` if the entry is a fetch, is completed, or is being sent.
    func checkIsChangeable(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        let refusal: String? =
            if entry.kind == .fetch {
                "it is a fetch, which follows its resource's definition"
            } else if entry.state.isSettled {
                "it is settled (\(entry.state.rawValue))"
            } else if try isBeingSent(entry, transaction) {
                "it is being sent right now"
            } else {
                surprise(entry)
            }
        if let refusal { throw QueueRefusal(reason: refusal) }
    }

    /// Whether a replacement could become a second write: the entry may have arrived, and is not on hold. An honoured key
    /// protects only the request that it was sent with.
    func mayHaveArrived(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Bool {
        if entry.mayHaveArrived { return true }
        guard entry.state == .queued, HTTPRequest.Method(entry.method)?.isIdempotent != true else { return false }
        return try OutboxTable.sending(of: entry.id, transaction)?.firstSentAt != nil
    }

    private func drop(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try transitions.completeWrite(entry.id, as: .dropped, event: "dropped", detail: "by a person", transaction)
        if entry.kind == .fetch, let resource = entry.resource {
            try transaction.execute(
                """
                UPDATE siding_listings SET state = 'incomplete', incomplete = 'its queued page was dropped', next_url = NULL
                WHERE state = 'open' AND resource = (SELECT id FROM siding_resources WHERE name = ?1)
                    AND scope = ?2
                """, resource, try OutboxTable.scope(of: entry.id, transaction))
        }
        return entry.dropped(at: transitions.now)
    }
}
