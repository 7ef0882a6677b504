public import SidingChain

/// Whether a request may go out.
enum ReservationAnswer: Sendable, Hashable {
    /// It may; its reservation under each limit, in their order.
    case reserved([Timestamp])
    /// It may not before `until`, and perhaps not then; `limit` is the one that has room last.
    case exhausted(limit: RateLimit, until: Timestamp, because: RateLimitExhaustion)
}

/// Why a limit has no room.
public enum RateLimitExhaustion: Sendable, Hashable, CaseIterable {
    /// As many requests went out as its rate allows.
    case rate
    /// The origin reported that nothing is left.
    case reported
    /// The requests under way may use all that the origin has left: the next answer reports it.
    case underWay
    /// Requests that ended without a report may have used all that the origin had left.
    case unknownOutcomes
}

/// How a request with a reservation ended.
struct RequestUsage: Sendable, Hashable {
    enum QuotaReport: Sendable, Hashable {
        /// It was not sent.
        case unsent
        /// It was answered, with a reported quota or without.
        case answered(ReportedQuota?)
    }

    var reservation: Timestamp
    /// The one that it was reserved with.
    var timeout: Duration
    var source: String
    var limit: RateLimit
    var outcome: QuotaReport
}

/// The state of one rate limit.
public struct RateLimitReport: Sendable, Hashable {
    public var source: String
    /// The pattern of the limit.
    public var match: String
    /// Nil where only the origin counts.
    public var rate: RequestRate?
    /// How many requests count right now.
    public var used: Int
    /// How many requests the origin has left, and until when that holds.
    public var remaining: Int?
    public var resetAt: Timestamp?
    /// When an exhausted limit has room again. Nil where it has room, or only waits for requests under way.
    public var freeAt: Timestamp?
    /// Why the limit is exhausted; nil where it has room.
    public var exhaustion: RateLimitExhaustion?
}
