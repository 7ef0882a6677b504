internal import HTTPTypes
public import SidingChain

/// What a request taught about its source; shared by all processes.
public enum SourceLesson: Sendable, Hashable {
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
        case .http(let answer): self.init(answer, of: failure, now: now)
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

extension Failure {
    /// How long the origin asked to be left alone; at most a day, whatever it said. Nil where it did not ask.
    func patience(now: Timestamp) -> Duration? {
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
