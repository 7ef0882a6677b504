internal import Glibc
internal import SidingChain
internal import SidingSQLite

/// Why a parked entry goes back to the queue; the raw value is the event in its history.
enum RequeueCause: String {
    case retried, released, resolved
    /// Another request of its source was answered, so what was parked for a sign-in is tried once more.
    case letIn = "let in"
}

/// The transitions of queue entries, each one statement inside a transaction, each told in the entry's history.
struct QueueTransitions {
    /// The process that does it.
    let owner: String
    /// The process in words, for the history.
    let who = "process \(getpid())"
    let now: Timestamp

    init(owner: String, now: Timestamp) {
        self.owner = owner
        self.now = now
    }

    /// A sender that died this often with an entry in hand is not given it again.
    static let mostCrashes = 3

    /// The fetch of a resource, or of one scope of it, that waits or is under way.
    func unsettledFetch(
        of resource: String, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry? {
        try database.first(
            """
            SELECT \(QueueRows.columns) FROM siding_queue
            WHERE kind = 'fetch' AND resource = ?1 AND parameters = ?2 AND settled_at IS NULL
            """, resource, scope, map: QueueRows.entry)
    }

    /// All fetches of a resource that wait or are under way.
    func unsettledFetches(
        of resource: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        try database.query(
            """
            SELECT \(QueueRows.columns) FROM siding_queue
            WHERE kind = 'fetch' AND resource = ?1 AND settled_at IS NULL ORDER BY seq
            """, resource, map: QueueRows.entry)
    }

    /// Takes a fetch in hand. The caller holds its resource's lease, so an entry that is still `sending` belongs to a dead
    /// sender.
    ///
    /// - Returns: the entry, `sending` where it was taken; parked where a person has to look at it first.
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
            UPDATE siding_queue SET state = 'sending', reason = NULL, owner = ?2, token = token + 1, crashes = ?3,
                first_sent_at = COALESCE(first_sent_at, ?4)
            WHERE id = ?1
            """, entry.id, owner, entry.crashes, now.microseconds)
        try note(entry.id, "claimed", nil, transaction)
        return entry
    }

    /// Puts fetches that are still in hand back, due as they were: their run ended without a word on them.
    func giveBack(under lease: Lease, _ transaction: borrowing Transaction) throws {
        guard let resource = lease.resource else { return }
        for entry in try unsettledFetches(of: resource, transaction) where entry.state == .sending {
            try transaction.execute("UPDATE siding_queue SET state = 'queued', owner = NULL WHERE id = ?1", entry.id)
            try note(entry.id, "given back", "its run ended early", transaction)
        }
    }

    /// Parks what waited past its expiry; a person, or the next sync of its resource, may still take it up.
    func parkExpired(_ transaction: borrowing Transaction) throws {
        let expired = try transaction.query(Self.expired, now.microseconds, map: QueueRows.entry)
        for entry in expired { _ = try park(entry, as: .expired, "it waited too long", transaction) }
    }

    static let expired: SQL =
        "SELECT \(QueueRows.columns) FROM siding_queue WHERE state = 'queued' AND expires_at <= ?1"

    /// Whether ``parkExpired(_:)`` would find anything.
    static func hasExpired(_ now: Timestamp, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first(anyExpired, now.microseconds) { _ in true } ?? false
    }

    static let anyExpired: SQL = "SELECT 1 FROM siding_queue WHERE state = 'queued' AND expires_at <= ?1 LIMIT 1"

    /// Ends an entry: answered or superseded (`done`), or dropped by a person.
    func settle(
        _ id: String, as state: QueueEntry.State, event: String, detail: String?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_queue SET state = ?2, reason = NULL, owner = NULL, head = 0, crashes = 0, settled_at = ?3
            WHERE id = ?1 AND settled_at IS NULL
            """, id, state.rawValue, now.microseconds)
        try note(id, event, detail, transaction)
        try promote(laneOf: id, transaction)
        try tellDependants(of: id, state, transaction)
        try EditProjection.lift(id, now: now, transaction)
    }

    /// The oldest unsettled entry of the lane is its head; in the settling transaction, so that no lane is ever without.
    private func promote(laneOf id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(Self.promotion, id)
    }

    static let promotion: SQL = """
        UPDATE siding_queue SET head = 1 WHERE seq = (
            SELECT seq FROM siding_queue
            WHERE lane = (SELECT lane FROM siding_queue WHERE id = ?1) AND settled_at IS NULL
            ORDER BY position, seq LIMIT 1)
        """

    /// What waited for an entry that is done goes on; what waited for one that was dropped waits for a person.
    private func tellDependants(
        of id: String, _ state: QueueEntry.State, _ transaction: borrowing Transaction
    ) throws {
        let dependants = try transaction.query(
            """
            SELECT \(QueueRows.columns) FROM siding_queue
            WHERE id IN (SELECT entry FROM siding_dependencies WHERE parent = ?1) AND settled_at IS NULL
            """, id, map: QueueRows.entry)
        for dependant in dependants {
            try countParents(of: dependant.id, transaction)
            // A person who put it on hold is told before it goes on; other reasons to be parked matter more.
            if state == .dropped, dependant.state != .parked || dependant.reason == .held {
                _ = try park(
                    dependant, as: .dependency, "\(id.prefix(8)), which it waited for, was dropped", transaction)
            }
        }
    }

    /// Counts anew what an entry waits for.
    func countParents(of id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_queue SET waits_on = (
                SELECT COUNT(*) FROM siding_dependencies AS d JOIN siding_queue AS p ON p.id = d.parent
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
            UPDATE siding_queue SET state = 'parked', reason = ?2, owner = NULL, crashes = ?3, parked_by = ?4, parked_at = ?5
            WHERE id = ?1
            """, entry.id, reason.rawValue, entry.crashes, owner, now.microseconds)
        try note(entry.id, reason == .held ? "held" : "parked", detail ?? reason.rawValue, transaction)
        return parked
    }

    /// Back to the queue, due now, with a clean record of tries. Since when its key may be known to the origin is not
    /// forgotten, unless that is what it was parked for: then the person knows, and says it all the same. Whoever says so of
    /// a conflict has seen what the origin has now.
    func requeue(
        _ entry: QueueEntry, because cause: RequeueCause, _ transaction: borrowing Transaction
    ) throws -> QueueEntry {
        let isDoubtOver = entry.reason?.isDoubt == true
        try transaction.execute(
            """
            UPDATE siding_queue SET state = 'queued', reason = NULL, owner = NULL, attempts = 0, tries = 0, crashes = 0,
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

    /// The entry as ``park(_:as:_:_:)`` leaves it.
    func parked(_ entry: QueueEntry, as reason: ParkReason) -> QueueEntry {
        var parked = entry
        (parked.state, parked.reason) = (.parked, reason)
        return parked
    }

    /// The entry as ``requeue(_:because:_:)`` leaves it.
    func requeued(_ entry: QueueEntry) -> QueueEntry {
        var queued = entry
        (queued.state, queued.reason, queued.attempts, queued.crashes) = (.queued, nil, 0, 0)
        queued.tries = 0
        queued.nextAttemptAt = now
        if entry.reason?.isDoubt == true { queued.unknownSince = nil }
        return queued
    }

    /// The entry as a person's drop leaves it.
    func dropped(_ entry: QueueEntry) -> QueueEntry {
        var dropped = entry
        (dropped.state, dropped.reason, dropped.settledAt) = (.dropped, nil, now)
        return dropped
    }

    /// Nobody knows whether it arrived: from now on it is asked about, and not sent.
    func question(_ id: String, _ detail: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_queue SET unknown_since = COALESCE(unknown_since, ?2) WHERE id = ?1", id, now.microseconds)
        try note(id, "unknown", "\(detail); the origin is asked", transaction)
    }

    /// An entry keeps the newest lines of its history: one that waits for months is tried thousands of times.
    static let mostEvents = 100

    /// Writes a line of the entry's history, and forgets those that are one too many.
    func note(_ id: String, _ event: String, _ detail: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "INSERT INTO siding_attempts (entry, at, who, event, detail) VALUES (?1, ?2, ?3, ?4, ?5)", id,
            now.microseconds, who, event, detail)
        try transaction.execute(
            """
            DELETE FROM siding_attempts WHERE entry = ?1 AND seq <= (
                SELECT seq FROM siding_attempts WHERE entry = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)
            """, id, Self.mostEvents)
    }
}
