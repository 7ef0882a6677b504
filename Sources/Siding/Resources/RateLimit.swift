public import HTTPTypes
public import SidingChain

/// How many requests a source takes: one entry of `limits:`.
///
/// Every limit whose pattern fits a request counts it; a request goes out once all of them have room. The count is durable and
/// shared by all processes on the store.
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
