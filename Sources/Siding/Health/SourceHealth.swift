// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// The health of a source, shared by all processes: its gate, its recent failures, and its concurrency limit.
package struct SourceHealth: Sendable, Hashable {
    package var source: String
    /// Nil while the gate is open.
    package var gate: SourceGate?
    /// Tries in a row that failed.
    package var failures = 0
    /// Answers in a row that asked to wait.
    package var waits = 0
    /// How many writes in a row were refused in the same way, and how, without ids and times; nil after one that was accepted.
    package var refusal: String?
    package var refusals = 0
    /// The concurrency limit after an outage; nil for none.
    package var concurrencyLimit: Int?
    /// When a request was last sent to it.
    package var lastSentAt = Timestamp(microseconds: 0)

    /// How many requests may be in flight; nil while the gate is closed.
    package func requestsAllowed(limit: Int, now: Timestamp) -> Int? {
        guard gate != nil else {
            // Writes under way in a row may fail, or be refused, too: together they are to end the row, not to pass its end.
            let row = max(failures, refusals)
            let rest = row == 0 ? limit : RetryRules.breakerLimit - row
            return max(1, min(limit, concurrencyLimit ?? limit, rest))
        }
        return opensForProbe(now) ? 1 : nil
    }

    private var isInRowOfRefusals: Bool { refusals >= RetryRules.breakerLimit }

    /// Whether refusals closed the gate, not failures: an answer ends the row of these.
    private var isClosedByRefusals: Bool {
        gate?.reason == .breaker && isInRowOfRefusals && failures < RetryRules.breakerLimit
    }

    /// When a closed gate lets a probe through; nil if it waits for a sign-in.
    package func opens(now: Timestamp) -> Timestamp? {
        guard let gate else { return now }
        return gate.reason == .signIn && gate.until == nil ? nil : opensForProbe(now) ? now : gate.until
    }

    /// How long the gate stays closed after failures in a row, or by a portal; zero where it is open, or closed for another reason.
    func waitAfterFailures(now: Timestamp) -> Duration {
        guard let gate, [.breaker, .portal].contains(gate.reason), !isClosedByRefusals, let until = gate.until,
            !opensForProbe(now)
        else { return .zero }
        return until - now
    }

    private func opensForProbe(_ now: Timestamp) -> Bool {
        // A time beyond the longest allowed wait was set before the clock was set back.
        guard let until = gate?.until else { return gate?.reason != .signIn }
        return until <= now || until > now + RetryRules.longestWait
    }

    /// Opens the gate, as an operator asks for it. That of a portal lets a probe through and stays: a write that may not be sent twice
    /// first asks who answers.
    mutating func openGate(now: Timestamp) {
        if gate?.reason == .portal { gate?.until = now } else { gate = nil }
    }

    /// Records that a request is sent. If it is a half-open probe, the gate stays closed for all others for ``RetryRules/probeWindow``. A
    /// `Retry-After` that is over ends whatever the probe's result: then one request at a time is sent until one succeeds.
    package mutating func recordSend(_ now: Timestamp) {
        let opensForProbe = opensForProbe(now)
        lastSentAt = now
        if gate?.reason == .retryAfter, opensForProbe {
            (gate, concurrencyLimit) = (nil, 1)
        } else if var probed = gate {
            probed.until = max(probed.until ?? now, now + RetryRules.probeWindow)
            gate = probed
        }
    }

    /// Records the outcome of a request, which may open or close the gate.
    ///
    /// - Parameters:
    ///   - isOfWrite: whether it is that of a write, not of a page or a delivery probe.
    ///   - jitter: spreads how long a source is left alone.
    /// - Returns: whether an outage is over: entries that wait for the network are worth a try.
    package mutating func record(
        _ outcome: SourceOutcome, isOfWrite: Bool = false, jitter: Jitter, now: Timestamp
    ) -> Bool {
        let isBroken = gate?.reason == .breaker && !isClosedByRefusals
        let wasCut = gate?.reason.isOfLine == true || isBroken || failures > 0 || waits > 0
        switch outcome {
        case .nothing: break
        // That a page is answered does not show that a write will be accepted, so the wait of refused writes goes on. A write
        // that is refused for its own content ends the wait, but not the row: one more equal refusal closes the gate again.
        case .answers: answered(now, endsWaitOfRefusals: isOfWrite)
        case .accepted:
            (refusal, refusals) = (nil, 0)
            answered(now)
        case .refused(let how, let mayBeOfOne): refused(how, mayBeOfOne: mayBeOfOne, jitter: jitter, now: now)
        case .failed: failed(jitter: jitter, now: now)
        case .offline(let note): close(.offline, until: now + RetryRules.probeWindow, note, now)
        case .portal(let note): close(.portal, until: now + RetryRules.probeWindow, note, now)
        case .retryAfter(let until, let note, let backoff):
            close(.retryAfter, until: max(until, grownWait(backoff, now)), note, now)
        case .signIn(let note): close(.signIn, until: nil, note, now)
        }
        return outcome.isAnswer && wasCut
    }

    private mutating func answered(_ now: Timestamp, endsWaitOfRefusals: Bool = true) {
        let staysClosed = isClosedByRefusals && !endsWaitOfRefusals && !opensForProbe(now)
        (failures, waits) = (0, 0)
        guard let gate else {
            concurrencyLimit = concurrencyLimit.flatMap { $0 * 2 >= RetryRules.slowStartEnd ? nil : $0 * 2 }
            return
        }
        // A `Retry-After` still applies although another request succeeded.
        if gate.reason == .retryAfter, let until = gate.until, until > now { return }
        if staysClosed { return }
        concurrencyLimit = gate.reason == .signIn ? nil : RetryRules.slowStart
        self.gate = nil
    }

    private mutating func failed(jitter: Jitter, now: Timestamp) {
        failures += 1
        breaks(after: failures, "\(failures) tries in a row failed", jitter, now)
    }

    /// Records a write that was refused as others may be. The origin answered, so an outage is over; but the gate stays closed for a
    /// while, as nothing shows that the next write will be accepted.
    private mutating func refused(_ how: String, mayBeOfOne: Bool, jitter: Jitter, now: Timestamp) {
        let form = RefusalWords.withoutIDs(how)
        (refusal, refusals) = (form, refusal == form ? refusals + 1 : 1)
        var row = mayBeOfOne ? min(refusals, RetryRules.breakerLimit) : refusals
        if gate?.reason == .breaker, failures >= RetryRules.breakerLimit { row = max(row, RetryRules.breakerLimit) }
        answered(now)
        let who = refusals == 1 ? "a write was refused" : "\(refusals) writes in a row were refused in the same way"
        breaks(after: row, "\(who): \(how)", jitter, now)
    }

    private mutating func breaks(after count: Int, _ note: String, _ jitter: Jitter, _ now: Timestamp) {
        guard count >= RetryRules.breakerLimit else { return }
        let wait = max(
            RetryRules.breakerBackoff.base,
            RetryRules.breakerBackoff.wait(after: count - RetryRules.breakerLimit + 1, jitter: jitter))
        close(.breaker, until: now + wait, note, now)
    }

    /// The earliest end of a wait that the origin asks for. An origin that asks again after each wait has set them too short,
    /// whatever its `Retry-After` says, so they grow. Answers to requests that were under way together count once.
    private mutating func grownWait(_ backoff: Backoff?, _ now: Timestamp) -> Timestamp {
        guard let backoff else { return now }
        let isWaiting = gate?.reason == .retryAfter && gate?.until.map { $0 > now } ?? false
        if !isWaiting { waits += 1 }
        // Eightfold: after each wait a write and a page are tried, and with 2, 4 and 8 s these are too many for the first minute.
        return now + min(backoff.ceiling(after: 3 * waits - 2), RetryRules.unspecifiedWait)
    }

    private mutating func close(_ reason: SourceGate.Reason, until: Timestamp?, _ note: String, _ now: Timestamp) {
        guard !outlasts(until, now) else { return }
        gate = SourceGate(source: source, reason: reason, until: until, note: note)
        concurrencyLimit = 1
    }

    /// Whether the present gate wins over a new one that would stay closed until `until`: requests in flight end in any order.
    ///
    /// A gate for a sign-in is not replaced by network trouble, which must not cause a password to be tried again; while it is
    /// being probed it may be, as somebody asked for the probe. A `Retry-After` applies to its end.
    private func outlasts(_ until: Timestamp?, _ now: Timestamp) -> Bool {
        guard let gate, let until else { return false }
        switch (gate.reason, gate.until) {
        case (.signIn, nil): return true
        // Beyond the longest allowed wait: the clock was set back.
        case (.retryAfter, let end?): return end > until && end <= now + RetryRules.longestWait
        case (.retryAfter, nil), (.signIn, _), (.offline, _), (.portal, _), (.breaker, _): return false
        }
    }
}

/// A closed gate: until when no requests go to a source, and why.
public struct SourceGate: Sendable, Hashable {
    /// Why requests wait.
    public enum Reason: String, Sendable, Codable, CaseIterable {
        /// No network route, or no connection to the origin.
        case offline
        /// A web page answered in place of the origin: perhaps the login page of a network.
        case portal
        /// The origin asked for a pause, or a rate limit is exhausted.
        case retryAfter = "retry_after"
        /// Too many attempts in a row failed.
        case breaker
        /// The origin refused the credentials.
        case signIn = "sign_in"
    }

    /// The name of the source.
    public var source: String
    /// Why no requests go to it.
    public var reason: Reason
    /// Nil if it stays closed until something changes, as for `signIn`.
    public var until: Timestamp?
    /// The reason in one sentence, for people.
    public var note: String
}

/// No request was sent, as an origin asked for a wait that is not over.
package struct ClosedGate: Error {
    package let gate: SourceGate
}

extension SourceGate.Reason {
    /// Whether the line has to change: the origin was not reached.
    package var isOfLine: Bool { self == .offline || self == .portal }
}

extension SourceGate {
    /// Whether the gate still applies at `now`. A gate that closes for longer than any allowed `Retry-After` was set before
    /// the clock was set back, and is ignored.
    package func isBelieved(at now: Timestamp) -> Bool { until.map { $0 <= now + RetryRules.longestWait } ?? true }
}

extension [SourceGate] {
    /// The gate that keeps requests from `source` now; nil also where it lets a probe through.
    package func closed(_ source: String, at now: Timestamp) -> SourceGate? {
        first { $0.source == source && $0.isBelieved(at: now) && $0.until.map { $0 > now } ?? true }
    }

    /// The gate that stops syncs of `source` now because the origin sent `Retry-After` or a rate limit is exhausted.
    func closing(_ source: String, at now: Timestamp) -> SourceGate? {
        closed(source, at: now).flatMap { $0.reason == .retryAfter && $0.until != nil ? $0 : nil }
    }
}
