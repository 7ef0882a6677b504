// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// The resources whose last sync by a service failed or was incomplete, so that none of them is asked for again at each look: an
/// origin may lock an account whose password is wrong too often.
///
/// Such a resource waits for the next moment of its schedule, and longer where that asks a failing origin again and again, until its source has other credentials, or until a page of it
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
        let beganAt: Timestamp
        let endedAt: Timestamp
        /// How many failed in a row. An incomplete one does not count: it has brought records.
        let count: Int

        /// When the resource is tried again.
        func next(of resource: AnyResource) -> Timestamp {
            let scheduled = resource.moment(after: endedAt)
            guard count > 0 else { return scheduled }
            return max(scheduled, endedAt + RetryRules.failedSyncBackoff.wait(after: count, jitter: .none))
        }
    }

    private let failed = Mutex<[String: FailedSync]>([:])
    /// Those of a resource since the last moment of its schedule.
    private let attempts = CredentialAttempts(RetryRules.credentialsPerSchedule)

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
                $0.state == .queued && $0.nextAttemptAt >= last.beganAt && $0.nextAttemptAt <= moment
            }
            if isPageDue { return true }
            let credentials = now[outlook.resource.source.name]?.credentials
            if attempts.isWorthTrying(credentials, for: outlook.resource.name, at: moment) { return true }
            // A moment that has not come yet was noted before the clock was set back.
            return last.endedAt > moment || last.next(of: outlook.resource) <= moment
        }.map(\.resource)
    }

    /// When a resource that failed is tried again; nil for others.
    func nextTry(of resource: AnyResource) -> Timestamp? {
        failed.withLock { $0[resource.name] }?.next(of: resource)
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
            let last = failed.withLock { failed in
                let last = failed[resource.name]
                let count = result.outcome == .failed ? (last?.count ?? 0) + 1 : 0
                failed[resource.name] =
                    isFailed ? FailedSync(beganAt: beginning.at, endedAt: now, count: count) : nil
                return last
            }
            let isBeforeSchedule = last.map { resource.moment(after: $0.endedAt) > now } ?? false
            if !isFailed || !isBeforeSchedule { attempts.forget(resource.name) }
            if isFailed { attempts.record(beginning.credentials, for: resource.name, at: now) }
        }
    }
}
