internal import SidingChain
internal import SidingSQLite

/// Carries out a person's word on an entry, inside a transaction.
struct QueueHand {
    let transitions: QueueTransitions
    /// Whether a process lives: what it is at work on is left alone.
    let isAlive: @Sendable (String) -> Bool
    /// What was just taken up from senders that ended: a person who asks for the next step does not know yet that it may
    /// have arrived.
    let takenUp: [QueueEntry]

    func perform(
        _ action: QueueAction, on entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        let isLiving = try isBeingSent(entry, transaction)
        let surprise = action == .drop ? nil : surprise(entry)
        if let refusal = surprise ?? action.refusal(on: entry, isBeingSent: isLiving) {
            return QueueChange(entry: entry, refusal: refusal)
        }
        if action == .release || action == .retry, let refusal = try unknownName(in: entry, transaction) {
            return QueueChange(entry: entry, refusal: refusal)
        }
        return try carryOut(action, on: entry, transaction)
    }

    /// What the person cannot have known; nil where there is nothing of the kind.
    private func surprise(_ entry: QueueEntry) -> String? {
        guard entry.state == .parked, takenUp.contains(where: { $0.id == entry.id }) else { return nil }
        return "its sender ended, and it may have arrived: it is parked now (\(entry.reason?.rawValue ?? ""))"
    }

    /// An id that only this queue knows is nothing to the origin.
    private func unknownName(in entry: QueueEntry, _ transaction: borrowing Transaction) throws -> String? {
        guard entry.kind == .write else { return nil }
        let content = try WriteReplacer.Content.load(of: entry, transaction)
        for id in TemporaryID.found(in: Array(entry.url.utf8)) + TemporaryID.found(in: content.body ?? []) {
            let isLost = try transaction.first(
                """
                SELECT settled_at IS NOT NULL AND real_id IS NULL FROM siding_queue WHERE temporary_id = ?1
                ORDER BY seq DESC LIMIT 1
                """, id
            ) { $0.int(0) == 1 }
            if isLost == true { return "it names \(id), which has no real id" }
        }
        return nil
    }

    private func carryOut(
        _ action: QueueAction, on entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        switch action {
        case .retry: return QueueChange(entry: try requeue(entry, "retried", transaction), refusal: nil)
        case .release: return QueueChange(entry: try requeue(entry, "released", transaction), refusal: nil)
        case .hold:
            return QueueChange(entry: try transitions.park(entry, as: .held, nil, transaction), refusal: nil)
        case .drop: return QueueChange(entry: try drop(entry, transaction), refusal: nil)
        }
    }

    /// A write that is still in hand has a sender: what dead ones left was taken up before. A fetch is taken up by the
    /// next run of its resource only.
    private func isBeingSent(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Bool {
        guard entry.state == .sending else { return false }
        if entry.kind == .write { return true }
        let owner = try transaction.first("SELECT owner FROM siding_queue WHERE id = ?1", entry.id) { $0.text(0) }
        return owner.map(isAlive) ?? false
    }

    /// - Throws: ``StoreError/Kind/invalidWrite`` where the entry is no write, is settled, or is being sent.
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
        guard let refusal else { return }
        throw StoreError(.invalidWrite, "\(entry.shortID) cannot be changed: \(refusal)")
    }

    private func requeue(_ entry: QueueEntry, _ event: String, _ transaction: borrowing Transaction) throws
        -> QueueEntry
    {
        try transitions.requeue(entry, event: event, transaction)
    }

    private func drop(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        try transitions.settle(entry.id, as: .dropped, event: "dropped", detail: "by a person", transaction)
        if entry.kind == .fetch, let resource = entry.resource {
            try transaction.execute(
                """
                UPDATE siding_listings SET state = 'incomplete', incomplete = 'its queued page was dropped', next_url = NULL
                WHERE state = 'open' AND resource = (SELECT id FROM siding_resources WHERE name = ?1)
                """, resource)
        }
        var dropped = entry
        (dropped.state, dropped.reason, dropped.settledAt) = (.dropped, nil, transitions.now)
        return dropped
    }
}
