package import SidingChain

/// The failed syncs of a resource since its last success.
package struct FailureStreak: Sendable, Hashable {
    /// When the first of them began; that of the oldest one that is stored, where the first was pruned.
    package let since: Timestamp
    /// When the newest one ended.
    package let endedAt: Timestamp
    /// Why the newest one failed.
    package let error: RecordedError
    /// Whether the queue has its next page, so that it goes on by itself.
    package let isQueued: Bool

    /// - Parameters:
    ///   - outcome: that of the newest one.
    ///   - error: its error, if it stored one.
    init(since: Timestamp, endedAt: Timestamp, outcome: RunOutcome, error: RecordedError?) {
        (self.since, self.endedAt, isQueued) = (since, endedAt, outcome == .queued)
        self.error = error ?? RecordedError(name: outcome.rawValue, message: Self.message(outcome))
    }

    private static func message(_ outcome: RunOutcome) -> String {
        outcome == .interrupted ? "the process ended before the sync did" : "not everything was saved"
    }
}

/// How the newest syncs of a resource ended, however many runs of other resources there were since.
package struct RecentResults: Sendable, Hashable {
    /// The outcome of the newest sync that was not skipped; `interrupted` for one that is under way or whose process ended.
    package let newestOutcome: RunOutcome?
    /// The newest result that is neither skipped nor cancelled on purpose; nil if none is stored.
    package let newest: RunResource?
    /// Nil if the newest sync succeeded, or if there is none.
    package let failure: FailureStreak?
}

extension Store {
    /// The newest results of each of these resources, by its name.
    package func recentResults(of resources: [String]) async throws(StoreError) -> [String: RecentResults] {
        try await read { snapshot in
            var results: [String: RecentResults] = [:]
            for resource in resources {
                results[resource] = RecentResults(
                    newestOutcome: try RunResourcesTable.newestOutcome(of: resource, snapshot),
                    newest: try RunResourcesTable.newestResult(of: resource, snapshot),
                    failure: try RunResourcesTable.failures(of: resource, snapshot))
            }
            return results
        }
    }
}
