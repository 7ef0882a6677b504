import Siding
import SidingChain
import SidingJSON

/// Rate limits in use, as `siding status` shows them.
extension Overview {
    static func object(_ limit: RateLimitReport) -> JSONObject {
        return [
            "source": limit.source, "match": limit.match, "used": limit.used, "of": limit.rate?.count,
            "rate": limit.rate?.description, "origin_remaining": limit.remaining, "origin_reset_at": limit.resetAt,
            "free_at": limit.freeAt,
        ]
    }

    /// `limit of tracker '/search/**': 30 of 30/m used, full for another 42 s`
    static func line(_ limit: RateLimitReport, now: Timestamp) -> String {
        var parts = [limit.rate.map { "\(limit.used) of \($0) used" } ?? "\(limit.used) used"]
        if let remaining = limit.remaining, let resetAt = limit.resetAt {
            parts.append(
                "the origin has \(remaining) left for another \(MessageFormat.duration(resetAt - now))")
        }
        if let freeAt = limit.freeAt { parts.append("full for another \(MessageFormat.duration(freeAt - now))") }
        return
            "limit of \(limit.source) '\(PlainText.oneLine(limit.match, limit: 100))': \(parts.joined(separator: ", "))"
    }
}
