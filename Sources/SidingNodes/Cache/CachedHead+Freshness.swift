internal import HTTPTypes
package import SidingChain

extension CachedHead {
    /// The age at `now`, seconds since 1970 (RFC 9111 §4.2.3). A clock that was set back does not reduce it.
    package func age(now: Double) -> Duration {
        initialAge + CacheAge.duration(now - storedAt)
    }

    /// How long the response is fresh: `max-age`, else `Expires` minus `Date` (§4.2.1); nil if the origin does not specify it.
    /// There is no heuristic.
    package var freshnessLifetime: Duration? {
        if let maxAge = CacheControl(headerFields).maxAge { return CacheAge.duration(maxAge) }
        guard let expires = headerFields[.expires] else { return nil }
        // "0" and other invalid dates mean that it has expired (§5.3).
        guard let end = HTTPDate.secondsSince1970(expires) else { return .zero }
        let date = headerFields[.date].flatMap(HTTPDate.secondsSince1970) ?? storedAt
        return CacheAge.duration(end - date)
    }

    /// Whether the response is still fresh at `now`. Never with `no-cache`, nor if the clock is before the time of storing,
    /// when the age cannot be known.
    package func isFresh(now: Double) -> Bool {
        guard let lifetime = freshnessLifetime, now >= storedAt else { return false }
        return !CacheControl(headerFields).demandsValidation && age(now: now) < lifetime
    }

    /// The response's source at `now`.
    func source(now: Double) -> ResponseSource {
        .cache(age: age(now: now), storedAt: storedAt, isFresh: isFresh(now: now))
    }
}
