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
    /// the request was not allowed), so that the caller must see the failure.
    package var allowsCachedAnswer: Bool {
        switch reason {
        case .badContent, .internalFault, .storage: false
        case .http(let answer): isRetryable || answer.statusClass == .notImplemented
        default: isRetryable
        }
    }
}
