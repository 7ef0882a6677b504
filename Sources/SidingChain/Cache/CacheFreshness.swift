package import HTTPTypes

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

/// What an answer's own fields say of how soon asking again is pointless.
package enum AnswerFreshness {
    /// The most that is believed: a day.
    package static let longest = Duration.seconds(86_400)

    /// For how long from now on the answer stays fresh to a private cache (RFC 9111 §4.2): `max-age`, else `Expires` less
    /// `Date`, less its age; nil where that is over, was not said, or is forbidden to rely on (`no-cache`, `no-store`).
    ///
    /// - Parameter now: when it arrived, seconds since 1970.
    package static func remaining(_ fields: HTTPFields, now: Double) -> Duration? {
        let control = CacheControl(fields)
        guard !control.forbidsStoring, !control.demandsValidation, let lifetime = lifetime(fields, control, now: now)
        else { return nil }
        let remaining = lifetime - CacheAge.initial(fields, sent: now, received: now)
        return remaining > .zero ? min(remaining, longest) : nil
    }

    /// For how long the origin asks not to be polled: `X-Poll-Interval`, in seconds; nil where it does not.
    package static func pollInterval(_ fields: HTTPFields) -> Duration? {
        guard let name = HTTPField.Name("X-Poll-Interval"), let text = fields[name],
            text.allSatisfy({ $0.isASCIIDigit || $0 == " " }), let seconds = DeltaSeconds.parse(text), seconds > 0
        else { return nil }
        return min(.seconds(seconds), longest)
    }

    private static func lifetime(_ fields: HTTPFields, _ control: CacheControl, now: Double) -> Duration? {
        if let maxAge = control.maxAge { return CacheAge.duration(maxAge) }
        guard let end = fields[.expires].flatMap(HTTPDate.secondsSince1970) else { return nil }
        return CacheAge.duration(end - (fields[.date].flatMap(HTTPDate.secondsSince1970) ?? now))
    }
}

/// What `Cache-Control` asks of a private cache (RFC 9111 §5.2).
struct CacheControl {
    /// Nothing of the answer may be kept.
    var forbidsStoring = false
    /// The answer may not be given again before the origin was asked.
    var demandsValidation = false
    /// How long the answer is fresh, in seconds; 0 where the origin said it in a way that nobody can read (§4.2.1).
    var maxAge: Double?

    /// Reads the directives of a request or an answer; those that are not known say nothing.
    ///
    /// `s-maxage`, `public` and `proxy-revalidate` speak to shared caches, `private` allows this one.
    init(_ fields: HTTPFields) {
        for directive in Self.directives(fields[values: .cacheControl].joined(separator: ",")) {
            switch directive.name {
            case "no-store": forbidsStoring = true
            case "no-cache": demandsValidation = true
            // Of several the first counts, which §4.2.1 leaves to us.
            case "max-age": maxAge = maxAge ?? DeltaSeconds.parse(directive.value) ?? 0
            default: break
            }
        }
    }

    private struct Directive {
        var name: String
        var value: Substring
    }

    private static func directives(_ text: String) -> [Directive] {
        outsideQuotes(text).map { part in
            let name = part.prefix { $0 != "=" }
            let value = part.dropFirst(name.count + 1).drop { $0 == " " || $0 == "\"" }
            return Directive(name: name.filter { $0 != " " && $0 != "\t" }.lowercased(), value: value)
        }
    }

    /// The text between commas; a comma inside a quoted string separates nothing.
    private static func outsideQuotes(_ text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }
}

/// A number of seconds in a header field (RFC 9111 §1.2.2).
enum DeltaSeconds {
    /// The most that is believed: 2³¹ seconds.
    static let longest = 2_147_483_648.0

    /// The seconds at the beginning of `text`, at most ``longest``; nil where there is no digit.
    static func parse(_ text: some StringProtocol) -> Double? {
        let digits = text.drop { $0 == " " }.prefix { $0.isASCIIDigit }
        guard !digits.isEmpty else { return nil }
        return min(Double(String(digits)) ?? longest, longest)
    }
}
