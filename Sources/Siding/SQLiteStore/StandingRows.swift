internal import SidingChain
internal import SidingSQLite

/// How the standing of a source is kept.
enum StandingRows {
    static func load(_ source: String, _ database: borrowing some Queryable & ~Copyable) throws -> SourceStanding {
        try database.first(
            """
            SELECT gate, gate_until, gate_note, failures, budget, allowance, served_at
            FROM siding_sources WHERE name = ?1
            """, source
        ) { row in
            SourceStanding(
                source: source,
                gate: row.optionalText(0).flatMap(SourceGate.Reason.init).map {
                    SourceGate(
                        source: source, reason: $0, until: row.optionalInt(1).map(Timestamp.init),
                        note: row.optionalText(2) ?? "")
                }, failures: Int(row.int(3)), budget: Int(row.int(4)), allowance: row.optionalInt(5).map(Int.init),
                servedAt: Timestamp(microseconds: row.int(6)))
        } ?? SourceStanding(source: source)
    }

    static func save(
        _ standing: SourceStanding, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_sources (name, gate, gate_until, gate_note, failures, budget, allowance, served_at, changed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (name) DO UPDATE SET gate = excluded.gate, gate_until = excluded.gate_until,
                gate_note = excluded.gate_note, failures = excluded.failures, budget = excluded.budget,
                allowance = excluded.allowance, served_at = excluded.served_at, changed_at = excluded.changed_at
            """, standing.source, standing.gate?.reason.rawValue, standing.gate?.until?.microseconds,
            standing.gate?.note, standing.failures, standing.budget, standing.allowance,
            standing.servedAt.microseconds, now.microseconds)
    }

    /// Saves what `lesson` teaches; where an outage ended, the waits that it caused end too.
    static func learn(
        _ lesson: SourceLesson, of source: String, jitter: Jitter, _ transitions: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        let now = transitions.now
        let before = try load(source, transaction)
        var after = before
        let isOutageOver = after.learn(lesson, jitter: jitter, now: now)
        if after != before { try save(after, now, transaction) }
        if isOutageOver { try makeDue(source, now, transaction) }
        // Whoever was let in has credentials that are good.
        if before.gate?.reason == .signIn, after.gate == nil { try release(source, transitions, transaction) }
    }

    /// Opens the gate for a probe, where `cause` ends what keeps it closed, and lets go what waited for that.
    static func endWaits(
        of source: String, because cause: WaitsEnd, _ transitions: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        let isOfLine = cause != .credentialsChanged
        let isOfSignIn = cause != .lineReturned
        let now = transitions.now
        var standing = try load(source, transaction)
        switch standing.gate?.reason {
        case .offline where isOfLine, .breaker where isOfLine, .signIn where isOfSignIn:
            standing.gate?.until = now
            try save(standing, now, transaction)
        case .offline, .breaker, .signIn, .retryAfter, nil: break
        }
        if isOfLine { try makeDue(source, now, transaction) }
        if isOfSignIn { try release(source, transitions, transaction) }
    }

    /// What is parked for a sign-in goes back to the queue.
    private static func release(
        _ source: String, _ transitions: QueueTransitions, _ transaction: borrowing Transaction
    ) throws {
        let parked = try transaction.query(
            """
            SELECT \(QueueRows.columns) FROM siding_queue
            WHERE kind = 'write' AND state = 'parked' AND reason = 'sign_in' AND source = ?1
            """, source, map: QueueRows.entry)
        for entry in parked { _ = try transitions.requeue(entry, event: "released", transaction) }
    }

    /// The line is back, or the origin is: what waited for that is due now.
    private static func makeDue(_ source: String, _ now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(dueNow, source, now.microseconds)
    }

    /// Only heads are sent, so only heads can wait for the line: a range of `siding_queue_ready`.
    static let dueNow: SQL = """
        UPDATE siding_queue SET not_before = ?2
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1
            AND waits_for = 'line' AND not_before > ?2
        """
}
