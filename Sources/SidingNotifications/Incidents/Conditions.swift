// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain
package import SidingInspection
internal import SidingJSON

/// What is wrong in a store at a moment, as `siding status` shows it.
package struct Conditions: Sendable {
    /// The conditions that hold.
    package private(set) var present: [Incident] = []
    /// Conditions of which nothing is known now, such as of a listing that is under way: they stay as they were.
    package private(set) var undecided: Set<Incident.Key> = []

    /// - Parameters:
    ///   - resources: the resources of the config.
    ///   - targets: its targets.
    ///   - limit: how long an entry may be queued, and a change unpublished.
    package static func gather(
        of resources: [String], _ targets: [PublishedTarget], in store: Store, queuedFor limit: Duration, now: Timestamp
    ) async throws(StoreError) -> Conditions {
        let states = try await store.resourceStates(countsRecords: false)
        let failures = try await store.failures(of: resources)
        let newest = try await store.newestResults(of: resources)
        var conditions = Conditions()
        for name in resources {
            conditions.add(name, states.first { $0.resource == name }, newest[name], failures[name], now: now)
        }
        for (source, shares) in Dictionary(grouping: try await store.queueShares(), by: \.source) {
            conditions.add(shares, of: source, queuedFor: limit, now: now)
        }
        for state in try await PublicationState.gather(targets, store, countsRecords: false) {
            conditions.add(state, queuedFor: limit, now: now)
        }
        conditions.present.sort { ($0.since, $0.key.subject) < ($1.since, $1.key.subject) }
        return conditions
    }

    /// Leaves the conditions of `keys` alone, so that no incident begins. Another config over the same file may have the
    /// resources and targets that are not in these, and hooks to notify of them.
    mutating func limit(to keys: [Incident.Key], of resources: [String], _ targets: [PublishedTarget]) {
        present.removeAll { !keys.contains($0.key) }
        let subjects = resources + targets.map { Publication.subject(ofTarget: $0.name) }
        undecided.formUnion(
            keys.filter { key in
                (key.isOfTarget || ![.queuedTooLong, .parked].contains(key.kind)) && !subjects.contains(key.subject)
            })
    }

    // MARK: Resources

    private mutating func add(
        _ name: String, _ state: ResourceState?, _ newest: RunResource?, _ streak: FailureStreak?, now: Timestamp
    ) {
        addIncomplete(name, state, now: now)
        guard let newest else {
            undecided.formUnion([Incident.Key(.failed, of: name), Incident.Key(.deletionsBlocked, of: name)])
            return
        }
        addFailed(name, newest, streak, isIncomplete: state?.incomplete != nil)
        addBlocked(newest, areMissing: (state?.missing ?? 0) > 0, now: now)
    }

    private mutating func addFailed(
        _ name: String, _ newest: RunResource, _ streak: FailureStreak?, isIncomplete: Bool
    ) {
        // An incomplete listing was read to its end; it is a condition of its own.
        guard let streak, !(newest.outcome == .partial && isIncomplete) else { return }
        if streak.isQueued {
            // The queue continues it: it did not fail for good, nor did it succeed after an earlier failure.
            undecided.insert(Incident.Key(.failed, of: name))
        } else {
            add(.failed, name, since: streak.since, streak.error.message)
        }
    }

    private mutating func addIncomplete(_ name: String, _ state: ResourceState?, now: Timestamp) {
        if let why = state?.incomplete {
            add(.incomplete, name, since: now, why)
        } else if state?.checkpoint != nil || state?.pass?.isOpen == true {
            undecided.insert(Incident.Key(.incomplete, of: name))
        }
    }

    private mutating func addBlocked(_ newest: RunResource, areMissing: Bool, now: Timestamp) {
        let count = newest.counters.deletionsBlocked
        if count > 0 {
            let records = MessageFormat.count(count, "record")
            add(
                .deletionsBlocked, newest.resource, since: now,
                "\(records) would be deleted, more than deletes.max allows, so nothing was deleted")
        } else if newest.outcome != .saved, newest.outcome != .notModified || areMissing {
            // The listing did not end, or it did not change, so missing records were not counted again.
            undecided.insert(Incident.Key(.deletionsBlocked, of: newest.resource))
        }
    }

    // MARK: Queue

    private mutating func add(_ shares: [QueueShare], of source: String, queuedFor limit: Duration, now: Timestamp) {
        let parked = shares.filter(\.needsDecision)
        if let since = parked.map(\.since).min() {
            let reasons = parked.map { "\($0.count) \($0.reason?.rawValue ?? "")" }.joined(separator: ", ")
            add(.parked, source, since: since, "\(Self.entries(parked)) parked: \(reasons)")
        }
        let waiting = shares.filter { $0.state != .parked }
        if let since = waiting.map(\.since).min(), now - since >= limit {
            add(
                .queuedTooLong, source, since: since,
                "\(Self.entries(waiting)) queued, the oldest for \(MessageFormat.duration(now - since))")
        }
    }

    // MARK: Targets

    /// As with a source, a hub that is down is no failure: its changes wait, and may wait for too long.
    private mutating func add(_ state: PublicationState, queuedFor limit: Duration, now: Timestamp) {
        let subject = Publication.subject(ofTarget: state.target.name)
        func message(_ entry: (resource: String?, failure: Publication.Failure)) -> String {
            (entry.resource.map { "\($0): " } ?? "") + entry.failure.error.message
        }
        if let refusal = state.refusal {
            add(.failed, subject, since: Timestamp(microseconds: refusal.failure.since), message(refusal))
            // What waits is published once a person has ended that.
            undecided.insert(Incident.Key(.queuedTooLong, of: subject))
            return
        }
        // Whether a hub that is down would still refuse is not known.
        if !state.failures.isEmpty { undecided.insert(Incident.Key(.failed, of: subject)) }
        guard let since = state.waitsSince, now - since >= limit else { return }
        let reason = state.failures.first.map { ": \(message($0))" } ?? ", and no publication has failed"
        add(.queuedTooLong, subject, since: since, "changes wait for \(MessageFormat.duration(now - since))\(reason)")
    }

    /// `1 entry is`, `3 entries are`
    private static func entries(_ shares: [QueueShare]) -> String {
        let count = shares.map(\.count).reduce(0, +)
        return "\(MessageFormat.count(count, "entry", plural: "entries")) \(count == 1 ? "is" : "are")"
    }

    private mutating func add(_ kind: Incident.Kind, _ subject: String, since: Timestamp, _ message: String) {
        present.append(Incident(kind, of: subject, since: since, message: PlainText.oneLine(message)))
    }
}
