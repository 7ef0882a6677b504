// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

/// Computes the age of responses.
package enum CacheAge {
    /// `seconds` as a duration between zero and 2³¹ s, since clocks and origins may be arbitrarily wrong.
    package static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds > 0 ? min(seconds, DeltaSeconds.longest) : 0)
    }

    /// The age of a response with these fields when it arrived (RFC 9111 §4.2.3).
    ///
    /// - Parameters:
    ///   - sent: when the request was sent, seconds since 1970.
    ///   - received: when the head of the response arrived.
    package static func initial(_ fields: HTTPFields, sent: Double, received: Double) -> Duration {
        let apparent = fields[.date].flatMap(HTTPDate.secondsSince1970).map { received - $0 } ?? 0
        let corrected = (fields[.age].flatMap { DeltaSeconds.parse($0) } ?? 0) + max(received - sent, 0)
        return duration(max(apparent, corrected))
    }
}

/// When a response's own fields allow or ask for the next request.
package enum AnswerFreshness {
    /// The longest accepted time: a day.
    package static let longest = Duration.seconds(86_400)

    /// How long the response remains fresh to a private cache (RFC 9111 §4.2): `max-age`, else `Expires` minus `Date`, minus
    /// its age. Nil if it is stale, unspecified, or must not be used (`no-cache`, `no-store`).
    ///
    /// - Parameter now: the time of arrival, seconds since 1970.
    package static func remaining(_ fields: HTTPFields, now: Double) -> Duration? {
        let control = CacheControl(fields)
        guard !control.forbidsStoring, !control.demandsValidation, let lifetime = lifetime(fields, arrived: now)
        else { return nil }
        let remaining = lifetime - CacheAge.initial(fields, sent: now, received: now)
        return remaining > .zero ? min(remaining, longest) : nil
    }

    /// How long the origin asks not to be polled: `X-Poll-Interval`, in seconds; nil if it does not.
    package static func pollInterval(_ fields: HTTPFields) -> Duration? {
        guard let name = HTTPField.Name("X-Poll-Interval"), let text = fields[name],
            text.allSatisfy({ $0.isASCIIDigit || $0 == " " }), let seconds = DeltaSeconds.parse(text), seconds > 0
        else { return nil }
        return min(.seconds(seconds), longest)
    }

    /// How long a response is fresh: `max-age`, else `Expires` minus `Date` (§4.2.1); nil if the origin does not specify it.
    /// There is no heuristic.
    ///
    /// - Parameter arrival: stands for a `Date` that is missing, seconds since 1970.
    package static func lifetime(_ fields: HTTPFields, arrived arrival: Double) -> Duration? {
        if let maxAge = CacheControl(fields).maxAge { return CacheAge.duration(maxAge) }
        guard let expires = fields[.expires] else { return nil }
        // "0" and other invalid dates mean that it has expired (§5.3).
        guard let end = HTTPDate.secondsSince1970(expires) else { return .zero }
        return CacheAge.duration(end - (fields[.date].flatMap(HTTPDate.secondsSince1970) ?? arrival))
    }
}

/// The `Cache-Control` directives for a private cache (RFC 9111 §5.2).
package struct CacheControl {
    /// `no-store`: nothing of the response may be stored.
    package var forbidsStoring = false
    /// `no-cache`: the response may not be reused without asking the origin.
    package var demandsValidation = false
    /// How long the response is fresh, in seconds; 0 if the value is invalid (§4.2.1).
    package var maxAge: Double?

    /// Parses the directives of a request or response; unknown ones are ignored.
    ///
    /// `s-maxage`, `public` and `proxy-revalidate` concern shared caches; `private` allows this one.
    package init(_ fields: HTTPFields) {
        for directive in Self.directives(fields[values: .cacheControl].joined(separator: ",")) {
            switch directive.name {
            case "no-store": forbidsStoring = true
            case "no-cache": demandsValidation = true
            // The first of several counts; §4.2.1 leaves the choice open.
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

    /// The text between commas outside quoted strings.
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
    /// The largest accepted value: 2³¹ seconds.
    static let longest = 2_147_483_648.0

    /// The seconds at the start of `text`, at most ``longest``; nil if there is no digit.
    static func parse(_ text: some StringProtocol) -> Double? {
        let digits = text.drop { $0 == " " }.prefix { $0.isASCIIDigit }
        guard !digits.isEmpty else { return nil }
        return min(Double(String(digits)) ?? longest, longest)
    }
}
