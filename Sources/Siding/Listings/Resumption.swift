package import SidingChain

/// How long an unfinished listing or fan-out pass may be resumed; the one rule for stores and plans.
package enum Resumption {
    /// Whether the last progress is recent enough.
    ///
    /// - Parameter limit: `resume_within` of the resource.
    package static func isTimely(_ progress: Timestamp, within limit: Duration, now: Timestamp) -> Bool {
        progress >= now + (.zero - limit)
    }

    /// Whether to resume: no new start was requested, and the last progress is recent enough.
    ///
    /// - Parameter progress: the time of the last progress; nil if unknown.
    package static func goesOn(
        _ progress: Timestamp?, startsAnew: Bool, within limit: Duration, now: Timestamp
    ) -> Bool {
        !startsAnew && progress.map { isTimely($0, within: limit, now: now) } ?? true
    }

    /// Why a checkpoint was not resumed.
    package static func tooOld(_ limit: Duration) -> String { "its checkpoint is older than \(words(limit))" }

    /// Why a fan-out pass was not resumed.
    package static func passTooOld(_ limit: Duration) -> String { "its pass is older than \(words(limit))" }

    private static func words(_ limit: Duration) -> String {
        let seconds = limit.components.seconds
        let (count, unit) =
            seconds % 3600 == 0 ? (seconds / 3600, "h") : seconds % 60 == 0 ? (seconds / 60, "min") : (seconds, "s")
        return "\(count) \(unit)"
    }
}
