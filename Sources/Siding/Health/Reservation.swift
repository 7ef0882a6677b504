// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain

/// The result of asking to send a request.
enum ReservationAnswer: Sendable, Hashable {
    /// It may be sent; one reservation per limit, in the order of the limits.
    case reserved([Timestamp])
    /// It may not be sent before `until`, and perhaps not then; `limit` is the one that frees up last.
    case exhausted(limit: RateLimit, until: Timestamp, because: RateLimitExhaustion)
}

/// Why a rate limit is exhausted.
package enum RateLimitExhaustion: Sendable, Hashable, CaseIterable {
    /// The rate's number of requests was sent, or of bytes carried.
    case rate
    /// The origin reported that no quota is left.
    case reported
    /// The requests in flight may use all of the remaining quota; the next answer will show it.
    case underWay
    /// Requests that ended without a report may have used all of the remaining quota.
    case unknownOutcomes
}

struct RequestUsage: Sendable, Hashable {
    enum QuotaReport: Sendable, Hashable {
        case unsent
        /// It was answered, with a reported quota or without.
        case answered(ReportedQuota?)
        /// An attempt carried this many bytes; it has no reservation under this limit.
        case bytes(Int)
    }

    var reservation: Timestamp
    var timeout: Duration
    var source: String
    var limit: RateLimit
    var outcome: QuotaReport
}

package struct RateLimitReport: Sendable, Hashable {
    package var source: String
    /// The pattern of the limit.
    package var match: String
    /// Nil if only the origin limits the rate.
    package var rate: RequestRate?
    /// The number of requests, or bytes, that count now.
    package var used: Int
    /// The remaining quota at the origin; valid until ``resetAt``.
    package var remaining: Int?
    package var resetAt: Timestamp?
    /// When an exhausted limit has room again; nil if it has room, or waits only for requests in flight.
    package var freeAt: Timestamp?
    /// Why the limit is exhausted; nil if it has room.
    package var exhaustion: RateLimitExhaustion?
}

/// The remaining quota that an origin reported, and when it is reset.
struct ReportedQuota: Sendable, Hashable {
    var remaining: Int
    var resetAt: Timestamp
}

extension ReportedQuota {
    /// Nil if `fields` contain no remaining quota.
    init?(_ fields: HTTPFields, of limit: RateLimit, now: Timestamp) {
        guard let left = limit.remaining.flatMap({ fields[$0] }).flatMap(Self.remaining) else { return nil }
        let reset = limit.reset.flatMap { fields[$0] }.flatMap { LimitReset.moment($0, now: now) }
        let resetAt = reset ?? now + (limit.rate?.window ?? RetryRules.unspecifiedWait)
        self.init(remaining: max(left, 0), resetAt: min(resetAt, now + RetryRules.longestWait))
    }

    /// The number in the text of the field; nil if it is not a number.
    static func remaining(_ text: String) -> Int? { Int(text.trimmingPrefix { $0 == " " }) }
}
