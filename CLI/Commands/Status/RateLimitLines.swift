import Siding
import SidingChain
import SidingJSON

/// Rate limits in use, as `siding status` shows them.
extension Overview {
    static func object(_ limit: RateLimitReport) -> JSONObject {
        var object = JSONObject()
        object.string("source", limit.source)
        object.string("match", limit.match)
        object.int("used", limit.used)
        object.optional("of", limit.rate?.count)
        object.optional("rate", limit.rate?.description)
        object.optional("origin_remaining", limit.remaining)
        object.optional("origin_reset_at", limit.resetAt)
        object.optional("free_at", limit.freeAt)
        return object
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
