internal import Glibc
internal import SidingChain
internal import SidingSQLite

/// Why a parked entry returns to the queue; the raw value is the event in its history.
enum RequeueCause: String {
    case retried, released, resolved
    /// Another request of its source was answered, so entries parked for a sign-in are tried once more.
    case letIn = "let in"
}

/// The state transitions of queue entries. Each is one statement inside a transaction and adds an event to the history.
struct QueueTransitions {
    /// The id of the process that acts.
    let owner: String
    /// The process as the history names it.
    let who = "process \(getpid())"
    let now: Timestamp

    init(owner: String, now: Timestamp) {
        self.owner = owner
        self.now = now
    }

    /// An entry whose sender died this often is parked.
    static let mostCrashes = 3

    /// The open fetch of a resource, or of one parent.
    func unsettledFetch(
        of resource: String, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry? {
        try database.first(
            """
            SELECT \(QueueRows.columns) FROM siding_outbox
            WHERE kind = 'fetch' AND resource = ?1 AND scope = ?2 AND settled_at IS NULL
            """, resource, scope, map: QueueRows.entry)
    }

    /// All open fetches of a resource.
    func unsettledFetches(
        of resource: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        try database.query(
            """
            SELECT \(QueueRows.columns) FROM siding_outbox
            WHERE kind = 'fetch' AND resource = ?1 AND settled_at IS NULL ORDER BY seq
            """, resource, map: QueueRows.entry)
    }

    /// Claims a fetch. The caller holds the lease of its resource, so an entry that is still `sending` belongs to a dead
    /// sender.
    ///
    /// - Returns: the entry: `sending` if it was claimed, parked if an operator has to act first.
    func claim(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> QueueEntry {
        var entry = entry
        if entry.state == .sending {
            entry.crashes += 1
            try note(entry.id, "crashed", "its sender ended without an answer", transaction)
            if entry.crashes >= Self.mostCrashes {
                return try park(entry, as: .poison, "its sender crashed \(entry.crashes) times", transaction)
            }
        }
        if entry.waitsForPerson { return entry }
        entry.state = .sending
        entry.reason = nil
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'sending', reason = NULL, owner = ?2, token = token + 1, crashes = ?3,
                first_sent_at = COALESCE(first_sent_at, ?4)
            WHERE id = ?1
            """, entry.id, owner, entry.crashes, now.microseconds)
        try note(entry.id, "claimed", nil, transaction)
        return entry
    }

    /// Returns claimed fetches to the queue with their due time unchanged, because their run ended without a result for them.
    func giveBack(under lease: Lease, _ transaction: borrowing Transaction) throws {
        guard let resource = lease.resource else { return }
        for entry in try unsettledFetches(of: resource, transaction) where entry.state == .sending {
            try transaction.execute("UPDATE siding_outbox SET state = 'queued', owner = NULL WHERE id = ?1", entry.id)
            try note(entry.id, "given back", "its run ended early", transaction)
        }
    }

    /// Parks expired entries. An operator, or the next sync of the resource, may still use them.
    func parkExpired(_ transaction: borrowing Transaction) throws {
        let expired = try transaction.query(Self.expired, now.microseconds, map: QueueRows.entry)
        for entry in expired { _ = try park(entry, as: .expired, "it waited too long", transaction) }
    }

    static let expired: SQL =
        "SELECT \(QueueRows.columns) FROM siding_outbox WHERE state = 'queued' AND expires_at <= ?1"

    /// Whether ``parkExpired(_:)`` would find anything.
    static func hasExpired(_ now: Timestamp, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first(anyExpired, now.microseconds) { _ in true } ?? false
    }

    static let anyExpired: SQL = "SELECT 1 FROM siding_outbox WHERE state = 'queued' AND expires_at <= ?1 LIMIT 1"

    /// Completes an entry: answered or superseded (`done`), or dropped by an operator.
    func settle(
        _ id: String, as state: QueueEntry.State, event: String, detail: String?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = ?2, reason = NULL, owner = NULL, head = 0, crashes = 0, settled_at = ?3
            WHERE id = ?1 AND settled_at IS NULL
            """, id, state.rawValue, now.microseconds)
        try note(id, event, detail, transaction)
        try promote(laneOf: id, transaction)
        try tellDependants(of: id, state, transaction)
        try EditProjection.lift(id, now: now, transaction)
    }

    /// Makes the oldest open entry of the lane its head. Runs in the completing transaction, so that no lane lacks a head.
    private func promote(laneOf id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(Self.promotion, id)
    }

    static let promotion: SQL = """
        UPDATE siding_outbox SET head = 1 WHERE seq = (
            SELECT seq FROM siding_outbox
            WHERE lane = (SELECT lane FROM siding_outbox WHERE id = ?1) AND settled_at IS NULL
            ORDER BY position, seq LIMIT 1)
        """

    /// Releases the entries that waited for a done entry; parks those that waited for a dropped one.
    private func tellDependants(
        of id: String, _ state: QueueEntry.State, _ transaction: borrowing Transaction
    ) throws {
        let dependants = try transaction.query(
            """
            SELECT \(QueueRows.columns) FROM siding_outbox
            WHERE id IN (SELECT entry FROM siding_outbox_dependencies WHERE parent = ?1) AND settled_at IS NULL
            """, id, map: QueueRows.entry)
        for dependant in dependants {
            try countParents(of: dependant.id, transaction)
            // An entry on hold gets this reason, so that the operator sees it before releasing. Other reasons matter more.
            if state == .dropped, dependant.state != .parked || dependant.reason == .held {
                _ = try park(
                    dependant, as: .dependency, "\(id.prefix(8)), which it waited for, was dropped", transaction)
            }
        }
    }

    /// Recounts the open entries that an entry waits for.
    func countParents(of id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET waits_on = (
                SELECT COUNT(*) FROM siding_outbox_dependencies AS d JOIN siding_outbox AS p ON p.id = d.parent
                WHERE d.entry = ?1 AND p.settled_at IS NULL)
            WHERE id = ?1
            """, id)
    }

    func park(
        _ entry: QueueEntry, as reason: ParkReason, _ detail: String?, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let parked = parked(entry, as: reason)
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'parked', reason = ?2, owner = NULL, crashes = ?3, parked_by = ?4, parked_at = ?5
            WHERE id = ?1
            """, entry.id, reason.rawValue, entry.crashes, owner, now.microseconds)
        try note(entry.id, reason == .held ? "held" : "parked", detail ?? reason.rawValue, transaction)
        return parked
    }

    /// Returns an entry to the queue, due now, with its attempts reset.
    ///
    /// The time since when the origin may know the key is kept, unless the entry was parked because it may have arrived: then
    /// the operator has decided to send it anyway. The stored server copy of a conflict is dropped, because the operator has
    /// seen the present one.
    func requeue(
        _ entry: QueueEntry, because cause: RequeueCause, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let isDoubtOver = entry.reason?.isDoubt == true
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'queued', reason = NULL, owner = NULL, attempts = 0, tries = 0, crashes = 0,
                not_before = ?2, waits_for = NULL,
                first_sent_at = CASE WHEN keyed = 0 OR ?3 THEN NULL ELSE first_sent_at END,
                unknown_since = CASE WHEN ?3 THEN NULL ELSE unknown_since END,
                base = CASE WHEN reason = 'conflict' THEN NULL ELSE base END, let_in = ?4,
                expires_at = CASE WHEN expires_at <= ?2 THEN NULL ELSE expires_at END
            WHERE id = ?1
            """, entry.id, now.microseconds, isDoubtOver, cause == .letIn)
        try note(entry.id, cause.rawValue, nil, transaction)
        return requeued(entry)
    }

    /// The entry after ``park(_:as:_:_:)``.
    func parked(_ entry: QueueEntry, as reason: ParkReason) -> QueueEntry {
        var parked = entry
        (parked.state, parked.reason) = (.parked, reason)
        return parked
    }

    /// The entry after ``requeue(_:because:_:)``.
    func requeued(_ entry: QueueEntry) -> QueueEntry {
        var queued = entry
        (queued.state, queued.reason, queued.attempts, queued.crashes) = (.queued, nil, 0, 0)
        queued.tries = 0
        queued.nextAttemptAt = now
        if entry.reason?.isDoubt == true { queued.unknownSince = nil }
        return queued
    }

    /// The entry after a drop.
    func dropped(_ entry: QueueEntry) -> QueueEntry {
        var dropped = entry
        (dropped.state, dropped.reason, dropped.settledAt) = (.dropped, nil, now)
        return dropped
    }

    /// Marks an entry as in doubt: from now on delivery probes ask for it, and it is not sent.
    func question(_ id: String, _ detail: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_outbox SET unknown_since = COALESCE(unknown_since, ?2) WHERE id = ?1", id, now.microseconds)
        try note(id, "unknown", "\(detail); the origin is asked", transaction)
    }

    /// The number of events kept per entry: an entry that waits for months is tried thousands of times.
    static let mostEvents = 100

    /// Adds an event to the entry's history, and deletes the oldest ones beyond ``mostEvents``.
    func note(_ id: String, _ event: String, _ detail: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "INSERT INTO siding_outbox_events (entry, at, who, event, detail) VALUES (?1, ?2, ?3, ?4, ?5)", id,
            now.microseconds, who, event, detail)
        try transaction.execute(
            """
            DELETE FROM siding_outbox_events WHERE entry = ?1 AND seq <= (
                SELECT seq FROM siding_outbox_events WHERE entry = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)
            """, id, Self.mostEvents)
    }
}
