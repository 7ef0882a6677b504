internal import SidingChain
internal import SidingCredentials
internal import SidingSynchronization

/// The resources whose last sync by a service failed, so that none of them is asked for again at each look: an origin may lock
/// an account whose password is wrong too often.
///
/// Such a resource waits until it is as old as it may grow, or until its source has other credentials. It is kept in memory
/// only: a program that was started anew tries once.
final class FailedSyncs: Sendable {
    private let failedAt = Mutex<[String: Timestamp]>([:])
    private let tried = TriedCredentials()
    private let usualAge: Duration

    /// - Parameter usualAge: how old a resource without a `maxAge` of its own may grow.
    init(usualAge: Duration) {
        self.usualAge = usualAge
    }

    /// Those of `due` that are worth a try now.
    func worthTrying(_ due: [AnyResource], now: Timestamp) async -> [AnyResource] {
        var haveChanged: [String: Bool] = [:]
        for source in due.map(\.source) where haveChanged[source.name] == nil {
            haveChanged[source.name] = await tried.areNew(of: source.name, source.authorization)
        }
        return due.filter { resource in
            if haveChanged[resource.source.name] == true { return true }
            guard let failed = failedAt.withLock({ $0[resource.name] }) else { return true }
            // A moment that has not come yet was noted before the clock was set back.
            return failed > now || now - failed >= resource.maxAge ?? usualAge
        }
    }

    func note(_ reports: [SyncReport], now: Timestamp) {
        failedAt.withLock { failedAt in
            for line in reports.map(\.line) { failedAt[line.resource] = line.outcome == .failed ? now : nil }
        }
    }
}
