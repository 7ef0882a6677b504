package import SidingChain

/// Until when an unfinished listing, or a round of listings, goes on where it stopped: one rule for stores and plans.
package enum Resumption {
    /// Whether what was last carried on at `progress` goes on.
    ///
    /// - Parameter limit: `resume_within` of the resource.
    package static func isTimely(_ progress: Timestamp, within limit: Duration, now: Timestamp) -> Bool {
        progress >= now + (.zero - limit)
    }

    /// Whether what is open goes on: nothing asks to begin anew, and it is timely.
    ///
    /// - Parameter progress: when it was last carried on; nil where that is not known.
    package static func goesOn(
        _ progress: Timestamp?, startsAnew: Bool, within limit: Duration, now: Timestamp
    ) -> Bool {
        !startsAnew && progress.map { isTimely($0, within: limit, now: now) } ?? true
    }

    /// Why a checkpoint is not gone on with.
    package static func tooOld(_ limit: Duration) -> String { "its checkpoint is older than \(words(limit))" }

    /// Why a round is not gone on with.
    package static func roundTooOld(_ limit: Duration) -> String { "its round is older than \(words(limit))" }

    private static func words(_ limit: Duration) -> String {
        let seconds = limit.components.seconds
        let (count, unit) =
            seconds % 3600 == 0 ? (seconds / 3600, "h") : seconds % 60 == 0 ? (seconds / 60, "min") : (seconds, "s")
        return "\(count) \(unit)"
    }
}
