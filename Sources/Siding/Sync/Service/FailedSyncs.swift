// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// The resources whose last sync by a service failed or was incomplete, so that none of them is asked for again at each look: an
/// origin may lock an account whose password is wrong too often.
///
/// Such a resource waits for the next moment of its schedule, and longer where that asks a failing origin again and again, until its
/// source has other credentials, or until a page of it becomes due, as a person has released it or its wait has ended. A fan-out pass
/// that failing parents stopped waits a minute, whichever of them becomes due, and then goes on with the others. It is kept in memory only:
/// a program that was started anew tries once.
final class FailedSyncs: Sendable {
    /// What a sync began with.
    struct Beginning: Sendable {
        let at: Timestamp
        /// Nil if they could not be read. A request may have carried these however late it was refused.
        let credentials: CredentialFingerprint?
    }

    fileprivate enum SyncEnding {
        case failed
        /// It has brought records.
        case incomplete
        case open(SyncReport.OpenPass)
    }

    private struct FailedSync {
        let beganAt: Timestamp
        let endedAt: Timestamp
        let ending: SyncEnding

        /// When the resource is tried again.
        func next(of resource: AnyResource) -> Timestamp {
            let scheduled = resource.moment(after: endedAt)
            return switch ending {
            case .failed: max(scheduled, endedAt + RetryRules.failedSyncWait)
            case .incomplete: scheduled
            case .open: endedAt + RetryRules.failedSyncWait
            }
        }

        private var isStopped: Bool { if case .open(.stopped) = ending { true } else { false } }

        /// Whether a retained page is a reason to try again. Those of a pass that was stopped are due one after the other, and each
        /// would have others of the pass asked, too; but an operator who has released one wants to see it asked.
        func isReason(_ page: QueueEntry, at moment: Timestamp) -> Bool {
            page.state == .queued && page.nextAttemptAt >= beganAt && page.nextAttemptAt <= moment
                && (!isStopped || page.tries == 0)
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
            if outlook.retained.contains(where: { last.isReason($0, at: moment) }) { return true }
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

    /// When the fan-out pass of the resource goes on, as failing parents have kept others from being asked; nil if that is not so.
    func goesOn(with resource: AnyResource) -> Timestamp? {
        guard let last = failed.withLock({ $0[resource.name] }), case .open(.stopped(leavesSome: true)) = last.ending
        else { return nil }
        return last.next(of: resource)
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
                let report = reports.first(where: { $0.result.resource == resource.name }),
                report.result.outcome != .skipped
            else { continue }
            let ending = SyncEnding(report)
            let last = failed.withLock { failed in
                defer {
                    failed[resource.name] = ending.map {
                        FailedSync(beganAt: beginning.at, endedAt: now, ending: $0)
                    }
                }
                return failed[resource.name]
            }
            let isBeforeSchedule = last.map { resource.moment(after: $0.endedAt) > now } ?? false
            if ending == nil || !isBeforeSchedule { attempts.forget(resource.name) }
            if ending != nil { attempts.record(beginning.credentials, for: resource.name, at: now) }
        }
    }
}

extension FailedSyncs.SyncEnding {
    /// Nil for a sync that is no reason to wait.
    fileprivate init?(_ report: SyncReport) {
        switch (report.openPass, report.result.outcome) {
        case (let pass?, _): self = .open(pass)
        case (nil, .failed): self = .failed
        case (nil, .partial): self = .incomplete
        default: return nil
        }
    }
}
