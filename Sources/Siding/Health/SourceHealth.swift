public import SidingChain

/// How a source stands: its gate, what failed lately, and how much may be asked of it at once.
///
/// A value; a store keeps one per source, shared by all processes.
public struct SourceHealth: Sendable, Hashable {
    /// After so many failed tries in a row a source is left alone for a while.
    public static let breakerLimit = 5
    /// While a gate's time is over, one request per this long finds out whether it may open.
    public static let probeWindow = Duration.seconds(30)
    /// The retry budget of botocore: full at the start, a failed try costs 5, one that ran out of time 10, a success gives
    /// 1 back.
    public static let fullBudget = 500
    private static let breaker = Backoff(base: .seconds(30), cap: .seconds(600), isSpread: true)
    /// Slow start doubles with each success; from here on there is no limit of its own.
    private static let fullAllowance = 32

    public var source: String
    /// Nil while the source may be asked freely.
    public var gate: SourceGate?
    /// Failed tries in a row.
    public var failures: Int
    public var budget: Int
    /// How many requests may be under way at once after an outage; nil for no limit of its own.
    public var allowance: Int?
    /// When it last had its turn.
    public var servedAt: Timestamp

    /// A source of which nothing is known stands well.
    public init(
        source: String, gate: SourceGate? = nil, failures: Int = 0, budget: Int = Self.fullBudget,
        allowance: Int? = nil, servedAt: Timestamp = Timestamp(microseconds: 0)
    ) {
        self.source = source
        self.gate = gate
        self.failures = failures
        self.budget = budget
        self.allowance = allowance
        self.servedAt = servedAt
    }

    /// How many requests may be under way at once; nil while the gate is closed.
    public func room(limit: Int, now: Timestamp) -> Int? {
        guard gate != nil else { return max(1, min(limit, allowance ?? limit)) }
        return opensForProbe(now) ? 1 : nil
    }

    /// When a closed gate lets a probe through; nil where only a person can open it.
    public func opens(now: Timestamp) -> Timestamp? {
        guard let gate else { return now }
        return gate.reason == .signIn && gate.until == nil ? nil : opensForProbe(now) ? now : gate.until
    }

    private func opensForProbe(_ now: Timestamp) -> Bool {
        // A time further ahead than any origin is believed was set before the clock was set back.
        guard let until = gate?.until else { return gate?.reason != .signIn }
        return until <= now || until > now + RetryAfter.longest
    }

    /// Notes that the source has its turn; a probe keeps the gate closed for all others for a while. Patience that is over
    /// is over, whatever becomes of the probe: one request at a time goes out until one succeeds.
    public mutating func serve(_ now: Timestamp) {
        let opensForProbe = opensForProbe(now)
        servedAt = now
        if gate?.reason == .retryAfter, opensForProbe {
            (gate, allowance) = (nil, 1)
        } else if var probed = gate {
            probed.until = max(probed.until ?? now, now + Self.probeWindow)
            gate = probed
        }
    }

    // MARK: What requests teach

    /// Takes a lesson in.
    ///
    /// - Parameter jitter: spreads how long a source is left alone.
    /// - Returns: whether an outage is over: what waited for the line is worth a try.
    public mutating func learn(_ lesson: SourceOutcome, jitter: Jitter, now: Timestamp) -> Bool {
        let wasCut = gate?.reason == .offline || gate?.reason == .breaker || failures > 0
        switch lesson {
        case .nothing: break
        case .answers: answered(now)
        case .failed(let isTimeout): failed(cost: isTimeout ? 10 : 5, jitter: jitter, now: now)
        case .offline(let note): close(.offline, until: now + Self.probeWindow, note, now)
        case .patience(let until, let note): close(.retryAfter, until: until, note, now)
        case .signIn(let note): close(.signIn, until: nil, note, now)
        }
        return lesson == .answers && wasCut
    }

    private mutating func answered(_ now: Timestamp) {
        failures = 0
        budget = min(Self.fullBudget, budget + 1)
        guard let gate else {
            allowance = allowance.flatMap { $0 * 2 >= Self.fullAllowance ? nil : $0 * 2 }
            return
        }
        // Patience that was asked for holds although another request got through.
        if gate.reason == .retryAfter, let until = gate.until, until > now { return }
        allowance = gate.reason == .signIn ? nil : 2
        self.gate = nil
    }

    private mutating func failed(cost: Int, jitter: Jitter, now: Timestamp) {
        failures += 1
        budget = max(0, budget - cost)
        guard failures >= Self.breakerLimit || budget == 0 else { return }
        let wait = max(
            Self.breaker.base, Self.breaker.wait(after: max(1, failures - Self.breakerLimit + 1), jitter: jitter))
        let note = failures >= Self.breakerLimit ? "\(failures) tries in a row failed" : "too many tries failed lately"
        close(.breaker, until: now + wait, note, now)
    }

    private mutating func close(_ reason: SourceGate.Reason, until: Timestamp?, _ note: String, _ now: Timestamp) {
        guard !outlasts(until, now) else { return }
        gate = SourceGate(source: source, reason: reason, until: until, note: note)
        allowance = 1
    }

    /// Whether the gate holds against one that would be closed until `until`, as requests that were under way together end in
    /// any order. A sign-in that is wanted gives way to nothing of the line, which must not lead to a password being tried
    /// again; while it is probed it does, as somebody asked for that. What an origin asked for holds to its end.
    private func outlasts(_ until: Timestamp?, _ now: Timestamp) -> Bool {
        guard let gate, let until else { return false }
        switch (gate.reason, gate.until) {
        case (.signIn, nil): return true
        // Further ahead than any origin is believed: the clock was set back.
        case (.retryAfter, let patience?): return patience > until && patience <= now + RetryAfter.longest
        case (.retryAfter, nil), (.signIn, _), (.offline, _), (.breaker, _): return false
        }
    }
}
