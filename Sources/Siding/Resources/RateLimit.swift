public import HTTPTypes
public import SidingChain

/// A limit on the requests to a source: one entry of `limits:`.
///
/// A request counts against every limit whose pattern it matches, and is sent once all of them have room. The count is durable
/// and shared by all processes that use the store.
public struct RateLimit: Sendable, Hashable {
    /// Which requests it applies to, by their path below the source's base URL.
    public let match: PathPattern
    /// Nil if only the origin limits the rate.
    public let rate: RequestRate?
    /// The response header that reports the remaining quota.
    public let remaining: HTTPField.Name?
    /// The response header that reports when the quota is reset; see ``LimitReset``.
    public let reset: HTTPField.Name?

    /// - Throws: ``/SidingChain/Failure/Reason/invalidRequest`` if it limits nothing; the detail says why.
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

    /// Parses a limit from text: `try RateLimit("/search/**", "30/m")`.
    ///
    /// - Throws: ``/SidingChain/Failure/Reason/invalidRequest`` if the pattern or the rate is invalid.
    public init(
        _ match: String, _ rate: String, remaining: HTTPField.Name? = nil, reset: HTTPField.Name? = nil
    ) throws(Failure) {
        guard let parsed = RequestRate(rate) else {
            throw Failure(.invalidRequest, phase: .notSent, detail: "'\(rate)' is no rate such as 30/m")
        }
        try self.init(PathPattern(match), rate: parsed, remaining: remaining, reset: reset)
    }

    /// How long an answered request counts; zero if only the origin limits the rate.
    var window: Duration { rate?.window ?? .zero }

    /// Whether both limits share one stored count, so that only the smaller rate would apply.
    public func countsAs(_ other: RateLimit) -> Bool {
        match.description == other.match.description && window == other.window
    }
}
