public import HTTPTypes

/// What an answer's own fields say of how soon asking again is pointless.
public enum AnswerFreshness {
    /// The most that is believed: a day.
    public static let longest = Duration.seconds(86_400)

    /// For how long from now on the answer stays fresh to a private cache (RFC 9111 §4.2): `max-age`, else `Expires` less
    /// `Date`, less its age; nil where that is over, was not said, or is forbidden to rely on (`no-cache`, `no-store`).
    ///
    /// - Parameter now: when it arrived, seconds since 1970.
    public static func remaining(_ fields: HTTPFields, now: Double) -> Duration? {
        let control = CacheControl(fields)
        guard !control.forbidsStoring, !control.demandsValidation, let lifetime = lifetime(fields, control, now: now)
        else { return nil }
        let remaining = lifetime - CacheAge.initial(fields, sent: now, received: now)
        return remaining > .zero ? min(remaining, longest) : nil
    }

    /// For how long the origin asks not to be polled: `X-Poll-Interval`, in seconds; nil where it does not.
    public static func pollInterval(_ fields: HTTPFields) -> Duration? {
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
