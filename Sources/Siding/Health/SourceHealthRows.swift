internal import SidingChain
internal import SidingSQLite

/// Stores the health of sources, and ends waits in the queue when it changes.
enum SourceHealthRows {
    static func load(_ source: String, _ database: borrowing some Queryable & ~Copyable) throws -> SourceHealth {
        try database.first(
            """
            SELECT gate, gate_until, gate_note, failures, budget, allowance, served_at
            FROM siding_sources WHERE name = ?1
            """, source
        ) { row in
            SourceHealth(
                source: source,
                gate: row.optionalText(0).flatMap(SourceGate.Reason.init).map {
                    SourceGate(
                        source: source, reason: $0, until: row.optionalInt(1).map(Timestamp.init),
                        note: row.optionalText(2) ?? "")
                }, failures: Int(row.int(3)), budget: Int(row.int(4)), allowance: row.optionalInt(5).map(Int.init),
                servedAt: Timestamp(microseconds: row.int(6)))
        } ?? SourceHealth(source: source)
    }

    static func save(
        _ health: SourceHealth, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_sources (name, gate, gate_until, gate_note, failures, budget, allowance, served_at, changed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (name) DO UPDATE SET gate = excluded.gate, gate_until = excluded.gate_until,
                gate_note = excluded.gate_note, failures = excluded.failures, budget = excluded.budget,
                allowance = excluded.allowance, served_at = excluded.served_at, changed_at = excluded.changed_at
            """, health.source, health.gate?.reason.rawValue, health.gate?.until?.microseconds,
            health.gate?.note, health.failures, health.budget, health.allowance,
            health.servedAt.microseconds, now.microseconds)
    }

    /// Records the outcome of a request. If it ends an outage, the waits that the outage caused end too.
    static func record(
        _ outcome: SourceOutcome, of source: String, jitter: Jitter, _ transitions: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        let now = transitions.now
        let before = try load(source, transaction)
        var after = before
        let isOutageOver = after.record(outcome, jitter: jitter, now: now)
        if after != before { try save(after, now, transaction) }
        if isOutageOver { try makeDue(source, now, transaction) }
        if try letsIn(outcome, after, transaction) {
            try release(Self.neverLetIn, source, because: .letIn, transitions, transaction)
        }
    }

    /// Whether `outcome` is a reason to retry writes parked for a sign-in: another request was answered, no gate is closed, and
    /// there are such writes. Checks the rows, not the old gate, which an operator may have opened, or which may have closed
    /// for another reason meanwhile.
    static func letsIn(
        _ outcome: SourceOutcome, _ after: SourceHealth, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        guard outcome == .answers, after.gate == nil else { return false }
        return try database.first("SELECT 1 FROM (\(neverLetIn)) LIMIT 1", after.source) { _ in true } ?? false
    }

    /// The sources with an entry parked for a sign-in, or with a gate closed for one.
    static func wantingSignIn(_ database: borrowing some Queryable & ~Copyable) throws -> Set<String> {
        Set(try database.query(wantingSignIn) { $0.text(0) })
    }

    /// Opens the gate for a half-open probe if `cause` ends its reason, and makes the entries due that waited for it.
    static func endWaits(
        of source: String, because cause: WaitsEnd, _ transitions: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        let isOfLine = cause != .credentialsChanged
        let isOfSignIn = cause != .lineReturned
        let now = transitions.now
        var health = try load(source, transaction)
        switch health.gate?.reason {
        case .offline where isOfLine, .breaker where isOfLine, .signIn where isOfSignIn:
            health.gate?.until = now
            try save(health, now, transaction)
        case .offline, .breaker, .signIn, .retryAfter, nil: break
        }
        if isOfLine { try makeDue(source, now, transaction) }
        if isOfSignIn { try release(Self.parkedForSignIn, source, because: .released, transitions, transaction) }
    }

    /// Returns the entries found by `parked` to the queue.
    private static func release(
        _ parked: SQL, _ source: String, because cause: RequeueCause, _ transitions: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        for entry in try transaction.query(parked, source, map: QueueRows.entry) {
            _ = try transitions.requeue(entry, because: cause, transaction)
        }
    }

    /// Uses a range of `siding_outbox_sign_in`.
    static let parkedForSignIn: SQL = """
        SELECT \(QueueRows.columns) FROM siding_outbox
        WHERE state = 'parked' AND reason = 'sign_in' AND source = ?1
        """

    /// Writes that the answer to another request may retry, each only once. A write that gets a 401 while others succeed is
    /// refused for its own reasons, and would otherwise be retried after each of their answers. A release, a retry or new
    /// credentials reset this.
    static let neverLetIn: SQL = "\(parkedForSignIn) AND kind = 'write' AND let_in = 0"

    static let wantingSignIn: SQL = """
        SELECT source FROM siding_outbox WHERE state = 'parked' AND reason = 'sign_in'
        UNION SELECT name FROM siding_sources WHERE gate = 'sign_in'
        """

    /// Makes entries due that waited for the network or the origin.
    private static func makeDue(_ source: String, _ now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(dueNow, source, now.microseconds)
        try transaction.execute(fetchesDueNow, source, now.microseconds)
    }

    /// Only heads are sent, so only heads wait for the network. Uses a range of `siding_outbox_ready`.
    static let dueNow: SQL = """
        UPDATE siding_outbox SET not_before = ?2
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1
            AND waits_for = 'line' AND not_before > ?2
        """

    /// There is one open fetch per listing, and only the waiting ones are read: `siding_outbox_fetch`.
    private static let fetchesDueNow: SQL = """
        UPDATE siding_outbox SET not_before = ?2
        WHERE kind = 'fetch' AND settled_at IS NULL AND state = 'queued' AND source = ?1
            AND waits_for = 'line' AND not_before > ?2
        """
}
