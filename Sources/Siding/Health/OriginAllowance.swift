internal import HTTPTypes
internal import SidingChain

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
