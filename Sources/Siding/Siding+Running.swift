// SPDX-License-Identifier: Apache-2.0
internal import ServiceLifecycle
internal import SidingChain
internal import SidingNetwork
internal import SidingSynchronization

extension Siding {
    /// Keeps the resources fresh until the service is asked to stop: sends due writes, and syncs each resource that is due by
    /// its `schedule`, or without one older than its `maxAge`, or that has a queued page that is due.
    ///
    /// It checks every ten seconds, when a resource or a queued request becomes due, and at once when the network changes. It
    /// also looks for due writes at once when a call of this ``Siding`` has stored one, synced a resource or changed an entry.
    /// When asked to stop, it starts nothing new; a write in flight that may not be sent twice has up to 8 s for its answer.
    ///
    /// - Throws: ``StoreError`` that cannot heal by itself: the file is damaged, or not the one that was opened. Others, such
    ///   as a full disk, are logged once until they change and shown as ``Health/storeFailure``, and the work is tried again.
    public func run() async throws { try await run(wakingOn: networkChanges ?? NetworkChanges()) }

    func run(
        wakingOn changes: NetworkChanges, pace: Duration = RetryRules.serviceInterval,
        whenIdle: @escaping @Sendable (Timestamp) -> Void = { _ in }
    ) async throws {
        let log = ServiceLog(builder.environment.logger)
        activity.note(storeFailure: nil)
        var loop = ServiceLoop(sender: sender, pace: pace, changes: changes)
        (loop.outlastsFailures, loop.whenIdle, loop.dueWrites) = (true, whenIdle, activity.dueWrites)
        loop.polled = { [activity, wallClock] in activity.note(pollAt: wallClock.now) }
        loop.failing = { [activity] in activity.note(storeFailure: $0) }
        let tell: @Sendable (QueueEntry) -> Void = { [activity] entry in
            log.note(entry)
            activity.events.publish(.entryChanged(entry))
        }
        loop.report = { [activity, wallClock] entry in
            activity.note(progressAt: wallClock.now)
            if activity.untried.add(entry) { tell(entry) }
        }
        loop.look = { busy throws(StoreError) in
            for entry in try await activity.untried.find(in: store, at: wallClock.now) { tell(entry) }
            return try await look(besides: busy, log)
        }
        try await cancelWhenGracefulShutdown { [activity, loop] in
            try await activity.perform { () throws(StoreError) in try await loop.run() }
        }
    }

    /// Looks for resources that are due, of sources that are not `busy`: those that are being synced.
    private func look(besides busy: Set<String>, _ log: ServiceLog) async throws(StoreError) -> DueSyncs {
        let (declarations, begun) = (declarations.value, wallClock.now)
        let syncs = try await nextSyncs(at: begun)
        let free = syncs.filter { !busy.contains($0.resource.source.name) }
        let sources = Set(free.map(\.resource.source.name)).sorted()
        let ready = self.due(of: syncs, at: begun)
        let due = sources.map { source in (source, ready.filter { $0.resource.source.name == source }) }
            .filter { !$0.1.isEmpty }
        let idle = free.filter { sync in !due.contains { $0.0 == sync.resource.source.name } }
        return DueSyncs(
            due.map { source, due in
                DueSyncs.SourceSync(source) { () throws(StoreError) in
                    try await syncDue(due, of: source, declarations, begun, log)
                }
            }, next: nextDue(after: begun, of: idle))
    }

    /// Those of `syncs` that are due, and not to follow their parent.
    private func due(of syncs: [ResourceOutlook], at now: Timestamp) -> [ResourceOutlook] {
        let failures = declarations.value.failures
        return syncs.due(at: now) { failures.nextTry(of: $0).map { $0 <= now } ?? true }
    }

    /// Syncs those of `isDue` that are worth a try, and returns when the next resource of their source is due, or now if one of
    /// another source has waited for them, or one of theirs has become due; nil if the pace will do.
    private func syncDue(
        _ isDue: [ResourceOutlook], of source: String, _ declarations: Declarations, _ begun: Timestamp,
        _ log: ServiceLog
    ) async throws(StoreError) -> Timestamp? {
        let beginnings = await FailedSyncs.beginnings(
            of: isDue.map(\.resource), from: declarations.sender.sources, at: begun)
        let due = declarations.failures.worthTrying(isDue, beginnings, at: begun)
        if !due.isEmpty {
            let reports = try await declarations.serviceEngine(besides: activity.syncs).run(
                due, command: "service")
            declarations.failures.note(due, reports, beginnings, now: wallClock.now)
            log.note(reports)
            await announce(reports)
        }
        let now = wallClock.now
        let syncs = try await nextSyncs(at: now)
        let hasFollower = self.due(of: syncs, at: now).contains { sync in
            let resource = sync.resource
            guard resource.source.name == source else { return due.contains { $0.name == resource.forEach?.resource } }
            return !due.contains { $0.name == resource.name }
                && declarations.failures.nextTry(of: resource).map { $0 <= now } ?? true
        }
        return hasFollower ? now : nextDue(after: begun, of: syncs.filter { $0.resource.source.name == source })
    }

    /// The first moment after `moment` at which one of these resources, or a retained page of theirs, becomes due; nil if there is
    /// none.
    ///
    /// - Parameter moment: when the poll began. What has become due since is late already.
    func nextDue(after moment: Timestamp, of syncs: [ResourceOutlook]) -> Timestamp? {
        let failures = declarations.value.failures
        return syncs.flatMap { sync in
            let again = failures.nextTry(of: sync.resource)
            let scheduled: Timestamp? =
                switch sync.next {
                case .now: again
                case .at(let scheduled): max(scheduled, again ?? scheduled)
                case .afterRetainedPage: nil
                }
            let retries = sync.retained.filter { $0.state == .queued }.map(\.nextAttemptAt)
            return retries + [scheduled].compactMap(\.self)
        }.filter { $0 > moment }.min()
    }

    /// When each resource is synced next. One of another shard is due while the queue has pages of it: its sync supersedes them.
    func nextSyncs(at now: Timestamp) async throws(StoreError) -> [ResourceOutlook] {
        let own = try await nextSyncs(of: try await store.resourceStates(countsRecords: false), at: now)
        let others = declarations.value.others
        guard !others.isEmpty else { return own }
        let entries = try await store.entries(QueueSelection(resources: others.map(\.name), kinds: [.fetch]))
        return own
            + others.filter { other in entries.contains { $0.resource == other.name } }
            .map { ($0, NextSync.now, []) }
    }

    func nextSyncs(of states: [ResourceState], at now: Timestamp) async throws(StoreError) -> [ResourceOutlook] {
        let entries = try await store.entries(QueueSelection(kinds: [.fetch]))
        let failures = declarations.value.failures
        return resources.map { resource in
            let retained = entries.filter { $0.resource == resource.name }
            let state = states.first { $0.resource == resource.name }
            let next = NextSync(of: resource, state, retained: retained, now: now)
            let goesOn = state?.pass?.isOpen == true ? failures.goesOn(with: resource) : nil
            return (resource, next.notAfter(goesOn, now: now), retained)
        }
    }
}
