// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain
package import SidingInspection

/// Notifies hooks of what changed in a store since they were notified last: each condition once when it begins, and once
/// when it is over, whatever number of runs lies between.
///
/// What was notified is stored, and one process at a time notifies. A hook is called before that is stored: one that was
/// called when the process died is called again.
package struct Notifier: Sendable {
    /// More notifications than this for one hook at once are summed up in one.
    static let mostAtOnce = 20

    package var hooks: [NotificationHook]
    /// The names of the config's resources.
    package var resources: [String]
    /// The targets of the config.
    package var targets: [PublishedTarget]
    let store: Store
    let call: HookCall
    let wallClock: WallClock
    /// The name of this machine.
    let host: String
    /// Is given a message for each call that failed.
    let report: @Sendable (String) -> Void

    package init(
        hooks: [NotificationHook], resources: [String], targets: [PublishedTarget], store: Store, call: HookCall,
        wallClock: WallClock = .system, host: String, report: @escaping @Sendable (String) -> Void
    ) {
        (self.hooks, self.resources, self.targets, self.store, self.call) = (hooks, resources, targets, store, call)
        (self.wallClock, self.host, self.report) = (wallClock, host, report)
    }

    /// Compares the store with what was notified, and notifies the hooks of the difference. While another process does so,
    /// nothing is done: it, or the next run, notifies. Without hooks, the end of stored incidents is stored alone, so that a
    /// hook that comes back is notified of what happened since.
    ///
    /// - Returns: the incidents that last.
    @discardableResult
    package func notify() async throws(StoreError) -> [Incident] {
        if hooks.isEmpty, try await store.incidents().isEmpty { return [] }
        // Most runs change nothing, and then nothing is written.
        let comparison = try await compare()
        guard hasWork(comparison) else { return comparison.open }
        return try await store.withLease(Store.notificationsLease, command: "notify") { lease throws(StoreError) in
            try await notify(under: lease)
        } ifHeld: { _ in
            comparison.open
        }
    }

    private func compare() async throws(StoreError) -> IncidentComparison {
        let now = wallClock.now
        let limit = hooks.leastQueueAge
        var conditions = try await Conditions.gather(
            of: resources, targets, in: store, queuedFor: limit, now: now)
        let stored = try await store.incidents()
        if hooks.isEmpty { conditions.limit(to: stored.map(\.key), of: resources, targets) }
        return IncidentComparison(of: stored, with: conditions, for: hooks, now: now)
    }

    private func hasWork(_ comparison: IncidentComparison) -> Bool {
        let now = wallClock.now
        let ready = usable.filter { !$0.rests(after: comparison.incidents, now: now) }
        return !comparison.changed.isEmpty
            || comparison.incidents.contains { incident in
                ready.contains { $0.isDue(incident, now: now) } || isDone(incident, now)
            }
    }

    /// Whether the incident is over, no hook is still to be notified of it, and none is left alone because of it.
    private func isDone(_ incident: Incident, _ now: Timestamp) -> Bool {
        !hooks.isEmpty && incident.endedAt != nil
            && !notified.contains { $0.isDue(incident, now: now) || $0.rests(after: [incident], now: now) }
    }

    private func notify(under lease: Lease) async throws(StoreError) -> [Incident] {
        let comparison = try await compare()
        if !comparison.changed.isEmpty { try await store.save(comparison.changed, under: lease) }
        let failures = await withTaskGroup(of: StoreError?.self) { group in
            for hook in usable {
                group.addTask {
                    do throws(StoreError) {
                        try await deliver(comparison.incidents, to: hook, lease)
                        return nil
                    } catch { return error }
                }
            }
            return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        if let failure = failures.first { throw failure }
        let now = wallClock.now
        let over = try await store.incidents().filter { isDone($0, now) }.map(\.key)
        if !over.isEmpty { try await store.save([], removing: over, under: lease) }
        return comparison.open
    }

    // MARK: Hooks

    /// The hooks for incidents.
    private var notified: [NotificationHook] { hooks.filter { !$0.isPing } }
    /// Those that can be called now.
    private var usable: [NotificationHook] { notified.filter { call.canSend || !$0.isRemote } }

    /// Notifies one hook. After its first failure it is left alone, for longer with each one, and one that takes longer than its
    /// time limit altogether is left alone until the next run: a run is delayed by no more than twice that limit.
    private func deliver(_ incidents: [Incident], to hook: NotificationHook, _ lease: Lease) async throws(StoreError) {
        let start = wallClock.now
        guard !hook.rests(after: incidents, now: start) else { return }
        let due = incidents.filter { hook.isDue($0, now: start) }
        var parcels = due.prefix(Self.mostAtOnce).map { (Notification($0), [$0.key]) }
        let rest = Array(due.dropFirst(Self.mostAtOnce))
        if !rest.isEmpty { parcels.append((Notification(summaryOf: rest), rest.map(\.key))) }
        for (index, (notification, keys)) in parcels.enumerated() {
            guard !Task.isCancelled, wallClock.now - start <= hook.timeout else { return }
            do throws(HookCall.Fault) {
                try await call.deliver(notification.object(host: host, now: wallClock.now).bytes, to: hook)
            } catch {
                // A call before this one may have been taken.
                let failures = (index == 0 ? hook.failures(in: incidents) : 0) + 1
                let wait = MessageFormat.duration(RetryRules.hookBackoff.ceiling(after: failures))
                report("notify: \(hook.description) failed: \(error.reason); it is called again after \(wait)")
                return try await store.add(
                    failedCall: failures, of: hook.id, to: parcels[index...].flatMap(\.1), under: lease)
            }
            try await store.add(notified: hook.id, to: keys, under: lease)
        }
    }
}
