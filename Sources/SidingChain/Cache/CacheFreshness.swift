internal import HTTPTypes

extension CachedHead {
    /// How old the answer is at `now`, seconds since 1970 (RFC 9111 §4.2.3); a clock that was set back makes it no younger.
    public func age(now: Double) -> Duration {
        initialAge + CacheAge.duration(now - storedAt)
    }

    /// How long the origin calls the answer fresh: `max-age`, else `Expires` less `Date` (§4.2.1); nil where it does not
    /// say. Nothing is guessed.
    public var freshnessLifetime: Duration? {
        if let maxAge = CacheControl(headerFields).maxAge { return CacheAge.duration(maxAge) }
        guard let expires = headerFields[.expires] else { return nil }
        // "0" and other dates that are none mean that it has expired (§5.3).
        guard let end = HTTPDate.secondsSince1970(expires) else { return .zero }
        let date = headerFields[.date].flatMap(HTTPDate.secondsSince1970) ?? storedAt
        return CacheAge.duration(end - date)
    }

    /// Whether the origin said that asking again is pointless at `now`. Never so after `no-cache`, nor when the clock
    /// stands before the answer was stored: its age cannot be known then.
    public func isFresh(now: Double) -> Bool {
        guard let lifetime = freshnessLifetime, now >= storedAt else { return false }
        return !CacheControl(headerFields).demandsValidation && age(now: now) < lifetime
    }

    /// The answer's source as a caller sees it at `now`.
    func source(now: Double) -> AnswerSource {
        .cache(age: age(now: now), storedAt: storedAt, isFresh: isFresh(now: now))
    }
}

/// The arithmetic of ages.
enum CacheAge {
    /// `seconds` as a duration: at least zero, at most 2³¹ s, since clocks and origins say anything.
    static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds > 0 ? min(seconds, DeltaSeconds.longest) : 0)
    }

    /// How old an answer with these fields was when it arrived (RFC 9111 §4.2.3).
    ///
    /// - Parameters:
    ///   - sent: when the request went out, seconds since 1970.
    ///   - received: when the answer's head arrived.
    static func initial(_ fields: HTTPFields, sent: Double, received: Double) -> Duration {
        let apparent = fields[.date].flatMap(HTTPDate.secondsSince1970).map { received - $0 } ?? 0
        let corrected = (fields[.age].flatMap { DeltaSeconds.parse($0) } ?? 0) + max(received - sent, 0)
        return duration(max(apparent, corrected))
    }
}
