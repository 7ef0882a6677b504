internal import FoundationEssentials
internal import HTTPTypes

/// Reads how long an origin asks to be left alone: `Retry-After` in seconds or as a date (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// The most that is believed: 24 hours.
    public static let longest = Duration.seconds(86_400)

    /// The wait that `value` asks for, at least zero and at most ``longest``; nil where it says nothing usable.
    ///
    /// - Parameters:
    ///   - value: the field's value.
    ///   - now: seconds since 1970, against which a date is measured. Fractions round up.
    public static func wait(_ value: String, now: Double) -> Duration? {
        let text = value.trimmingPrefix { $0 == " " }
        if !text.isEmpty, text.allSatisfy(\.isASCIIDigit) {
            guard let seconds = Int64(text) else { return longest }
            return min(.seconds(seconds), longest)
        }
        guard let date = HTTPDate.secondsSince1970(String(text)) else { return nil }
        return min(max(.seconds(Int64((date - now).rounded(.up))), .zero), longest)
    }
}

extension HTTPFailure {
    /// The wait that the origin asked for, by `Retry-After`.
    public func retryAfter(now: Double) -> Duration? {
        headerFields[.retryAfter].flatMap { RetryAfter.wait($0, now: now) }
    }
}

extension Character {
    var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
