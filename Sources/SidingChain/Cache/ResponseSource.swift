/// The source of a response.
public enum ResponseSource: Sendable, Hashable {
    /// The origin sent it for this call.
    case server
    /// It was stored: `age` is its age (RFC 9111 §4.2.3), `storedAt` the time when the origin last sent or confirmed it, in
    /// seconds since 1970 UTC, and `isFresh` whether it is still fresh according to the origin.
    case cache(age: Duration, storedAt: Double, isFresh: Bool)

    /// Whether the response was stored and is still fresh.
    public var isFresh: Bool {
        if case .cache(_, _, let isFresh) = self { isFresh } else { false }
    }
}

extension Failure {
    /// Whether a stored response may replace the origin's: true if the origin could not be reached, false if it answered (or
    /// the request was not allowed), so that the caller must see the failure. This switch is the only table for it.
    ///
    /// It has no `default` on purpose: a new ``Reason`` does not compile until someone decides here.
    package var allowsCachedAnswer: Bool {
        switch reason {
        case .noInternetConnection, .captivePortal, .waitingForOrigin,
            .timeout, .cantConnectToHost, .temporaryDNS, .hostNotFound, .tlsUntrusted, .tlsHandshake, .proxyUnreachable,
            .proxyFault, .localResource, .connectionLost, .notProcessed, .protocolViolation, .truncated, .system:
            true
        case .http(let answer):
            answer.allowsCachedAnswer
        // Like a 401, a 407 asks the user for credentials.
        case .proxyAuthentication, .credentialUnavailable,
            .badContent, .tooLarge, .redirectRefused, .contract, .invalidRequest, .notCached, .cancelled,
            .internalFault, .userCode, .storage:
            false
        }
    }
}

extension HTTPFailure {
    /// True if the origin has a problem or asks to wait; every other status is a proper response.
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
