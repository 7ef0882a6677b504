package import SidingChain

/// The failed syncs of a resource since its last success.
package struct FailureStreak {
    /// When the first of them began.
    package let since: Timestamp
    /// When the newest one ended.
    package let endedAt: Timestamp
    /// Why the newest one failed.
    package let error: RecordedError
    /// Whether the queue has its next page, so that it goes on by itself.
    package let isQueued: Bool

    /// Nil if the newest sync of the resource succeeded, or if there is none.
    ///
    /// - Parameter runs: newest first.
    package init?(of resource: String, in runs: [Run]) {
        var found: (error: RecordedError, isQueued: Bool, since: Timestamp, endedAt: Timestamp)?
        for run in runs {
            guard let result = run.resources.first(where: { $0.resource == resource }) else { continue }
            // Without an outcome the sync is still under way, or its process was killed.
            guard let outcome = result.outcome ?? (run.endedAt == nil ? nil : .interrupted), outcome != .skipped else {
                continue
            }
            if outcome == .saved || outcome == .notModified { break }
            // A sync that was cancelled on purpose is no failure.
            if result.error?.name == Failure.Reason.cancelled.name { continue }
            let error = result.error ?? RecordedError(name: outcome.rawValue, message: Self.message(outcome))
            found = (
                found?.error ?? error, found?.isQueued ?? (outcome == .queued), run.startedAt,
                found?.endedAt ?? run.endedAt ?? run.startedAt
            )
        }
        guard let found else { return nil }
        (error, isQueued, since, endedAt) = found
    }

    private static func message(_ outcome: RunOutcome) -> String {
        outcome == .interrupted ? "the process ended before the sync did" : "not everything was saved"
    }
}
