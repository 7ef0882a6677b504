internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// Claims the next write, inside a transaction.
struct WriteClaimer {
    let request: ClaimRequest
    let transitions: QueueTransitions

    private var now: Timestamp { transitions.now }

    func claim(_ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        try transitions.parkExpired(transaction)
        if let entry = request.entry { return try claim(named: entry, transaction) }
        for health in try turns(transaction) {
            if let write = try claim(next: health, transaction) { return write }
        }
        return nil
    }

    /// The sources that may be asked now, the least recently served first.
    private func turns(_ transaction: borrowing Transaction) throws -> [SourceHealth] {
        try request.sources
            .map { name, limit in (try SourceHealthRows.load(name, transaction), limit) }
            .filter { health, limit in try hasRoom(health, limit, transaction) }
            .map(\.0)
            .sorted { ($0.servedAt, $0.source) < ($1.servedAt, $1.source) }
    }

    private func hasRoom(_ health: SourceHealth, _ limit: Int, _ transaction: borrowing Transaction) throws -> Bool {
        guard let room = health.room(limit: limit, now: now) else { return false }
        return room > (try Self.underWay(health.source, transaction))
    }

    private static func underWay(_ source: String, _ transaction: borrowing Transaction) throws -> Int {
        try transaction.first(underWay, source) { Int($0.int(0)) } ?? 0
    }

    /// One seek in `siding_outbox_ready`, whatever the length of the queue.
    static let next: SQL = """
        SELECT \(QueueRows.columns), \(contents) FROM siding_outbox
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1 AND not_before <= ?2
        ORDER BY not_before, seq LIMIT 1
        """
    static let underWay: SQL =
        "SELECT COUNT(*) FROM siding_outbox WHERE owner IS NOT NULL AND kind = 'write' AND source = ?1"

    /// Claims the next due write of a source. Unreadable entries, and those past their key's lifetime, are parked on the way:
    /// one bad entry blocks only its lane.
    private func claim(next health: SourceHealth, _ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        try transaction.execute(Self.strayDue, health.source, now.microseconds, farthest.microseconds)
        while let found = try transaction.first(Self.next, health.source, now.microseconds, map: Self.read) {
            guard let candidate = try readable(found, transaction),
                let usable = try withUsableKey(candidate, transaction)
            else { continue }
            return try take(usable, in: health, transaction)
        }
        return nil
    }

    // MARK: Clocks that were set back

    /// No wait is longer, so whatever waits beyond it was put off before the clock was set back.
    private var farthest: Timestamp { now + RetryAfter.longest }

    /// Ends such waits. Uses a range of `siding_outbox_ready`, which is otherwise empty.
    static let strayDue: SQL = """
        UPDATE siding_outbox SET not_before = ?2
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1 AND not_before > ?3
        """

    /// Whether ``strayDue`` would find anything, so that the next claim has work.
    static func hasStray(
        of source: String, _ now: Timestamp, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.first(anyStray, source, (now + RetryAfter.longest).microseconds) { _ in true } ?? false
    }

    static let anyStray: SQL = """
        SELECT 1 FROM siding_outbox
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1 AND not_before > ?2
        LIMIT 1
        """

    private func claim(named id: String, _ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        let found = try transaction.first(
            """
            SELECT \(QueueRows.columns), \(Self.contents) FROM siding_outbox
            WHERE id = ?1 AND kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0
            """, id, map: Self.read)
        guard let found, let limit = request.sources[found.entry.source],
            let candidate = try readable(found, transaction), let write = try withUsableKey(candidate, transaction)
        else { return nil }
        let health = try SourceHealthRows.load(write.entry.source, transaction)
        guard try request.passesGates || hasRoom(health, limit, transaction) else { return nil }
        return try take(write, in: health, transaction)
    }

    // MARK: One write

    private typealias Candidate = (write: ClaimedWrite, keyLifetime: Int64?)
    /// A row: the write, or why it cannot be read.
    private typealias FoundWrite = (entry: QueueEntry, content: Result<Candidate, StoreError>)

    private static let contents: SQL =
        "\(StoredWrite.columns), token, key_lifetime_us, edit, conflict_on, gone_is_done"

    private static func read(_ row: borrowing Row) throws -> FoundWrite {
        let entry = try QueueRows.entry(row)
        do { return (entry, .success(try candidate(entry, row))) } catch let error as StoreError {
            return (entry, .failure(error))
        }
    }

    /// Parks a write that cannot be sent.
    ///
    /// - Returns: nil if it was parked.
    private func readable(_ found: FoundWrite, _ transaction: borrowing Transaction) throws -> Candidate? {
        switch found.content {
        case .success(let candidate): return candidate
        case .failure(let error):
            let recorded = RecordedError(name: "invalidRequest", message: error.message)
            try transaction.execute(
                "UPDATE siding_outbox SET error = ?2 WHERE id = ?1", found.entry.id, try Store.json(recorded))
            _ = try transitions.park(found.entry, as: .invalid, error.message, transaction)
            return nil
        }
    }

    private static func candidate(_ entry: QueueEntry, _ row: borrowing Row) throws -> Candidate {
        let next = QueueRows.count + StoredWrite.count
        let (method, url) = try entry.target()
        let stored = try StoredWrite(row, from: QueueRows.count)
        var write = ClaimedWrite(
            entry: entry, token: row.int(next), method: method, url: url, headerFields: stored.headerFields,
            body: stored.outgoingBody(of: entry.id), key: stored.key, keyField: stored.keyField,
            isKeyQuoted: stored.isKeyQuoted, isKeyed: stored.isKeyed, firstSentAt: stored.firstSentAt)
        write.terms = Store.decode(EditTerms.self, row.optionalText(next + 2))
        write.probe = stored.probe
        // A write in doubt is never sent just because its probe is missing.
        guard write.probe != nil || entry.unknownSince == nil else {
            throw StoreError(.corrupt, "queue entry \(entry.id) has a probe that cannot be read")
        }
        write.conflictStatuses = Store.decode(Set<Int>.self, row.optionalText(next + 3))
        write.goneIsDone = row.optionalInt(next + 4).map { $0 == 1 }
        return (write, row.optionalInt(next + 1))
    }

    /// Handles a key that the origin has forgotten, as sending again could act twice: marks the write as in doubt if it has a
    /// delivery probe, else parks it.
    ///
    /// - Returns: nil if it was parked.
    private func withUsableKey(_ candidate: Candidate, _ transaction: borrowing Transaction) throws -> ClaimedWrite? {
        var write = candidate.write
        guard write.question == nil, write.isKeyed, !write.method.isIdempotent, let sent = write.firstSentAt,
            let lifetime = candidate.keyLifetime, now - sent >= .microseconds(lifetime)
        else { return write }
        let why = "it may have arrived at \(sent.rfc3339), and the origin forgets keys"
        guard write.probe != nil else {
            _ = try transitions.park(write.entry, as: .keyExpired, why, transaction)
            return nil
        }
        try transitions.question(write.entry.id, why, transaction)
        write.entry.unknownSince = now
        return write
    }

    /// Marks the write as claimed. The lifetime of an honoured key starts here: no attempt with the key can be earlier.
    private func take(
        _ candidate: ClaimedWrite, in health: SourceHealth, _ transaction: borrowing Transaction
    ) throws -> ClaimedWrite {
        var (write, served) = (candidate, health)
        served.serve(now)
        try SourceHealthRows.save(served, now, transaction)
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = 'sending', owner = ?2, token = token + 1, waits_for = NULL,
                first_sent_at = CASE WHEN keyed = 1 THEN COALESCE(first_sent_at, ?3) ELSE first_sent_at END,
                unknown_since = MIN(unknown_since, ?3)
            WHERE id = ?1
            """, write.entry.id, transitions.owner, now.microseconds)
        write.entry.state = .sending
        // A time in the future was recorded before the clock was set back: the settle delay starts again now.
        write.entry.unknownSince = write.entry.unknownSince.map { min($0, now) }
        write.token += 1
        let lack = try condition(&write, transaction)
        try transitions.note(write.entry.id, "claimed", lack, transaction)
        return write
    }

    /// Adds `If-Match` with the record's strong ETag, if the write asks for it; an `If-Match` of the write itself is kept.
    ///
    /// - Returns: why the write goes out without a condition that it asked for, for the history; else nil.
    private func condition(_ write: inout ClaimedWrite, _ transaction: borrowing Transaction) throws -> String? {
        guard write.terms?.ifMatch == true, write.headerFields[.ifMatch] == nil, write.question == nil else {
            return nil
        }
        write.headerFields[.ifMatch] = try Validator.strong(for: write.entry, transaction)
        return write.headerFields[.ifMatch] == nil
            ? "no strong ETag of the record is known: it goes out without If-Match" : nil
    }
}
