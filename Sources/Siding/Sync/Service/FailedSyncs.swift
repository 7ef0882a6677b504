internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// The resources whose last sync by a service failed or was incomplete, so that none of them is asked for again at each look: an
/// origin may lock an account whose password is wrong too often.
///
/// Such a resource waits for the next moment of its schedule, until its source has other credentials, or until a page of it
/// becomes due, as a person has released it or its wait has ended. It is kept in memory only: a program that was started anew tries
/// once.
final class FailedSyncs: Sendable {
    /// What a sync began with.
    struct Beginning: Sendable {
        let at: Timestamp
        /// Nil if they could not be read. A request may have carried these however late it was refused.
        let credentials: CredentialFingerprint?
    }

    private struct FailedSync {
        let beginning: Beginning
        let endedAt: Timestamp
        /// How many syncs in a row had other credentials than the one before, without a moment of the schedule between them.
        let changes: Int
    }

    private let failed = Mutex<[String: FailedSync]>([:])

    /// What a sync of `resources` that begins at `now` begins with, by source.
    ///
    /// - Parameter sources: the sources as they sign in.
    static func beginnings(
        of resources: [AnyResource], from sources: [String: Source], at now: Timestamp
    ) async -> [String: Beginning] {
        var beginnings: [String: Beginning] = [:]
        for source in resources.map(\.source) where beginnings[source.name] == nil {
            let authorization = (sources[source.name] ?? source).authorization
            beginnings[source.name] = Beginning(
                at: now, credentials: await CredentialFingerprint(of: authorization))
        }
        return beginnings
    }

    /// Those of `due` that are worth a try now.
    func worthTrying(_ due: [ResourceOutlook], _ now: [String: Beginning], at moment: Timestamp) -> [AnyResource] {
        due.filter { outlook in
            guard let last = failed.withLock({ $0[outlook.resource.name] }) else { return true }
            let isPageDue = outlook.retained.contains {
                $0.state == .queued && $0.nextAttemptAt >= last.beginning.at && $0.nextAttemptAt <= moment
            }
            if isPageDue { return true }
            if last.changes < RetryRules.otherCredentialsPerSchedule, let now = now[outlook.resource.source.name],
                Self.hasNewCredentials(now, last)
            {
                return true
            }
            // A moment that has not come yet was noted before the clock was set back.
            return last.endedAt > moment || outlook.resource.moment(after: last.endedAt) <= moment
        }.map(\.resource)
    }

    private static func hasNewCredentials(_ now: Beginning, _ last: FailedSync) -> Bool {
        // Credentials that cannot be read are nothing to try.
        now.credentials != nil && now.credentials != last.beginning.credentials
    }

    /// When a resource that failed is tried again; nil for others.
    func nextTry(of resource: AnyResource) -> Timestamp? {
        failed.withLock { $0[resource.name]?.endedAt }.map(resource.moment(after:))
    }

    /// - Parameters:
    ///   - resources: those that were synced.
    ///   - reports: their results, in any order. One that another process has held up says nothing of the resource.
    ///   - beginnings: what the run began with, by source.
    ///   - now: the end of the run.
    func note(
        _ resources: [AnyResource], _ reports: [SyncReport], _ beginnings: [String: Beginning], now: Timestamp
    ) {
        for resource in resources {
            guard let beginning = beginnings[resource.source.name],
                let result = reports.first(where: { $0.result.resource == resource.name })?.result,
                result.outcome != .skipped
            else { continue }
            let isFailed = result.outcome == .failed || result.outcome == .partial
            failed.withLock { failed in
                guard isFailed else { return failed[resource.name] = nil }
                let last = failed[resource.name]
                var changes = 0
                if let last, resource.moment(after: last.endedAt) > now {
                    changes = Self.hasNewCredentials(beginning, last) ? last.changes + 1 : last.changes
                }
                failed[resource.name] = FailedSync(beginning: beginning, endedAt: now, changes: changes)
            }
        }
    }
}
