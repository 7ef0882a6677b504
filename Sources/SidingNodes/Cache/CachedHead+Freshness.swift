// SPDX-License-Identifier: Apache-2.0
package import SidingChain

extension CachedHead {
    /// The age at `now`, seconds since 1970 (RFC 9111 §4.2.3). A clock that was set back does not reduce it.
    package func age(now: Double) -> Duration {
        initialAge + CacheAge.duration(now - storedAt)
    }

    /// How long the response is fresh; nil if the origin does not specify it.
    package var freshnessLifetime: Duration? { AnswerFreshness.lifetime(headerFields, arrived: storedAt) }

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
