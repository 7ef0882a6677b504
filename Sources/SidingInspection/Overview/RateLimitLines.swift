// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain
internal import SidingJSON

/// Rate limits in use, as `siding status` shows them.
extension Overview {
    package static func object(_ limit: RateLimitReport) -> JSONObject {
        return [
            "source": limit.source, "match": limit.match, "unit": (limit.rate?.unit ?? .requests).rawValue,
            "used": limit.used, "of": limit.rate?.count, "rate": limit.rate?.description,
            "origin_remaining": limit.remaining, "origin_reset_at": limit.resetAt, "free_at": limit.freeAt,
        ]
    }

    /// `limit of tracker '/search/**': 30 of 30/m used, full for another 42 s`, `limit of tracker '**': 1.4 MiB of 50MiB/d used`,
    /// `limit of tracker '**': the origin has 4,987 left for another 42 min`
    package static func line(_ limit: RateLimitReport, now: Timestamp) -> String {
        let used = limit.rate?.unit == .bytes ? MessageFormat.size(limit.used) : "\(limit.used)"
        // Without a rate of our own nothing is counted here.
        var parts = [limit.rate.map { "\(used) of \($0) used" }].compactMap(\.self)
        if let remaining = limit.remaining, let resetAt = limit.resetAt {
            parts.append(
                "the origin has \(MessageFormat.grouped(remaining)) left for another \(MessageFormat.duration(resetAt - now))"
            )
        }
        if parts.isEmpty { parts.append("\(used) under way") }
        if let freeAt = limit.freeAt { parts.append("full for another \(MessageFormat.duration(freeAt - now))") }
        return
            "limit of \(limit.source) '\(PlainText.oneLine(limit.match, limit: 100))': \(parts.joined(separator: ", "))"
    }
}
