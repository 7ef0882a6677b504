import Siding
import SidingChain

/// The failed syncs of a resource since its last success.
struct FailureStreak {
    /// When the first of them began.
    let since: Timestamp
    /// Why the newest one failed.
    let error: RecordedError
    /// Whether the queue has its next page, so that it goes on by itself.
    let isQueued: Bool

    /// Nil if the newest sync of the resource succeeded, or if there is none.
    ///
    /// - Parameter runs: newest first.
    init?(of resource: String, in runs: [Run]) {
        var found: (error: RecordedError, isQueued: Bool, since: Timestamp)?
        for run in runs {
            guard let line = run.resources.first(where: { $0.resource == resource }) else { continue }
            // A line without an outcome is of a sync under way, or of a process that was killed.
            guard let outcome = line.outcome ?? (run.endedAt == nil ? nil : .interrupted), outcome != .skipped else {
                continue
            }
            if outcome == .saved || outcome == .notModified { break }
            // Whoever ended it meant to.
            if line.error?.name == Failure.Reason.cancelled.name { continue }
            let error = line.error ?? RecordedError(name: outcome.rawValue, message: Self.message(outcome))
            found = (found?.error ?? error, found?.isQueued ?? (outcome == .queued), run.startedAt)
        }
        guard let found else { return nil }
        (error, isQueued, since) = found
    }

    private static func message(_ outcome: RunOutcome) -> String {
        outcome == .interrupted ? "the process ended before the sync did" : "some of it was not saved"
    }
}
