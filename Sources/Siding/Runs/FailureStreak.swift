// SPDX-License-Identifier: Apache-2.0
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
        // A process that ended cannot store it, and on a disk without any space nobody can.
        outcome == .interrupted
            ? "the end of the sync was not stored: its process ended before, or the disk was full"
            : "not everything was saved"
    }
}

extension Store {
    // MARK: How the newest syncs of resources ended, by their names, however many runs of others there were since

    /// The outcome of the newest sync that was not skipped; `interrupted` for one that is under way or whose process ended. Without
    /// those of which none is stored.
    package func newestOutcomes(of resources: [String]) async throws(StoreError) -> [String: RunOutcome] {
        try await read { try RunResourcesTable.newestOutcomes(of: resources, $0) }
    }

    /// The newest result that is neither skipped nor cancelled on purpose; without resources of which none is stored.
    package func newestResults(of resources: [String]) async throws(StoreError) -> [String: RunResource] {
        try await read { try RunResourcesTable.newestResults(of: resources, $0) }
    }

    /// The failed syncs since the last success; without resources whose newest sync succeeded.
    package func failures(of resources: [String]) async throws(StoreError) -> [String: FailureStreak] {
        try await read { try RunResourcesTable.failures(of: resources, $0) }
    }
}
