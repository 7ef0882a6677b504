package import SidingChain

/// A closed gate: until when no requests go to a source, and why.
package struct SourceGate: Sendable, Hashable {
    package enum Reason: String, Sendable, Codable, CaseIterable {
        case offline
        case retryAfter = "retry_after"
        /// Too many attempts failed, in a row or lately.
        case breaker
        case signIn = "sign_in"
    }

    package var source: String
    package var reason: Reason
    /// Nil if it stays closed until something changes, as for `signIn`.
    package var until: Timestamp?
    package var note: String

    package init(source: String, reason: Reason, until: Timestamp?, note: String) {
        (self.source, self.reason, self.until, self.note) = (source, reason, until, note)
    }
}

extension SourceGate {
    /// Whether the gate still applies at `now`. A gate that closes for longer than any allowed `Retry-After` was set before
    /// the clock was set back, and is ignored.
    package func isBelieved(at now: Timestamp) -> Bool { until.map { $0 <= now + RetryAfter.longest } ?? true }
}

extension [SourceGate] {
    /// The gate that stops syncs of `source` now because the origin sent `Retry-After` or a rate limit is exhausted.
    func closing(_ source: String, at now: Timestamp) -> SourceGate? {
        first { gate in
            gate.source == source && gate.reason == .retryAfter && gate.isBelieved(at: now)
                && gate.until.map { $0 > now } ?? false
        }
    }
}
