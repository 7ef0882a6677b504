// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// What a sender looks for. The statements are constants so that a test can check their plans.
extension OutboxTable {
    /// The next due write of a source: one seek in `siding_outbox_ready`, whatever the length of the queue.
    static func nextWrite(
        of source: String, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> QueueEntry? {
        try transaction.first(nextWrite, source, now.microseconds, map: entry)
    }

    static let nextWrite: SQL = """
        SELECT * FROM siding_outbox_entries
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1 AND not_before <= ?2
        ORDER BY not_before, seq LIMIT 1
        """

    /// This write, if it may be sent, due or not.
    static func readyWrite(_ id: String, _ transaction: borrowing Transaction) throws -> QueueEntry? {
        try transaction.first(
            """
            SELECT * FROM siding_outbox_entries
            WHERE id = ?1 AND kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0
            """, id, map: entry)
    }

    /// When the first and the last waiting write of a source are due: two seeks in `siding_outbox_ready`.
    static func dueTimes(
        of source: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (first: Timestamp, last: Timestamp)? {
        try database.first(dueTimes, source) { row in
            guard let first = try row.optionalInt("first") else { return nil }
            return (Timestamp(microseconds: first), try row.time("last"))
        } ?? nil
    }

    // Not materialized, each end is one search of the index, however many entries wait.
    static let dueTimes: SQL = """
        WITH ready AS NOT MATERIALIZED (
            SELECT not_before FROM siding_outbox
            WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1)
        SELECT (SELECT MIN(not_before) FROM ready) AS first, (SELECT MAX(not_before) FROM ready) AS last
        """

    // MARK: Claimed writes

    static func claimedWrites(of source: String, _ transaction: borrowing Transaction) throws -> Int {
        try transaction.count(claimedWritesOfSource, source)
    }

    static let claimedWritesOfSource: SQL =
        "SELECT COUNT(*) FROM siding_outbox WHERE owner IS NOT NULL AND kind = 'write' AND source = ?1"

    static func claimedWrites(
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> [(id: String, owner: String, source: String)] {
        try database.query("SELECT id, owner, source FROM siding_outbox WHERE owner IS NOT NULL AND kind = 'write'") {
            (id: try $0.text("id"), owner: try $0.text("owner"), source: try $0.text("source"))
        }
    }

    /// A write that `owner` has claimed and not given back; nil if it has not.
    static func claimedWrite(
        _ id: String, by owner: String, _ transaction: borrowing Transaction
    ) throws -> QueueEntry? {
        try transaction.first(
            """
            SELECT * FROM siding_outbox_entries
            WHERE id = ?1 AND owner = ?2 AND state = 'sending' AND kind = 'write'
            """, id, owner, map: entry)
    }

    /// Whether this claim is still valid.
    static func isClaimed(
        _ id: String, by owner: String, token: Int64, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM siding_outbox WHERE id = ?1 AND state = 'sending' AND owner = ?2 AND token = ?3", id, owner,
            token)
    }

    // MARK: Expiry

    static func expired(_ now: Timestamp, _ database: borrowing some Queryable & ~Copyable) throws -> [QueueEntry] {
        try database.query(expired, now.microseconds, map: entry)
    }

    static let expired: SQL = "SELECT * FROM siding_outbox_entries WHERE state = 'queued' AND expires_at <= ?1"

    // MARK: Waits

    /// Ends the waits of writes beyond `farthest`: because no wait is that long, so that the clock was set back since, or because
    /// somebody asks for it. Uses a range of `siding_outbox_ready`.
    static func endWaits(
        beyond farthest: Timestamp, of source: String, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(endWaitsBeyond, source, now.microseconds, farthest.microseconds)
    }

    static let endWaitsBeyond: SQL = """
        UPDATE siding_outbox SET not_before = ?2
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1 AND not_before > ?3
        """

    /// Makes the entries due that wait for the network.
    static func endWaitsForLine(of source: String, _ now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(writesDueNow, source, now.microseconds)
        try transaction.execute(fetchesDueNow, source, now.microseconds)
    }

    /// Only heads are sent, so only heads wait for the network. Uses a range of `siding_outbox_ready`.
    static let writesDueNow: SQL = """
        UPDATE siding_outbox SET not_before = ?2
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1
            AND tried ->> 'waits_for' = 'line' AND not_before > ?2
        """

    /// There is one open fetch per listing, and only the waiting ones are read: `siding_outbox_fetch`.
    private static let fetchesDueNow: SQL = """
        UPDATE siding_outbox SET not_before = ?2
        WHERE kind = 'fetch' AND completed_at IS NULL AND state = 'queued' AND source = ?1
            AND tried ->> 'waits_for' = 'line' AND not_before > ?2
        """

    // MARK: Sign-in

    /// The entries parked for a sign-in. Uses a range of `siding_outbox_sign_in`.
    static func parkedForSignIn(_ source: String, _ transaction: borrowing Transaction) throws -> [QueueEntry] {
        try transaction.query(
            "SELECT * FROM siding_outbox_entries WHERE state = 'parked' AND reason = 'sign_in' AND source = ?1", source,
            map: entry)
    }

    /// The writes that the answer to another request may retry, each only once. A write that gets a 401 while others succeed
    /// is refused for its own reasons, and would otherwise be retried after each of their answers. A release, a retry or new
    /// credentials reset this.
    static func neverLetIn(_ source: String, _ database: borrowing some Queryable & ~Copyable) throws -> [QueueEntry] {
        try database.query(neverLetIn, source, map: entry)
    }

    static let neverLetIn: SQL = """
        SELECT * FROM siding_outbox_entries
        WHERE state = 'parked' AND reason = 'sign_in' AND source = ?1 AND kind = 'write' AND let_in = 0
        """

    /// The sources with an entry parked for a sign-in.
    static func sourcesParkedForSignIn(_ database: borrowing some Queryable & ~Copyable) throws -> Set<String> {
        Set(
            try database.query("SELECT source FROM siding_outbox WHERE state = 'parked' AND reason = 'sign_in'") {
                $0.text(0)
            })
    }
}
