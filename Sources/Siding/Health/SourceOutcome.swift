internal import HTTPTypes
public import SidingChain

/// What a request taught about its source; shared by all processes.
public enum SourceOutcome: Sendable, Hashable {
    /// It answers: an outage is over.
    case answers
    /// A try failed; `isTimeout` costs more of the retry budget, as it cost more time.
    case failed(isTimeout: Bool)
    /// There is no way out.
    case offline(note: String)
    /// It asks for patience until then.
    case patience(until: Timestamp, note: String)
    /// It wants a sign-in.
    case signIn(note: String)
    /// Nothing.
    case nothing

    /// What a failed request taught, a fetch as much as a write.
    public init(_ failure: Failure, now: Timestamp) {
        switch failure.reason {
        case .noInternetConnection, .captivePortal: self = .offline(note: failure.description)
        case .timeout: self = .failed(isTimeout: true)
        case .cantConnectToHost, .temporaryDNS, .hostNotFound, .connectionLost, .tlsHandshake, .tlsUntrusted,
            .proxyUnreachable, .proxyFault, .notProcessed, .protocolViolation:
            self = .failed(isTimeout: false)
        case .proxyAuthentication: self = .signIn(note: failure.description)
        case .http where failure.underlying is CredentialRefusal: self = .signIn(note: failure.description)
        case .http(let answer): self.init(answer, of: failure, now: now)
        case .waitingForOrigin:
            guard let spent = failure.underlying as? BudgetSpent, spent.closesSource(now: now) else {
                self = .nothing
                return
            }
            self = .patience(until: Timestamp(secondsSince1970: spent.until), note: spent.description)
        default: self = .nothing
        }
    }

    private init(_ answer: HTTPFailure, of failure: Failure, now: Timestamp) {
        switch answer.statusClass {
        case .unauthorized: self = .signIn(note: failure.description)
        case .backOff: self = .patience(until: now + answer.patience(now: now), note: failure.description)
        case .portal: self = .offline(note: failure.description)
        case .serverError, .requestTimeout, .insufficientStorage: self = .failed(isTimeout: false)
        // The origin is well and said no.
        case .conflict, .gone, .refused, .notImplemented, .tooEarly, .unexpected: self = .answers
        }
    }
}

extension BudgetSpent {
    /// Whether the source is left alone until there is room. A limit of some requests holds back none of the others, and
    /// where there is room soon a sync or a sender waits for it.
    func closesSource(now: Timestamp) -> Bool {
        isOfAll && Timestamp(secondsSince1970: until) - now > BudgetUse.longestPatience
    }
}

extension Failure {
    /// How long the origin asked to be left alone; at most a day, whatever it said; or until its limits have room. Nil where
    /// it is neither.
    func patience(now: Timestamp) -> Duration? {
        if reason == .waitingForOrigin, let spent = underlying as? BudgetSpent {
            return max(Timestamp(secondsSince1970: spent.until) - now, .zero)
        }
        guard case .http(let answer) = reason, answer.statusClass == .backOff else { return nil }
        return answer.patience(now: now)
    }
}

extension HTTPFailure {
    /// The wait where an origin asks for patience without saying how much.
    static let unspecifiedPatience = Duration.seconds(60)
    /// An origin that asks for patience and says "now" would be asked without end.
    private static let leastPatience = Duration.seconds(1)

    func patience(now: Timestamp) -> Duration {
        max(retryAfter(now: now.secondsSince1970) ?? Self.unspecifiedPatience, Self.leastPatience)
    }
}
