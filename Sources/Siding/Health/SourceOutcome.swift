// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain

/// What one request showed about the health of its source; shared by all processes.
package enum SourceOutcome: Sendable, Hashable {
    /// It answered: an outage is over.
    case answers
    /// It accepted a write: an outage is over, and so is a row of refusals.
    case accepted
    /// It refused a write in a way that others may meet too; see ``SidingChain/HTTPFailure/refusal(isOfWrite:)``.
    ///
    /// `mayBeOfOne`: the refusal may as well concern the one record, so that the waits for others do not grow.
    case refused(String, mayBeOfOne: Bool = false)
    /// An attempt failed.
    case failed
    case offline(note: String)
    /// A network portal answered in its place.
    case portal(note: String)
    /// It asked not to be called before `until`. The wait grows at least as `backoff`; nil for a limit of our own.
    case retryAfter(until: Timestamp, note: String, backoff: Backoff? = nil)
    case signIn(note: String)
    /// The failure says nothing about the source.
    case nothing

    /// Whether the origin answered as one that works.
    var isAnswer: Bool {
        switch self {
        case .answers, .accepted, .refused: true
        case .failed, .offline, .portal, .retryAfter, .signIn, .nothing: false
        }
    }

    /// The outcome of a failed request, fetch or write.
    ///
    /// - Parameter backoff: how the wait grows while the origin asks to wait again and again.
    package init(_ failure: Failure, backoff: Backoff? = nil, now: Timestamp) {
        switch failure.reason {
        case .noInternetConnection: self = .offline(note: failure.description)
        case .captivePortal: self = .portal(note: failure.description)
        case .timeout, .cantConnectToHost, .temporaryDNS, .hostNotFound, .connectionLost, .tlsHandshake, .tlsUntrusted,
            .proxyUnreachable, .proxyFault, .notProcessed, .protocolViolation,
            // The gate spares a program that prints the token from being started for every write.
            .credentialUnavailable:
            self = .failed
        case .proxyAuthentication: self = .signIn(note: failure.description)
        case .http where failure.underlying is CredentialRefusal: self = .signIn(note: failure.description)
        case .http(let answer): self.init(answer, of: failure, backoff, now: now)
        case .waitingForOrigin:
            guard let spent = failure.underlying as? BudgetSpent, spent.closesSource(now: now) else {
                self = .nothing
                return
            }
            self = .retryAfter(until: Timestamp(secondsSince1970: spent.until), note: spent.description)
        default: self = .nothing
        }
    }

    private init(_ answer: HTTPFailure, of failure: Failure, _ backoff: Backoff?, now: Timestamp) {
        switch answer.statusClass {
        case .unauthorized: self = .signIn(note: failure.description)
        case _ where answer.asksToWait:
            self = .retryAfter(
                until: now + answer.retryDelay(now: now), note: failure.description, backoff: backoff)
        case .portal: self = .portal(note: failure.description)
        // If all are refused so, the fifth closes the gate.
        case .refused where answer.speaksOfLimit: self = .failed
        case .backOff, .serverError, .requestTimeout, .insufficientStorage: self = .failed
        // The origin works and refused the request.
        case .conflict, .gone, .refused, .notImplemented, .tooEarly, .unexpected: self = .answers
        }
    }
}

extension BudgetSpent {
    /// Whether the gate of the whole source is closed. A limit on some requests does not affect the others, and a short wait
    /// is spent by the sync or sender itself.
    func closesSource(now: Timestamp) -> Bool {
        isOfAll && Timestamp(secondsSince1970: until) - now > RetryRules.rateLimitWait
    }
}

extension Failure {
    /// How long the origin asked to be left alone, at most a day, or until its rate limits allow a request; zero if only the run
    /// may carry no more; nil if nothing of that applies.
    func retryDelay(now: Timestamp) -> Duration? {
        if underlying is TrafficSpent { return .zero }
        if reason == .waitingForOrigin, let spent = underlying as? BudgetSpent {
            return max(Timestamp(secondsSince1970: spent.until) - now, .zero)
        }
        guard case .http(let answer) = reason, answer.asksToWait else { return nil }
        return answer.retryDelay(now: now)
    }
}

extension HTTPFailure {
    func retryDelay(now: Timestamp) -> Duration {
        max(retryAfter(now: now.secondsSince1970) ?? RetryRules.unspecifiedWait, RetryRules.leastWait)
    }
}
