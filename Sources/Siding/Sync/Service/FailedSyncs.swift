internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// The resources whose last sync by a service failed or was incomplete, so that none of them is asked for again at each look: an
/// origin may lock an account whose password is wrong too often.
///
/// Such a resource waits for the next moment of its schedule, until its source has other credentials, or until somebody releases
/// a page of it. It is kept in memory only: a program that was started anew tries once.
final class FailedSyncs: Sendable {
    /// A secret that a program makes anew each time would otherwise be new at each look.
    private static let mostWithNewCredentials = 2

    /// What a sync began with.
    struct Beginning: Sendable {
        /// Nil if they could not be read. A request may have carried these however late it was refused.
        let credentials: CredentialFingerprint?
        /// How often the sender had released what waited for a sign-in to the source.
        let releases: Int
    }

    private struct FailedSync {
        let beginning: Beginning
        let endedAt: Timestamp
        /// Its pages that were parked since. One of them that is queued was released.
        var parked: Set<String>
        /// How many syncs in a row had other credentials than the one before, without a moment of the schedule between them.
        let changes: Int
    }

    private let failed = Mutex<[String: FailedSync]>([:])

    /// What a sync that begins now begins with, by source.
    static func beginnings(of resources: [AnyResource], _ sender: WriteSender) async -> [String: Beginning] {
        var beginnings: [String: Beginning] = [:]
        for source in resources.map(\.source) where beginnings[source.name] == nil {
            let releases = sender.releases(of: source.name)
            beginnings[source.name] = Beginning(
                credentials: await CredentialFingerprint(of: source.authorization), releases: releases)
        }
        return beginnings
    }

    /// Those of `due` that are worth a try now.
    func worthTrying(_ due: [ResourceOutlook], _ now: [String: Beginning], at moment: Timestamp) -> [AnyResource] {
        due.filter { outlook in
            guard let last = failed.withLock({ $0[outlook.resource.name] }) else { return true }
            if outlook.retained.contains(where: { last.parked.contains($0.id) && $0.isDue(at: moment) }) { return true }
            if let now = now[outlook.resource.source.name] {
                if now.releases != last.beginning.releases { return true }
                if Self.hasNewCredentials(now, last), last.changes < Self.mostWithNewCredentials { return true }
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
                let changes = failed[resource.name].map { last in
                    guard resource.moment(after: last.endedAt) > now else { return 0 }
                    return Self.hasNewCredentials(beginning, last) ? last.changes + 1 : last.changes
                }
                let parked = Set([result.entry].compactMap(\.self))
                failed[resource.name] =
                    isFailed
                    ? FailedSync(beginning: beginning, endedAt: now, parked: parked, changes: changes ?? 0) : nil
            }
        }
    }

    /// Notes which pages of the failed syncs are parked now.
    func noteParked(of outlooks: [ResourceOutlook]) {
        failed.withLock { failed in
            for outlook in outlooks {
                let parked = outlook.retained.filter { $0.state == .parked }
                failed[outlook.resource.name]?.parked.formUnion(parked.map(\.id))
            }
        }
    }
}
