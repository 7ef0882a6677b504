internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Carries out a person's word on an entry, inside a transaction.
struct QueueHand {
    let transitions: QueueTransitions
    /// Whether a process lives: what it is at work on is left alone.
    let isAlive: @Sendable (String) -> Bool
    /// The ids of entries that were just taken up from senders that ended: a person who asks for the next step does not know
    /// yet that they may have arrived.
    let takenUp: Set<String>

    /// Carries `decision` out on one entry, wholly or not at all.
    ///
    /// - Throws: what concerns the whole store; what concerns the entry alone is a refusal.
    func carryOut(
        _ decision: QueueDecision, on entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        try Self.change(of: entry) { try transaction.part { try changed(by: decision, entry, transaction) } }
    }

    /// What carrying `decision` out on an entry would do to it. Nothing is written.
    ///
    /// - Returns: nil for a decision that only a trial can foretell, as it makes a new request.
    func foretell(
        _ decision: QueueDecision, on entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueChange? {
        switch decision {
        case .act(let action):
            try Self.change(of: entry) {
                try check(action, on: entry, database)
                return outcome(of: action, on: entry)
            }
        case .purge:
            try Self.change(of: entry) {
                _ = try QueuePruning(now: transitions.now).keyLifetime(ofForgettable: entry, database)
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

    /// - Returns: the entry as it is then, or the one that took its place.
    /// - Throws: ``QueueRefusal``, and ``StoreError`` where its row holds what nothing can be made of.
    private func changed(
        by decision: QueueDecision, _ entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        switch decision {
        case .act(let action): return try perform(action, on: entry, transaction)
        case .replace(let change): return try WriteReplacer(hand: self).replace(entry, with: change, transaction)
        case .resolve(let resolution):
            return try ConflictResolver(hand: self).resolve(entry, as: resolution, transaction)
        case .purge: return try QueuePruning(now: transitions.now).forget(entry, transaction)
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

    /// - Throws: ``QueueRefusal`` where the action is not for the entry as it stands.
    private func check(
        _ action: QueueAction, on entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws {
        let isLiving = try isBeingSent(entry, database)
        let surprise = action == .drop ? nil : surprise(entry)
        let asksOrigin = action == .release || action == .retry
        let refusal =
            try surprise ?? action.refusal(on: entry, isBeingSent: isLiving)
            ?? (asksOrigin ? unknownName(in: entry, database) : nil)
        if let refusal { throw QueueRefusal(reason: refusal) }
    }

    /// The entry as the action leaves it.
    private func outcome(of action: QueueAction, on entry: QueueEntry) -> QueueEntry {
        switch action {
        case .retry, .release: transitions.requeued(entry)
        case .hold: transitions.parked(entry, as: .held)
        case .drop: transitions.dropped(entry)
        }
    }

    /// What the person cannot have known; nil where there is nothing of the kind.
    private func surprise(_ entry: QueueEntry) -> String? {
        guard entry.state == .parked, takenUp.contains(entry.id) else { return nil }
        return "its sender ended, and it may have arrived: it is parked now (\(entry.reason?.rawValue ?? ""))"
    }

    /// An id that only this queue knows is nothing to the origin.
    ///
    /// Nothing is known against what cannot be read: the next sender parks it as invalid.
    private func unknownName(
        in entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        guard entry.kind == .write, let content = try WriteReplacer.WrittenContent.readable(of: entry, database) else {
            return nil
        }
        for id in TemporaryID.found(in: Array(entry.url.utf8)) + TemporaryID.found(in: content.body ?? []) {
            let isLost = try database.first(
                """
                SELECT settled_at IS NOT NULL AND real_id IS NULL FROM siding_queue WHERE temporary_id = ?1
                ORDER BY seq DESC LIMIT 1
                """, id
            ) { $0.int(0) == 1 }
            if isLost == true { return "it names \(id), which has no real id" }
        }
        return nil
    }

    /// A write that is still in hand has a sender: what dead ones left was taken up before. A fetch is taken up by the
    /// next run of its resource only.
    private func isBeingSent(
        _ entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        guard entry.state == .sending else { return false }
        if entry.kind == .write { return true }
        let owner = try database.first("SELECT owner FROM siding_queue WHERE id = ?1", entry.id) { $0.text(0) }
        return owner.map(isAlive) ?? false
    }

    /// - Throws: ``QueueRefusal`` where the entry is no write, is settled, or is being sent.
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

    /// Whether another request in its place could be a second write: it may have arrived, and is not on hold. A key that the
    /// origin honours protects only the very request that it was given with.
    func mayHaveArrived(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Bool {
        if entry.mayHaveArrived { return true }
        guard entry.state == .queued, HTTPRequest.Method(entry.method)?.isIdempotent != true else { return false }
        return try transaction.first(
            "SELECT first_sent_at IS NOT NULL FROM siding_queue WHERE id = ?1", entry.id
        ) { $0.int(0) == 1 } ?? false
    }

    private func drop(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try transitions.settle(entry.id, as: .dropped, event: "dropped", detail: "by a person", transaction)
        if entry.kind == .fetch, let resource = entry.resource {
            try transaction.execute(
                """
                UPDATE siding_listings SET state = 'incomplete', incomplete = 'its queued page was dropped', next_url = NULL
                WHERE state = 'open' AND resource = (SELECT id FROM siding_resources WHERE name = ?1)
                    AND scope = (SELECT parameters FROM siding_queue WHERE id = ?2)
                """, resource, entry.id)
        }
        return transitions.dropped(entry)
    }
}
