import Siding
import SidingJSON

/// Budgets that are in use, as `siding status` shows them.
extension Overview {
    static func object(_ budget: BudgetReport) -> JSONObject {
        var object = JSONObject()
        object.string("source", budget.source)
        object.string("match", budget.match)
        object.int("used", budget.used)
        object.optional("of", budget.rate?.count)
        object.optional("rate", budget.rate?.description)
        object.optional("origin_remaining", budget.remaining)
        object.optional("origin_reset_at", budget.resetAt)
        object.optional("free_at", budget.freeAt)
        return object
    }

    /// `limit of tracker '/search/**': 30 of 30/m used, full for another 42 s`
    static func line(_ budget: BudgetReport, now: Timestamp) -> String {
        var parts = [budget.rate.map { "\(budget.used) of \($0) used" } ?? "\(budget.used) used"]
        if let remaining = budget.remaining, let resetAt = budget.resetAt {
            parts.append(
                "the origin has \(remaining) left for another \(Words.duration(resetAt - now))")
        }
        if let freeAt = budget.freeAt { parts.append("full for another \(Words.duration(freeAt - now))") }
        return
            "limit of \(budget.source) '\(PlainText.oneLine(budget.match, limit: 100))': \(parts.joined(separator: ", "))"
    }
}
