// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// Why a parked entry returns to the queue.
enum RequeueCause {
    case retried, released, resolved
    /// Another request of its source was answered, so entries parked for a sign-in are tried once more.
    case letIn

    /// The event in the entry's history.
    var event: QueueEventKind {
        switch self {
        case .retried: .retried
        case .released: .released
        case .resolved: .resolved
        case .letIn: .letIn
        }
    }
}

/// The state transitions of queue entries, inside a transaction. Each adds an event to the history.
///
/// They do not touch records, with one exception: `completeWrites`, in `EditProjection.swift`, also rebuilds the records of the
/// writes that it completes.
struct QueueTransitions {
    /// The id of the process that acts.
    let owner: String
    let now: Timestamp
    /// The process as the history names it.
    var who = "process \(getpid())"

    /// Claims a fetch. The caller holds the lease of its resource, so an entry that is still `sending` belongs to a dead
    /// sender.
    ///
    /// - Returns: the entry: `sending` if it was claimed, parked if an operator has to act first.
    func claim(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        var entry = entry
        if entry.state == .sending {
            entry.crashes += 1
            try addEvent(entry.id, .crashed, "its sender ended without an answer", transaction)
            if entry.crashes >= RetryRules.crashes {
                return try park(entry, as: .poison, "its sender crashed \(entry.crashes) times", transaction)
            }
        }
        if entry.waitsForPerson { return entry }
        (entry.state, entry.reason) = (.sending, nil)
        try OutboxTable.claim(entry, by: owner, firstSent: now, transaction)
        try addEvent(entry.id, .claimed, nil, transaction)
        return entry
    }

    /// Returns the claimed fetches of a resource to the queue with their due time unchanged, because their run ended without a
    /// result for them.
    func putBackFetches(of resource: String, _ transaction: borrowing Transaction) throws {
        for entry in try OutboxTable.openFetches(of: resource, transaction) where entry.state == .sending {
            try OutboxTable.putBack(entry, waitsForNetwork: nil, transaction)
            try addEvent(entry.id, .givenBack, "its run ended early", transaction)
        }
    }

    /// Parks expired entries. An operator, or the next sync of the resource, may still use them.
    func parkExpired(_ transaction: borrowing Transaction) throws {
        let expired = try OutboxTable.expired(now, transaction)
        if !expired.isEmpty { try park(expired.map { ($0.id, "it waited too long") }, as: .expired, transaction) }
    }

    /// Completes entries: answered or superseded (`done`), or dropped by an operator.
    ///
    /// The next entry of each lane becomes the head in the same transaction, so that no lane lacks one.
    func complete(
        _ ids: [String], as state: QueueEntry.State, event: QueueEventKind, detail: String?,
        _ transaction: borrowing Transaction
    ) throws {
        try OutboxTable.complete(ids, as: state, at: now, transaction)
        try OutboxEditsTable.complete(ids, transaction)
        if state == .done { for id in ids { try OutboxRequestsTable.clearError(of: id, transaction) } }
        try addEvent(event, of: ids.map { ($0, detail) }, transaction)
        try OutboxTable.promote(lanesOf: ids, transaction)
        try updateDependants(of: ids, state, transaction)
    }

    /// Releases the entries that waited for a done entry; parks those that waited for a dropped one.
    private func updateDependants(
        of ids: [String], _ state: QueueEntry.State, _ transaction: borrowing Transaction
    ) throws {
        let dependants = try OutboxTable.dependants(of: ids, transaction)
        guard !dependants.isEmpty else { return }
        try OutboxTable.updateWaitsOn(of: dependants.map(\.entry.id), transaction)
        guard state == .dropped else { return }
        // An entry on hold gets this reason, so that the operator sees it before releasing. Other reasons matter more.
        let parked = dependants.filter { $0.entry.state != .parked || $0.entry.reason == .held }
        try park(
            parked.map { ($0.entry.id, "\($0.parent.prefix(8)), which it waited for, was dropped") }, as: .dependency,
            transaction)
    }

    func park(
        _ entry: QueueEntry, as reason: ParkReason, _ detail: String?, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        try park([(entry.id, detail ?? reason.rawValue)], as: reason, crashes: entry.crashes, transaction)
        return entry.parked(as: reason)
    }

    /// - Parameter crashes: how often the sender died; nil leaves this as it is.
    func park(
        _ entries: [(id: String, detail: String?)], as reason: ParkReason, crashes: Int? = nil,
        _ transaction: borrowing Transaction
    ) throws {
        try OutboxTable.park(entries.map(\.id), as: reason, crashes: crashes, by: owner, at: now, transaction)
        try addEvent(reason == .held ? .held : .parked, of: entries, transaction)
    }

    /// Returns entries to the queue, due now, with their attempts reset.
    ///
    /// The time since when the origin may know the key is kept, unless the entry cannot have arrived, or was parked because it
    /// may have: then the operator has decided to send it anyway.
    func requeue(_ entries: [QueueEntry], because cause: RequeueCause, _ transaction: borrowing Transaction) throws {
        let doubted = entries.filter { $0.reason?.isDoubt == true }.map(\.id)
        let unsent = doubted + entries.filter { !$0.hasUnansweredTry }.map(\.id)
        let others = entries.filter { $0.reason?.isDoubt != true && $0.hasUnansweredTry }.map(\.id)
        for (ids, forgetsSending) in [(unsent, true), (others, false)] where !ids.isEmpty {
            try OutboxTable.requeue(ids, at: now, isLetIn: cause == .letIn, forgetsSending: forgetsSending, transaction)
        }
        for id in doubted { try OutboxRequestsTable.setUnknownSince(nil, of: id, transaction) }
        try addEvent(cause.event, of: entries.map { ($0.id, nil) }, transaction)
    }

    /// Marks an entry as in doubt: from now on delivery probes ask for it, and it is not sent.
    func beginDoubt(_ id: String, _ detail: String, _ transaction: borrowing Transaction) throws {
        try OutboxRequestsTable.setUnknownSince(now, of: id, transaction)
        try addEvent(id, .unknown, "\(detail); the origin is asked", transaction)
    }

    func addEvent(
        _ id: String, _ event: QueueEventKind, _ detail: String?, _ transaction: borrowing Transaction
    ) throws {
        try addEvent(event, of: [(id, detail)], transaction)
    }

    func addEvent(
        _ event: QueueEventKind, of entries: [(id: String, detail: String?)], _ transaction: borrowing Transaction
    ) throws {
        try OutboxEventsTable.insert(event, of: entries, by: who, at: now, transaction)
    }
}

extension QueueEntry {
    func parked(as reason: ParkReason) -> QueueEntry {
        var parked = self
        (parked.state, parked.reason) = (.parked, reason)
        return parked
    }

    func requeued(at now: Timestamp) -> QueueEntry {
        var queued = self
        (queued.state, queued.reason, queued.attempts, queued.tries, queued.crashes) = (.queued, nil, 0, 0, 0)
        queued.nextAttemptAt = now
        if reason?.isDoubt == true { queued.unknownSince = nil }
        return queued
    }

    func dropped(at now: Timestamp) -> QueueEntry {
        var dropped = self
        (dropped.state, dropped.reason, dropped.completedAt) = (.dropped, nil, now)
        return dropped
    }
}
