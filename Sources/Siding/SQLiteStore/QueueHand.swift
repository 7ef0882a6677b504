internal import SidingChain
internal import SidingSQLite

/// Carries out a person's word on an entry, inside a transaction.
struct QueueHand {
    let transitions: QueueTransitions
    /// Whether a sender lives: what it is at work on is left alone. Asked inside the transaction, so that no claim comes
    /// in between.
    let isAlive: @Sendable (String) -> Bool

    func perform(
        _ action: QueueAction, on entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        let isLiving = try isBeingSent(entry, transaction)
        if entry.kind == .write, entry.state == .sending, !isLiving {
            return try perform(action, onLeft: entry, transaction)
        }
        if let refusal = Self.refusal(of: action, on: entry, isLiving: isLiving) {
            return QueueChange(entry: entry, refusal: refusal)
        }
        return try carryOut(action, on: entry, transaction)
    }

    /// What a dead sender left is taken up first: a person who asks for the next step does not know yet that it may have
    /// arrived.
    private func perform(
        _ action: QueueAction, onLeft entry: QueueEntry, _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        guard let taken = try WriteReaper(transitions: transitions).takeUp(entry.id, transaction) else {
            return QueueChange(entry: entry, refusal: "it is being sent right now")
        }
        if taken.state == .parked, action != .drop {
            return QueueChange(
                entry: taken,
                refusal: "its sender ended, and it may have arrived: it is parked now (\(taken.reason?.rawValue ?? ""))"
            )
        }
        if let refusal = Self.refusal(of: action, on: taken, isLiving: false) {
            return QueueChange(entry: taken, refusal: refusal)
        }
        return try carryOut(action, on: taken, transaction)
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

    private func isBeingSent(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Bool {
        guard entry.state == .sending else { return false }
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
                nil
            }
        guard let refusal else { return }
        throw StoreError(.invalidWrite, "\(entry.shortID) cannot be changed: \(refusal)")
    }

    /// Why `action` is not for `entry` as it stands; nil where it is.
    static func refusal(of action: QueueAction, on entry: QueueEntry, isLiving: Bool) -> String? {
        if entry.state.isSettled { return "it is settled (\(entry.state.rawValue))" }
        if isLiving { return "it is being sent right now" }
        switch action {
        case .hold where entry.state == .parked && entry.reason == .held: return "it is held already"
        // A parked write goes nowhere, and why it is parked must not be forgotten; each sync tries a parked fetch.
        case .hold where entry.state == .parked && entry.kind == .write:
            return "it is parked already (\(entry.reason?.rawValue ?? ""))"
        case .release where entry.state != .parked: return "it is not parked"
        case .hold, .release, .retry, .drop: return nil
        }
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
