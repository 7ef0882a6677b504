// SPDX-License-Identifier: Apache-2.0
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
