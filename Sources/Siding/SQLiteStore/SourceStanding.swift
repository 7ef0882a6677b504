internal import SidingChain
internal import SidingSQLite

/// How a source stands: its gate, what failed lately, and how much may be asked of it at once.
struct SourceStanding {
    /// After so many failed tries in a row a source is left alone for a while.
    static let breakerLimit = 5
    /// While a gate's time is over, one request per this long finds out whether it may open.
    static let probeWindow = Duration.seconds(30)
    /// The retry budget of botocore: full at the start, a failed try costs 5, one that ran out of time 10, a success gives
    /// 1 back.
    static let fullBudget = 500
    private static let breaker = Backoff(base: .seconds(30), cap: .seconds(600), isSpread: true)
    /// Slow start doubles with each success; from here on there is no limit of its own.
    private static let fullAllowance = 32

    let name: String
    var gate: SourceGate.Reason?
    var gateUntil: Timestamp?
    var failures = 0
    var budget = Self.fullBudget
    var allowance: Int?
    var servedAt = Timestamp(microseconds: 0)

    private init(name: String) { self.name = name }

    static func load(_ name: String, _ database: borrowing some Queryable & ~Copyable) throws -> SourceStanding {
        try database.first(
            "SELECT gate, gate_until, failures, budget, allowance, served_at FROM siding_sources WHERE name = ?1", name
        ) { row in
            var standing = SourceStanding(name: name)
            standing.gate = row.optionalText(0).flatMap(SourceGate.Reason.init)
            standing.gateUntil = row.optionalInt(1).map(Timestamp.init)
            standing.failures = Int(row.int(2))
            standing.budget = Int(row.int(3))
            standing.allowance = row.optionalInt(4).map(Int.init)
            standing.servedAt = Timestamp(microseconds: row.int(5))
            return standing
        } ?? SourceStanding(name: name)
    }

    /// How many requests may be under way at once; nil while the gate is closed.
    func room(limit: Int, now: Timestamp) -> Int? {
        guard gate != nil else { return max(1, min(limit, allowance ?? limit)) }
        return opensForProbe(now) ? 1 : nil
    }

    /// When a closed gate lets a probe through; nil where only a person can open it.
    func opens(now: Timestamp) -> Timestamp? {
        guard let gate else { return now }
        return gate == .signIn && gateUntil == nil ? nil : opensForProbe(now) ? now : gateUntil
    }

    private func opensForProbe(_ now: Timestamp) -> Bool {
        // A time further ahead than any origin is believed was set before the clock was set back.
        guard let gateUntil else { return gate != .signIn }
        return gateUntil <= now || gateUntil > now + RetryAfter.longest
    }

    /// Notes that the source has its turn; a probe keeps the gate closed for all others for a while. Patience that is over
    /// is over, whatever becomes of the probe: one request at a time goes out until one succeeds.
    func serve(_ now: Timestamp, _ transaction: borrowing Transaction) throws {
        var served = self
        served.servedAt = now
        if gate == .retryAfter, opensForProbe(now) {
            (served.gate, served.gateUntil, served.allowance) = (nil, nil, 1)
        } else if gate != nil {
            served.gateUntil = max(gateUntil ?? now, now + Self.probeWindow)
        }
        try served.save(now, nil, transaction)
    }
}

// MARK: - What requests teach

extension SourceStanding {
    /// The standing after `lesson`, saved; where an outage ended, the waits that it caused end too.
    static func learn(
        _ lesson: SourceLesson, of name: String, jitter: Jitter, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        if lesson == .nothing { return }
        let before = try load(name, transaction)
        var after = before
        let note = after.take(lesson, jitter: jitter, now: now)
        try after.save(now, note, transaction)
        let wasCut = before.gate == .offline || before.gate == .breaker || before.failures > 0
        if lesson == .answers, wasCut { try endWaits(of: name, now, transaction) }
    }

    /// - Returns: the gate's note where it was set.
    private mutating func take(_ lesson: SourceLesson, jitter: Jitter, now: Timestamp) -> String? {
        switch lesson {
        case .nothing: return nil
        case .answers:
            answered(now)
            return nil
        case .failed(let isTimeout):
            return failed(cost: isTimeout ? 10 : 5, jitter: jitter, now: now)
        case .offline(let note):
            close(.offline, until: now + Self.probeWindow)
            return note
        case .patience(let until, let note):
            close(.retryAfter, until: until)
            return note
        case .signIn(let note):
            close(.signIn, until: nil)
            return note
        }
    }

    private mutating func answered(_ now: Timestamp) {
        failures = 0
        budget = min(Self.fullBudget, budget + 1)
        // Patience that was asked for holds although another request got through.
        if gate == .retryAfter, let gateUntil, gateUntil > now { return }
        if gate == nil {
            allowance = allowance.flatMap { $0 * 2 >= Self.fullAllowance ? nil : $0 * 2 }
        } else {
            allowance = gate == .signIn ? nil : 2
            (gate, gateUntil) = (nil, nil)
        }
    }

    private mutating func failed(cost: Int, jitter: Jitter, now: Timestamp) -> String? {
        failures += 1
        budget = max(0, budget - cost)
        guard failures >= Self.breakerLimit || budget == 0 else { return nil }
        let wait = max(
            Self.breaker.base, Self.breaker.wait(after: max(1, failures - Self.breakerLimit + 1), jitter: jitter))
        close(.breaker, until: now + wait)
        return failures >= Self.breakerLimit
            ? "\(failures) tries in a row failed" : "too many tries failed lately"
    }

    private mutating func close(_ reason: SourceGate.Reason, until: Timestamp?) {
        (gate, gateUntil) = (reason, until)
        allowance = 1
    }

    /// Opens the gate for a probe, where only time or a person keeps it closed, and makes due what waited for the line.
    static func endWaits(
        of name: String, because cause: WaitsEnd, _ transitions: QueueTransitions, _ transaction: borrowing Transaction
    ) throws {
        let now = transitions.now
        try transaction.execute(
            """
            UPDATE siding_sources SET gate_until = ?2
            WHERE name = ?1 AND (gate_until > ?2 AND gate IN ('offline', 'breaker') OR gate = 'sign_in' AND ?3)
            """, name, now.microseconds, cause == .personAsks ? 1 : 0)
        try endWaits(of: name, now, transaction)
        guard cause == .personAsks else { return }
        let parked = try transaction.query(
            """
            SELECT \(QueueRows.columns) FROM siding_queue
            WHERE kind = 'write' AND state = 'parked' AND reason = 'sign_in' AND source = ?1
            """, name, map: QueueRows.entry)
        for entry in parked { _ = try transitions.requeue(entry, event: "released", transaction) }
    }

    /// The line is back, or the origin is: what waited for that is due now.
    private static func endWaits(of name: String, _ now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(dueNow, name, now.microseconds)
    }

    /// Only heads are sent, so only heads can wait for the line: a range of `siding_queue_ready`.
    static let dueNow: SQL = """
        UPDATE siding_queue SET not_before = ?2
        WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1
            AND waits_for = 'line' AND not_before > ?2
        """

    private func save(_ now: Timestamp, _ note: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_sources (name, gate, gate_until, gate_note, failures, budget, allowance, served_at, changed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            ON CONFLICT (name) DO UPDATE SET gate = excluded.gate, gate_until = excluded.gate_until,
                gate_note = CASE WHEN excluded.gate IS NULL THEN NULL ELSE COALESCE(excluded.gate_note, gate_note) END,
                failures = excluded.failures, budget = excluded.budget, allowance = excluded.allowance,
                served_at = excluded.served_at, changed_at = excluded.changed_at
            """, name, gate?.rawValue, gateUntil?.microseconds, note, failures, budget, allowance,
            servedAt.microseconds, now.microseconds)
    }
}
