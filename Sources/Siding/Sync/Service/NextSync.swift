// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// When a service syncs a resource next.
package enum NextSync: Sendable, Hashable {
    /// With the next look: it was never complete, or a retained page is due.
    case now
    /// At this moment by its schedule, if that has not passed already.
    case at(Timestamp)
    /// Once a retained page is due, or a person releases it.
    case afterRetainedPage

    /// - Parameters:
    ///   - state: nil if the resource was never synced.
    ///   - retained: its pages in the queue.
    package init(of resource: AnyResource, _ state: ResourceState?, retained: [QueueEntry], now: Timestamp) {
        if retained.contains(where: { $0.isDue(at: now) }) {
            self = .now
        } else if Self.waits(resource, state, retained) {
            self = .afterRetainedPage
        } else if let state, let last = Self.last(state, retained, now) {
            let scheduled = resource.moment(after: last)
            // What the origin demands or promises puts a sync off, but does not take its turn away.
            let check = FreshnessCheck(resource: resource, options: SyncOptions(maxAge: .zero), now: now)
            self = .at(max(scheduled, check.skippedUntil(state.resourceFreshness) ?? scheduled))
        } else {
            self = .now
        }
    }

    /// Whether a retained page holds up the resource. A waiting parent does not delay the other parents, except if the fan-out pass
    /// was stopped before all of them were asked.
    private static func waits(_ resource: AnyResource, _ state: ResourceState?, _ retained: [QueueEntry]) -> Bool {
        retained.contains { entry in
            entry.state == .queued
                ? resource.forEach == nil || (state?.pass?.isOpen == true && state?.pass?.askedAt == nil)
                : resource.forEach == nil && entry.waitsForPerson
        }
    }

    /// When the last sync ended; nil if it is to be tried again at once.
    private static func last(_ state: ResourceState, _ retained: [QueueEntry], _ now: Timestamp) -> Timestamp? {
        // A fan-out pass that has asked all its parents is not started again at once, because that would list all the others too. A
        // time in the future was recorded before the clock was set back.
        let isWaiting = retained.contains { $0.state == .queued }
        let asked = state.pass.flatMap { $0.isOpen ? (isWaiting ? $0.askedAt : nil) : $0.endedAt }
        let ended = [state.completedAt, asked].compactMap(\.self).filter { $0 <= now }
        // A parked page is as old as its last attempt, and a wrong clock may not put that off for long either.
        let tried = retained.filter { $0.state == .parked }.map(\.nextAttemptAt).filter {
            $0 <= now + RetryRules.longestWait
        }
        return (ended + tried).max()
    }

    /// The same, but no later than `moment`, if there is one.
    func notAfter(_ moment: Timestamp?, now: Timestamp) -> NextSync {
        guard let moment, self != .now else { return self }
        return .at(min(moment, self.moment(at: now) ?? moment))
    }

    package func isDue(at now: Timestamp) -> Bool { moment(at: now).map { $0 <= now } ?? false }

    /// The moment; nil if it depends on a retained page.
    package func moment(at now: Timestamp) -> Timestamp? {
        switch self {
        case .now: now
        case .at(let moment): moment
        case .afterRetainedPage: nil
        }
    }
}

/// When a service syncs a resource next, and its pages in the queue.
typealias ResourceOutlook = (resource: AnyResource, next: NextSync, retained: [QueueEntry])

extension AnyResource {
    /// The moment that follows a sync that ended at `last`.
    func moment(after last: Timestamp) -> Timestamp {
        (schedule ?? maxAge.map(IntervalSchedule.init) ?? .usual).next(after: last)
    }

    /// Whether it is due anew, as its parents were asked at `moment`; also if the clock was set back since.
    func isDueAnew(since moment: Timestamp, at now: Timestamp) -> Bool {
        moment > now || self.moment(after: moment) <= now
    }
}
