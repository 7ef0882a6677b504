// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// All statements that write `siding_outbox`, except those that end waits.
extension OutboxTable {
    /// Inserts a new entry at the end of its lane.
    ///
    /// - Parameter scope: of a fetch: the key of its parent.
    static func insert(
        _ entry: QueueEntry, scope: String = "", expiresAt: Timestamp?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_outbox (id, kind, state, source, resource, scope, lane, position, head, waits_on,
                created_at, not_before, expires_at)
            VALUES (?1, ?2, 'queued', ?3, ?4, ?5, ?6,
                (SELECT COALESCE(MAX(position), 0) + 1 FROM siding_outbox WHERE lane = ?6 AND completed_at IS NULL),
                NOT EXISTS (SELECT 1 FROM siding_outbox WHERE lane = ?6 AND completed_at IS NULL), ?7, ?8, ?8, ?9)
            """, entry.id, entry.kind.rawValue, entry.source, entry.resource, scope, entry.lane, entry.waitsOn,
            entry.createdAt.microseconds, expiresAt?.microseconds)
    }

    /// Inserts entries at the places of old ones in their lanes, due now, or on hold.
    static func insert(
        replacing ids: ReplacedIDs, isHeld: Bool, at now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_outbox (id, kind, state, reason, source, resource, scope, lane, position, head, waits_on,
                created_at, not_before, expires_at)
            SELECT value ->> 1, kind, ?2, ?3, source, resource, scope, lane, position, head, waits_on,
                created_at, ?4, CASE WHEN expires_at <= ?4 THEN NULL ELSE expires_at END
            FROM json_each(?1) JOIN siding_outbox AS old ON old.id = value ->> 0
            """, ids.json, isHeld ? "parked" : "queued", isHeld ? "held" : nil, now.microseconds)
    }

    // MARK: States

    /// Marks an entry as claimed by `owner`, with its number of crashes, and increments its token.
    ///
    /// - Parameter firstSent: when it may reach the origin at the earliest; kept if it may have done so before. Nil if it
    ///   is not sent yet.
    static func claim(
        _ entry: QueueEntry, by owner: String, firstSent: Timestamp?, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'sending', reason = NULL, owner = ?2, token = token + 1,
                tried = json_set(tried, '$.crashes', ?3, '$.first_sent_at', COALESCE(tried ->> 'first_sent_at', ?4),
                    '$.waits_for', CASE WHEN kind = 'fetch' THEN tried ->> 'waits_for' END)
            WHERE id = ?1
            """, entry.id, owner, entry.crashes, firstSent?.microseconds)
    }

    /// - Parameter waitsForNetwork: whether the return of the network ends the wait; nil leaves this as it is.
    static func putBack(_ entry: QueueEntry, waitsForNetwork: Bool?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'queued', owner = NULL, not_before = ?4,
                tried = json_set(tried, '$.attempts', ?2, '$.crashes', ?3,
                    '$.waits_for', CASE WHEN ?5 IS NULL THEN tried ->> 'waits_for' WHEN ?5 THEN 'line' END)
            WHERE id = ?1
            """, entry.id, entry.attempts, entry.crashes, entry.nextAttemptAt.microseconds, waitsForNetwork)
    }

    /// - Parameter crashes: how often the sender died; nil leaves this as it is.
    static func park(
        _ ids: [String], as reason: ParkReason, crashes: Int?, by owner: String, at now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'parked', reason = ?2, owner = NULL,
                tried = json_set(tried, '$.crashes', COALESCE(?3, tried ->> 'crashes')),
                parked = json_set(parked, '$.by', ?4, '$.at', ?5)
            WHERE id IN (SELECT value FROM json_each(?1))
            """, try Store.json(ids), reason.rawValue, crashes, owner, now.microseconds)
    }

    /// Returns entries to the queue, due now, with their attempts reset.
    ///
    /// - Parameter forgetsSending: forgets since when the origin may know the entries.
    static func requeue(
        _ ids: [String], at now: Timestamp, isLetIn: Bool, forgetsSending: Bool, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'queued', reason = NULL, owner = NULL, not_before = ?2,
                tried = json_object('attempts', 0, 'tries', 0, 'crashes', 0, 'first_sent_at',
                    CASE WHEN NOT ?4 THEN tried ->> 'first_sent_at' END),
                parked = json_set(parked, '$.let_in', ?3),
                expires_at = CASE WHEN expires_at <= ?2 THEN NULL ELSE expires_at END
            WHERE id IN (SELECT value FROM json_each(?1))
            """, try Store.json(ids), now.microseconds, isLetIn, forgetsSending)
    }

    /// Stores the result of a fetch that failed: queued again, or parked for `reason`.
    ///
    /// - Parameter expiresAt: the new expiry; nil keeps the one that it has.
    static func retain(
        _ entry: QueueEntry, parkedFor reason: ParkReason?, waitsForNetwork: Bool, expiresAt: Timestamp?,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = ?2, reason = ?3, owner = NULL, not_before = ?6,
                tried = json_set(tried, '$.attempts', ?4, '$.tries', ?5, '$.crashes', 0, '$.waits_for', ?7),
                expires_at = COALESCE(?8, expires_at)
            WHERE id = ?1
            """, entry.id, reason == nil ? "queued" : "parked", reason?.rawValue, entry.attempts, entry.tries,
            entry.nextAttemptAt.microseconds, waitsForNetwork ? "line" : nil, expiresAt?.microseconds)
    }

    /// Marks open entries as done or dropped.
    static func complete(
        _ ids: [String], as state: QueueEntry.State, at now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = ?2, reason = NULL, owner = NULL, head = 0,
                tried = json_set(tried, '$.crashes', 0), completed_at = ?3
            WHERE id IN (SELECT value FROM json_each(?1)) AND completed_at IS NULL
            """, try Store.json(ids), state.rawValue, now.microseconds)
    }

    // MARK: Order

    /// Makes the oldest open entry of each lane that the entries are in its head.
    static func promote(lanesOf ids: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute(promotion, try Store.json(ids))
    }

    static let promotion: SQL = """
        UPDATE siding_outbox SET head = 1 WHERE head = 0 AND seq IN (
            SELECT (SELECT seq FROM siding_outbox AS first
                WHERE first.lane = entry.lane AND first.completed_at IS NULL ORDER BY position, seq LIMIT 1)
            FROM siding_outbox AS entry WHERE id IN (SELECT value FROM json_each(?1)))
        """

    /// Recounts the open entries that each of the entries waits for.
    static func updateWaitsOn(of ids: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET waits_on = (
                SELECT COUNT(*) FROM siding_outbox_dependencies AS d JOIN siding_outbox AS p ON p.id = d.parent
                WHERE d.entry = siding_outbox.id AND p.completed_at IS NULL)
            WHERE id IN (SELECT value FROM json_each(?1))
            """, try Store.json(ids))
    }

    /// Moves the open entries of a lane behind those of another one, whose head may be on its way. The lanes stay apart if
    /// an entry of the other one waits for one of them: each would wait for the other for ever.
    ///
    /// - Parameter completed: an entry of the lane that is completed in this transaction, and so keeps nobody waiting.
    static func moveLane(
        _ lane: String, to other: String, completing completed: String, _ transaction: borrowing Transaction
    ) throws {
        let end = try laneEnd(of: other, transaction)?.id
        if let end, let head = try laneHead(of: lane, besides: completed, transaction),
            try waitedFor(by: [end], transaction).contains(head)
        {
            return
        }
        try transaction.execute(
            """
            UPDATE siding_outbox SET lane = ?2, head = CASE WHEN ?3 THEN 0 ELSE head END, position = position +
                (SELECT COALESCE(MAX(position), 0) FROM siding_outbox WHERE lane = ?2 AND completed_at IS NULL)
            WHERE lane = ?1 AND completed_at IS NULL
            """, lane, other, end != nil)
    }

    // MARK: Single columns

    static func incrementTries(of id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_outbox SET tried = json_set(tried, '$.tries', (tried ->> 'tries') + 1) WHERE id = ?1", id)
    }

    /// How often the entry was sent again after a conflict since it was queued or released.
    static func conflicts(of id: String, _ transaction: borrowing Transaction) throws -> Int {
        try transaction.count("SELECT COALESCE(tried ->> 'conflicts', 0) FROM siding_outbox WHERE id = ?1", id)
    }

    static func set(conflicts: Int, of id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_outbox SET tried = json_set(tried, '$.conflicts', ?2) WHERE id = ?1", id, conflicts)
    }

    /// Records that the first byte is about to be sent; false if the claim is not valid any more.
    static func markSent(
        _ id: String, by owner: String, token: Int64, at now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.execute(
            """
            UPDATE siding_outbox SET tried = json_set(tried, '$.first_sent_at', COALESCE(tried ->> 'first_sent_at', ?4))
            WHERE id = ?1 AND state = 'sending' AND owner = ?2 AND token = ?3
            """, id, owner, token, now.microseconds) == 1
    }

    static func setFirstSent(_ moment: Timestamp?, of id: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_outbox SET tried = json_set(tried, '$.first_sent_at', ?2) WHERE id = ?1", id,
            moment?.microseconds)
    }

    /// Sets the later of two expiries; an entry that another one without expiry was merged into has none.
    static func extendExpiry(of id: String, to moment: Timestamp?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET expires_at = CASE WHEN ?2 IS NULL THEN NULL ELSE MAX(expires_at, ?2) END WHERE id = ?1
            """, id, moment?.microseconds)
    }

    /// Applies a new name of a resource's source to its open entries: to its fetches, and if `includesWrites` to the others.
    static func setSource(
        _ source: String, ofResource resource: String, includesWrites: Bool, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox SET source = ?2
            WHERE resource = ?1 AND completed_at IS NULL AND (kind = 'fetch' OR ?3)
            """, resource, source, includesWrites)
    }

    // MARK: Deletion

    /// Deletes entries; their rows in the other tables go with them (ON DELETE CASCADE).
    static func delete(_ ids: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "DELETE FROM siding_outbox WHERE id IN (SELECT value FROM json_each(?1))", try Store.json(ids))
    }

    /// Deletes the purged entries whose keys no origin remembers any more.
    static func deleteForgotten(_ now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            DELETE FROM siding_outbox
            WHERE seq IN (SELECT entry FROM siding_idempotency_keys WHERE kept_until <= ?1)
            """, now.microseconds)
    }
}

/// The ids of replaced entries, with those of their replacements and their new keys, as one argument of a statement.
struct ReplacedIDs {
    /// An array of old id, new id and new key for each.
    let json: String
    let new: [String]

    /// The new ids begin alike, and so do the keys: neighbours in an index share its pages, of which a transaction would
    /// otherwise write one for each of them.
    init(_ old: [String]) throws {
        let (id, key) = (String(EntryID.random().prefix(1)), String(IdempotencyKeysTable.random().prefix(2)))
        new = old.map { _ in id + EntryID.random().dropFirst(1) }
        json = try Store.json(zip(old, new).map { [$0, $1, key + IdempotencyKeysTable.random().dropFirst(2)] })
    }
}
