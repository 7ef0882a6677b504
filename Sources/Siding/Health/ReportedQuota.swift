internal import HTTPTypes
internal import SidingChain

/// The remaining quota that an origin reported, and when it is reset.
struct ReportedQuota: Sendable, Hashable {
    /// The wait for a new quota if neither the origin nor the rate gives one.
    private static let unspecifiedWait = Duration.seconds(60)

    var remaining: Int
    var resetAt: Timestamp
}

extension ReportedQuota {
    /// Nil if `fields` contain no remaining quota.
    init?(_ fields: HTTPFields, of limit: RateLimit, now: Timestamp) {
        guard let name = limit.remaining, let text = fields[name], let left = Int(text.trimmingPrefix { $0 == " " })
        else { return nil }
        let reset = limit.reset.flatMap { fields[$0] }.flatMap { LimitReset.moment($0, now: now) }
        let resetAt = reset ?? now + (limit.rate?.window ?? Self.unspecifiedWait)
        self.init(remaining: max(left, 0), resetAt: min(resetAt, now + RetryAfter.longest))
    }
}
