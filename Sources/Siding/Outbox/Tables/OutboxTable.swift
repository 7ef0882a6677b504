// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_outbox`: which requests wait, and what decides when they are sent.
///
/// Entries are read from the view `siding_outbox_entries`. It shows the members of `tried` and `parked` as columns, and
/// adds what lists show of the request, the edit and the key.
enum OutboxTable {
    /// Reads the columns in their order, which is how they are found quickest.
    static func entry(_ row: borrowing Row) throws -> QueueEntry {
        let id = try row.text("id")
        guard let kind = EntryKind(rawValue: try row.text("kind")),
            let state = QueueEntry.State(rawValue: try row.text("state"))
        else {
            throw StoreError(.corrupt, "queue entry \(id) has an unknown kind or state")
        }
        let reason = try row.optionalText("reason").flatMap(ParkReason.init)
        let (source, resource) = (try row.text("source"), try row.optionalText("resource"))
        let (operation, replaces) = (try row.optionalText("operation"), try row.optionalText("replaces"))
        let (lane, isHead, waitsOn) = (try row.text("lane"), try row.isTrue("head"), Int(try row.int("waits_on")))
        let (attempts, tries) = (Int(try row.int("attempts")), Int(try row.int("tries")))
        let crashes = Int(try row.int("crashes"))
        let (createdAt, nextAttemptAt) = (try row.time("created_at"), try row.time("not_before"))
        let (firstSentAt, completedAt) = (try row.optionalTime("first_sent_at"), try row.optionalTime("completed_at"))
        let (owner, token) = (try row.optionalText("owner"), try row.int("token"))
        let (method, url) = (try row.text("method"), try row.text("url"))
        var entry = QueueEntry(
            id: id, kind: kind, state: state, reason: reason, source: source, resource: resource, lane: lane,
            method: method, url: url, pageNumber: try row.optionalInt("page_number").map(Int.init), attempts: attempts,
            tries: tries, crashes: crashes, createdAt: createdAt, nextAttemptAt: nextAttemptAt,
            completedAt: completedAt,
            isHead: isHead, waitsOn: waitsOn, operation: operation,
            unknownSince: try row.optionalTime("unknown_since"), firstSentAt: firstSentAt,
            replaces: replaces, answerStatus: try row.optionalInt("status").map(Int.init), owner: owner, token: token)
        // It only informs.
        entry.lastError = Store.decodeIfReadable(RecordedError.self, try row.optionalText("error"))
        entry.recordKey = try row.optionalText("record_key")
        entry.keyKeptUntil = try row.optionalTime("kept_until")
        return entry
    }

    // MARK: One entry

    /// The entry with this full id; nil if it was removed.
    static func entry(_ id: String, _ database: borrowing some Queryable & ~Copyable) throws -> QueueEntry? {
        try database.first("SELECT * FROM siding_outbox_entries WHERE id = ?1", id, map: entry)
    }

    /// Those of the entries with these full ids that were not removed, by their ids.
    static func entries(
        _ ids: [String], _ database: borrowing some Queryable & ~Copyable
    ) throws -> [String: QueueEntry] {
        let found = try database.query(
            "SELECT * FROM siding_outbox_entries WHERE id IN (SELECT value FROM json_each(?1))", try Store.json(ids),
            map: entry)
        return Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The id of the entry that replaced this one; nil if there is none.
    static func replacement(
        of id: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        try database.first(
            """
            SELECT id FROM siding_outbox JOIN siding_outbox_requests ON entry = seq
            WHERE entry > (SELECT seq FROM siding_outbox WHERE id = ?1) AND replaces = ?1
            """, id
        ) { $0.text(0) }
    }

    /// - Throws: ``StoreError/Kind/notFound`` if no id begins with `prefix`, ``StoreError/Kind/ambiguous`` if several do.
    static func entry(
        withPrefix prefix: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry {
        let wanted = prefix.lowercased()
        guard wanted.count >= 4, wanted.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw StoreError(
                .notFound, "no entry has an id that begins with '\(prefix)': give at least 4 characters",
                hint: "'siding queue list' shows them")
        }
        if wanted.utf8.count == EntryID.length, let entry = try entry(wanted, database) { return entry }
        let found = try database.query(
            "SELECT * FROM siding_outbox_entries WHERE id >= ?1 AND id < ?1 || '~' ORDER BY seq LIMIT 9", wanted,
            map: entry)
        guard let entry = found.first else {
            throw StoreError(
                .notFound, "no queue entry begins with '\(prefix)'", hint: "'siding queue list' shows them")
        }
        guard found.count == 1 else {
            throw StoreError(
                .ambiguous, "'\(prefix)' begins several entries: \(found.map(\.shortID).joined(separator: ", "))",
                hint: "give more characters")
        }
        return entry
    }

    // MARK: Fetches

    /// The open fetch of a resource, or of one parent.
    static func openFetch(
        of resource: String, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry? {
        try database.first(
            """
            SELECT * FROM siding_outbox_entries
            WHERE kind = 'fetch' AND resource = ?1 AND scope = ?2 AND completed_at IS NULL
            """, resource, scope, map: entry)
    }

    static func openFetches(
        of resource: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        try database.query(
            """
            SELECT * FROM siding_outbox_entries
            WHERE kind = 'fetch' AND resource = ?1 AND completed_at IS NULL ORDER BY seq
            """, resource, map: entry)
    }

    /// The open fetches of a resource whose listing does not belong to this fan-out pass, or whose parent is gone.
    static func openFetches(
        of resource: String, numbered number: Int64, outside pass: Int64, over parents: RecordsTable?,
        _ transaction: borrowing Transaction
    ) throws -> [(entry: QueueEntry, scope: String, isOfGone: Bool)] {
        try transaction.query(
            """
            SELECT q.*, \(parents?.isGone("q.scope") ?? "1") AS is_gone FROM siding_outbox_entries q
            LEFT JOIN siding_listings l ON l.resource = ?2 AND l.scope = q.scope
            WHERE q.kind = 'fetch' AND q.resource = ?1 AND q.completed_at IS NULL AND (l.pass IS NOT ?3 OR is_gone)
            """, resource, number, pass
        ) { (entry: try entry($0), scope: try $0.text("scope"), isOfGone: try $0.isTrue("is_gone")) }
    }

    static func scope(of id: String, _ database: borrowing some Queryable & ~Copyable) throws -> String? {
        try database.first("SELECT scope FROM siding_outbox WHERE id = ?1", id) { $0.text(0) }
    }

    // MARK: Writes

    static func openWrites(to resource: String, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        try database.count(
            "SELECT COUNT(*) FROM siding_outbox WHERE resource = ?1 AND kind = 'write' AND completed_at IS NULL",
            resource
        )
    }

    static func sourcesOfWrites(_ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query(
            "SELECT DISTINCT source FROM siding_outbox WHERE kind = 'write' AND completed_at IS NULL ORDER BY source"
        ) { $0.text(0) }
    }

    /// The writes that `owner` has parked since `moment`, for any reason except a hold, and that are still parked, oldest
    /// first.
    static func writesParked(
        by owner: String, since moment: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        try database.query(
            """
            SELECT * FROM siding_outbox_entries
            WHERE completed_at IS NULL AND state = 'parked' AND reason <> 'held' AND kind = 'write'
                AND parked_by = ?1 AND parked_at >= ?2
            ORDER BY seq
            """, owner, moment.microseconds, map: entry)
    }

    /// The writes that `process`, as the history names it, has dropped since `moment`, oldest first.
    static func writesDropped(
        by process: String, since moment: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        try database.query(
            """
            SELECT * FROM siding_outbox_entries AS dropped
            WHERE completed_at >= ?2 AND state = 'dropped' AND kind = 'write' AND EXISTS (
                SELECT 1 FROM siding_outbox_events AS event
                WHERE event.entry = dropped.id AND event.event = ?3 AND event.who = ?1)
            ORDER BY seq
            """, process, moment.microseconds, QueueEventKind.dropped.rawValue, map: entry)
    }

    /// The pending edits of a record, in the order in which they apply.
    static func pendingEdits(
        of resource: String, _ key: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        try database.query(
            """
            SELECT * FROM siding_outbox_entries WHERE resource = ?1 AND record_key = ?2 AND pending = 1
            ORDER BY edit_order, seq
            """, resource, key, map: entry)
    }

    /// The newest entry whose edit made this temporary id, and the real id if it is known.
    static func maker(
        of temporaryID: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (entry: QueueEntry, realID: String?)? {
        try database.first(
            "SELECT * FROM siding_outbox_entries WHERE temporary_id = ?1 ORDER BY seq DESC LIMIT 1", temporaryID
        ) { (entry: try entry($0), realID: try $0.optionalText("real_id")) }
    }

    // MARK: Lanes and dependencies

    /// These entries, and the open ones that they wait for, however many others stand between: for parents, and for all that
    /// stands before them in their lanes.
    static func waitedFor(
        by entries: some Sequence<String>, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Set<String> {
        Set(
            try database.query(
                """
                WITH RECURSIVE waited (id) AS (
                    SELECT value FROM json_each(?1)
                    UNION
                    SELECT parent FROM waited JOIN siding_outbox_dependencies ON entry = waited.id
                    UNION
                    SELECT (SELECT before.id FROM siding_outbox AS before
                        WHERE before.lane = later.lane AND before.completed_at IS NULL
                            AND (before.position, before.seq) < (later.position, later.seq)
                        ORDER BY before.position DESC, before.seq DESC LIMIT 1)
                    FROM waited JOIN siding_outbox AS later ON later.id = waited.id AND later.completed_at IS NULL)
                SELECT id FROM waited JOIN siding_outbox USING (id) WHERE completed_at IS NULL
                """, try Store.json(Array(entries))
            ) { $0.text(0) })
    }

    static func laneHead(
        of lane: String, besides entry: String? = nil, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        try database.first(
            """
            SELECT id FROM siding_outbox WHERE lane = ?1 AND completed_at IS NULL AND id IS NOT ?2
            ORDER BY position, seq LIMIT 1
            """, lane, entry
        ) { $0.text(0) }
    }

    static func laneEnd(of lane: String, _ database: borrowing some Queryable & ~Copyable) throws -> QueueEntry? {
        try database.first(
            """
            SELECT * FROM siding_outbox_entries WHERE lane = ?1 AND completed_at IS NULL
            ORDER BY position DESC, seq DESC LIMIT 1
            """, lane, map: entry)
    }

    static func openEntries(inLane lane: String, _ transaction: borrowing Transaction) throws -> [QueueEntry] {
        try transaction.query(
            "SELECT * FROM siding_outbox_entries WHERE lane = ?1 AND completed_at IS NULL ORDER BY position, seq", lane,
            map: entry)
    }

    /// The open entries that wait for one of the entries, each with one that it waits for.
    static func dependants(
        of ids: [String], _ transaction: borrowing Transaction
    ) throws -> [(entry: QueueEntry, parent: String)] {
        try transaction.query(
            """
            SELECT waiting.*, MIN(parent) AS parent
            FROM siding_outbox_dependencies JOIN siding_outbox_entries AS waiting ON waiting.id = entry
            WHERE parent IN (SELECT value FROM json_each(?1)) AND completed_at IS NULL GROUP BY seq
            """, try Store.json(ids)
        ) { (entry: try entry($0), parent: try $0.text("parent")) }
    }

    // MARK: Maintenance

    /// The entries that were completed before `moment` and not purged, oldest first.
    static func completed(
        before moment: Timestamp, limit: Int, _ transaction: borrowing Transaction
    ) throws -> [QueueEntry] {
        try transaction.query(
            """
            SELECT * FROM siding_outbox_entries WHERE completed_at < ?1 AND kept_until IS NULL ORDER BY completed_at LIMIT ?2
            """, moment.microseconds, limit, map: entry)
    }

    /// Whether an entry was completed before `moment` and not purged, or no origin remembers the key of a purged one any more.
    static func hasForgettable(
        completedBefore moment: Timestamp, now: Timestamp, _ snapshot: borrowing Snapshot
    ) throws -> Bool {
        try snapshot.exists(
            "SELECT 1 FROM siding_outbox_entries WHERE completed_at < ?1 AND kept_until IS NULL LIMIT 1",
            moment.microseconds)
            || IdempotencyKeysTable.hasExpired(now, snapshot)
    }

    /// Selects lanes that break the rule that each has exactly one head.
    static let lanesWithoutOneHead: SQL =
        "SELECT lane FROM siding_outbox WHERE completed_at IS NULL GROUP BY lane HAVING SUM(head) <> 1 LIMIT 10"

    /// Selects entries that lost their row in another table.
    static let incompleteEntries: SQL = """
        SELECT id FROM siding_outbox_entries
        WHERE method IS NULL OR (kind = 'write' AND (key IS NULL OR (resource IS NOT NULL AND record_key IS NULL)))
        LIMIT 10
        """

    /// The open entries that can never be sent, because they wait for each other, or for such entries.
    static func entriesInCycles(_ snapshot: borrowing Snapshot) throws -> [String] {
        let waits = try snapshot.query(
            """
            SELECT id AS entry, LAG(id) OVER (PARTITION BY lane ORDER BY position, seq) AS parent FROM siding_outbox WHERE completed_at IS NULL
            UNION ALL
            SELECT entry, parent FROM siding_outbox_dependencies JOIN siding_outbox ON id = parent WHERE completed_at IS NULL
            """
        ) { (entry: try $0.text("entry"), parent: try $0.optionalText("parent")) }
        let waiting = Dictionary(grouping: waits.filter { $0.parent != nil }) { $0.parent ?? "" }
        var open = waits.reduce(into: [:]) { $0[$1.entry, default: 0] += $1.parent == nil ? 0 : 1 }
        var free = open.filter { $0.value == 0 }.map(\.key)
        while let parent = free.popLast() {
            open[parent] = nil
            for (entry, _) in waiting[parent] ?? [] {
                open[entry, default: 0] -= 1
                if open[entry] == 0 { free.append(entry) }
            }
        }
        return open.keys.sorted()
    }
}
