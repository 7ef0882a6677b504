internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// The resources whose last sync by a service failed or was incomplete, so that none of them is asked for again at each look: an
/// origin may lock an account whose password is wrong too often.
///
/// Such a resource waits for the next moment of its schedule, or until its source has other credentials. It is kept in memory
/// only: a program that was started anew tries once.
final class FailedSyncs: Sendable {
    private struct FailedSync {
        let source: String
        let endedAt: Timestamp
        /// Those of its source as its run began: a request may have carried these however late it was refused.
        let credentials: CredentialFingerprint?
        /// Its pages that were parked then. One of them that is queued now was released.
        var parked: Set<String>
    }

    private let failed = Mutex<[String: FailedSync]>([:])

    /// The sources with a failed sync that have other credentials now than when that sync began.
    func sourcesWithNewCredentials(of resources: [AnyResource]) async -> Set<String> {
        let names = failed.withLock { Set($0.values.map(\.source)) }
        let present = await Self.credentials(of: resources.filter { names.contains($0.source.name) })
        return failed.withLock { failed in
            Set(failed.values.filter { Self.hasNew($0, present) }.map(\.source))
        }
    }

    /// Forgets the failed syncs of `sources`, so that they are tried again as soon as they are due.
    func forget(of sources: Set<String>) {
        failed.withLock { failed in failed = failed.filter { !sources.contains($0.value.source) } }
    }

    private static func hasNew(_ sync: FailedSync, _ present: [String: CredentialFingerprint]) -> Bool {
        // Credentials that cannot be read are nothing to try.
        guard let now = present[sync.source] else { return false }
        return now != sync.credentials
    }

    /// The present credentials of each source that has some which can be read.
    static func credentials(of resources: [AnyResource]) async -> [String: CredentialFingerprint] {
        var credentials: [String: CredentialFingerprint] = [:]
        for source in resources.map(\.source) where credentials[source.name] == nil {
            credentials[source.name] = await CredentialFingerprint(of: source.authorization)
        }
        return credentials
    }

    /// Those of `due` that are worth a try now.
    func worthTrying(_ due: [ResourceOutlook], now: Timestamp) -> [AnyResource] {
        due.filter { outlook in
            guard let last = failed.withLock({ $0[outlook.resource.name] }) else { return true }
            if outlook.retained.contains(where: { last.parked.contains($0.id) && $0.isDue(at: now) }) { return true }
            // A moment that has not come yet was noted before the clock was set back.
            return last.endedAt > now || outlook.resource.moment(after: last.endedAt) <= now
        }.map(\.resource)
    }

    /// When a resource that failed is tried again; nil for others.
    func nextTry(of resource: AnyResource) -> Timestamp? {
        failed.withLock { $0[resource.name]?.endedAt }.map(resource.moment(after:))
    }

    /// - Parameters:
    ///   - resources: those that were synced.
    ///   - reports: their results, in any order.
    ///   - credentials: those of each source as the run began.
    ///   - now: the end of the run.
    func note(
        _ resources: [AnyResource], _ reports: [SyncReport], credentials: [String: CredentialFingerprint],
        now: Timestamp
    ) {
        let sources = Dictionary(resources.map { ($0.name, $0.source.name) }) { one, _ in one }
        failed.withLock { failed in
            for result in reports.map(\.result) {
                let isFailed = result.outcome == .failed || result.outcome == .partial
                failed[result.resource] = sources[result.resource].flatMap {
                    guard isFailed else { return nil }
                    let parked = Set([result.entry].compactMap(\.self))
                    return FailedSync(source: $0, endedAt: now, credentials: credentials[$0], parked: parked)
                }
            }
        }
    }

    /// Notes which other pages of the failed syncs are parked.
    func noteParked(of outlooks: [ResourceOutlook]) {
        failed.withLock { failed in
            for outlook in outlooks {
                let parked = outlook.retained.filter { $0.state == .parked }
                failed[outlook.resource.name]?.parked.formUnion(parked.map(\.id))
            }
        }
    }
}
