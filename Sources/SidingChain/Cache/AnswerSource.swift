/// Where an answer comes from.
public enum AnswerSource: Sendable, Hashable {
    /// The origin gave it for this call.
    case server
    /// It was stored: `age` is how old it is (RFC 9111 §4.2.3), `storedAt` when the origin last gave or confirmed it, in
    /// seconds since 1970 UTC, and `isFresh` whether the origin said that it would still hold now.
    case cache(age: Duration, storedAt: Double, isFresh: Bool)

    /// Whether the answer was stored and the origin calls it fresh.
    public var isFresh: Bool {
        if case .cache(_, _, let isFresh) = self { isFresh } else { false }
    }
}

extension Failure {
    /// Whether a stored answer may stand in for the origin's: true where the origin could not be had, false where it spoke
    /// (or we would not let it), and its word must be seen. This file is the one table of it.
    ///
    /// The switch has no `default` on purpose: a new ``Reason`` does not compile until someone decides here.
    public var allowsCachedAnswer: Bool {
        switch reason {
        case .noInternetConnection, .captivePortal, .waitingForOrigin,
            .timeout, .cantConnectToHost, .temporaryDNS, .hostNotFound, .tlsUntrusted, .tlsHandshake, .proxyUnreachable,
            .proxyFault, .localResource, .connectionLost, .notProcessed, .protocolViolation, .truncated, .system:
            true
        case .http(let answer):
            answer.allowsCachedAnswer
        // 407 asks a person for credentials, as a 401 does.
        case .proxyAuthentication, .credentialUnavailable,
            .badContent, .tooLarge, .redirectRefused, .contract, .invalidRequest, .notCached, .cancelled,
            .internalFault, .userCode, .storage:
            false
        }
    }
}

extension HTTPFailure {
    /// The origin is in trouble or asks for patience; every other status is its answer.
    fileprivate var allowsCachedAnswer: Bool {
        switch statusClass {
        case .requestTimeout, .tooEarly, .backOff, .serverError, .insufficientStorage, .notImplemented, .portal,
            .unexpected:
            true
        case .unauthorized, .conflict, .gone, .refused:
            false
        }
    }
}
