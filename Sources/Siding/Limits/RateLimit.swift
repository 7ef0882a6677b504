public import HTTPTypes
public import SidingChain

/// How many requests a source takes: one entry of `limits:`.
///
/// Every limit whose pattern fits a request counts it; a request goes out once all of them have a place for it. The count is
/// durable and shared by all processes on the store.
public struct RateLimit: Sendable, Hashable {
    /// Which requests, by their path below the source's base URL.
    public let match: PathPattern
    /// Nil where only the origin says how many.
    public let rate: RequestRate?
    /// The header field of answers that says how many requests are left.
    public let remaining: HTTPField.Name?
    /// The header field of answers that says when the count begins anew; see ``LimitReset``.
    public let reset: HTTPField.Name?

    /// - Throws: ``/SidingChain/Failure/Reason/invalidRequest`` for a limit that limits nothing; its detail says why.
    public init(
        _ match: PathPattern, rate: RequestRate?, remaining: HTTPField.Name? = nil, reset: HTTPField.Name? = nil
    ) throws(Failure) {
        (self.match, self.rate, self.remaining, self.reset) = (match, rate, remaining, reset)
        if rate == nil, remaining == nil {
            throw Failure(.invalidRequest, phase: .notSent, detail: "it has neither a rate nor a remaining_header")
        }
        if reset != nil, remaining == nil {
            throw Failure(.invalidRequest, phase: .notSent, detail: "it has a reset_header and no remaining_header")
        }
    }

    /// A limit as a program writes it: `try RateLimit("/search/**", "30/m")`.
    ///
    /// - Throws: ``/SidingChain/Failure/Reason/invalidRequest`` where pattern or rate are none.
    public init(
        _ match: String, _ rate: String, remaining: HTTPField.Name? = nil, reset: HTTPField.Name? = nil
    ) throws(Failure) {
        guard let parsed = RequestRate(rate) else {
            throw Failure(.invalidRequest, phase: .notSent, detail: "'\(rate)' is no rate such as 30/m")
        }
        try self.init(PathPattern(match), rate: parsed, remaining: remaining, reset: reset)
    }

    /// How long a request that was answered counts; none where only the origin counts.
    var window: Duration { rate?.window ?? .zero }

    /// Two limits with one count would be one limit with the smaller rate.
    public func countsAs(_ other: RateLimit) -> Bool {
        match.description == other.match.description && window == other.window
    }
}

/// What an origin says is left, until when.
struct OriginAllowance: Sendable, Hashable {
    /// An origin that says nothing of the end is asked again after this, where the limit has no rate of its own.
    private static let unspecifiedWait = Duration.seconds(60)

    var remaining: Int
    var until: Timestamp

    /// Nil where `fields` do not say it.
    init?(_ fields: HTTPFields, of limit: RateLimit, now: Timestamp) {
        guard let name = limit.remaining, let text = fields[name], let left = Int(text.trimmingPrefix { $0 == " " })
        else { return nil }
        remaining = max(left, 0)
        until =
            limit.reset.flatMap { fields[$0] }.flatMap { LimitReset.moment($0, now: now) }
            ?? now + (limit.rate?.window ?? Self.unspecifiedWait)
        until = min(until, now + RetryAfter.longest)
    }
}

/// Reads when an origin's count begins anew.
///
/// A number is what its size makes likely: below 1,000,000,000 seconds from now, below 100,000,000,000 seconds since 1970,
/// else milliseconds since 1970. Dates are those of HTTP (RFC 9110 §5.6.7) or RFC 3339.
public enum LimitReset {
    /// An origin that says "now" would be asked without end.
    private static let soonest = Duration.seconds(1)

    /// At least a second and at most a day from `now`; nil for what says nothing usable.
    public static func moment(_ value: String, now: Timestamp) -> Timestamp? {
        let text = String(value.trimmingPrefix { $0 == " " })
        guard let moment = number(text, now) ?? date(text) else { return nil }
        return min(max(moment, now + soonest), now + RetryAfter.longest)
    }

    private static func number(_ text: String, _ now: Timestamp) -> Timestamp? {
        guard text.utf8.first.map({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) ?? false,
            let number = Double(text), number.isFinite
        else { return nil }
        if number < 1e9 { return Timestamp(secondsSince1970: now.secondsSince1970 + number.rounded(.up)) }
        return Timestamp(secondsSince1970: number < 1e11 ? number.rounded(.up) : number / 1_000)
    }

    private static func date(_ text: String) -> Timestamp? {
        HTTPDate.secondsSince1970(text).map(Timestamp.init(secondsSince1970:)) ?? Timestamp(rfc3339: text)
    }
}
