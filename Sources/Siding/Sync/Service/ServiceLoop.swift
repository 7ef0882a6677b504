// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import SidingChain
package import SidingNetwork
internal import SidingSynchronization

/// The loop behind ``Siding/run()`` and `siding queue run --watch`: sends the writes of each source and syncs its resources
/// concurrently, so that none of them waits for another.
///
/// It looks for due work at least once per pace, when an entry or a resource becomes due, and at once when the network changes. A
/// cancelled loop claims nothing more, and returns once the running work has ended.
package struct ServiceLoop: Sendable {
    private let currentSender: @Sendable () -> WriteSender
    var sender: WriteSender { currentSender() }
    let pace: Duration
    let changes: NetworkChanges?
    /// Fires when the program may have made a write due; nil, the default, looks by the clock and the network alone.
    var dueWrites: ChangeSignal?
    /// Whose writes are sent; nil, the default, for all.
    package var sources: Set<String>?
    /// Whether to log a store failure that may pass and go on, instead of throwing it; false by default.
    var outlastsFailures = false
    /// Called as each poll for work begins.
    var polled: @Sendable () -> Void = {}
    /// Called with the failure that is outlasted, as it begins and changes; with nil once the next poll succeeded.
    var failing: @Sendable (StoreError?) -> Void = { _ in }
    /// Called with the moment of the next poll whenever nothing runs.
    var whenIdle: @Sendable (Timestamp) -> Void = { _ in }
    /// Called as each write is completed.
    package var report: @Sendable (QueueEntry) -> Void = { _ in }
    /// Looks for resources that are due, besides those of the given sources, which are being synced; nil, the default, to send
    /// writes alone.
    package var look: (@Sendable (Set<String>) async throws(StoreError) -> DueSyncs)?
    var parts: [Part] { look == nil ? [.writes] : [.writes, .syncs] }

    /// - Parameters:
    ///   - sender: evaluated at each poll, as a program may go on with another one: ``WriteSender/replaced``.
    ///   - pace: the longest pause between two polls for work.
    ///   - changes: signals changes of links, addresses and routes; nil looks by the clock alone.
    package init(
        sender: @autoclosure @escaping @Sendable () -> WriteSender, pace: Duration, changes: NetworkChanges?
    ) {
        (currentSender, self.pace, self.changes) = (sender, pace, changes)
    }

    enum Event: Sendable {
        /// The pause that was to end at this moment is over: the moment has come, or the network has changed.
        case woken(Timestamp)
        /// The program may have made a write due.
        case writesDue
        case polled(Work, Result<PollResult, StoreError>)
    }

    /// Runs until `isDone` returns true or the task is cancelled.
    ///
    /// - Parameter isDone: called after each poll while nothing else runs, with the state of the queue, but for the due writes
    ///   of sources whose secret is missing.
    /// - Throws: ``StoreError`` if the store fails, after the running work has ended.
    @concurrent
    package func run(
        until isDone: @Sendable (QueueOutlook) async throws(StoreError) -> Bool = { _ in false }
    ) async throws(StoreError) {
        let failure = await withTaskGroup(of: Event.self, returning: StoreError?.self) { group in
            var progress = Progress(reachable: sender.reachable(sources), seen: changes?.mark)
            do throws(StoreError) { try await sender.endEarlierWaits(of: sources) } catch {
                // To be made up for by the next wake-up.
                progress.reachable = []
                note(error, of: .look(.writes), &progress)
            }
            listen(in: &group, past: dueWrites?.count)
            start(parts, &progress, in: &group)
            while let event = await group.next() {
                switch event {
                case .writesDue:
                    listen(in: &group, past: dueWrites?.count)
                    // A look that is under way may not have seen what is due now.
                    progress.marks[.look(.writes)]?.isOutdated = true
                    start([.writes], &progress, in: &group)
                case .woken(let moment):
                    // A shorter pause may have taken the place of this one.
                    guard moment == progress.wakesAt else { continue }
                    progress.wakesAt = nil
                    await wake(parts, &progress, in: &group)
                case .polled(let work, let result):
                    progress.running.remove(work)
                    let poll = take(result, of: work, &progress)
                    progress.found[work.part, default: []] += poll?.found ?? []
                    startDue(work.part, &progress, in: &group)
                    if await isOver(poll, isDone, &progress) {
                        group.cancelAll()
                        return progress.failure
                    }
                    await goOn(after: work, poll, &progress, in: &group)
                }
                rest(&progress, in: &group)
                if progress.running.isEmpty, let moment = progress.wakesAt { whenIdle(moment) }
            }
            return progress.failure
        }
        if let failure { throw failure }
    }

    // MARK: Looking

    func start(_ parts: [Part], _ progress: inout Progress, in group: inout TaskGroup<Event>) {
        for part in parts where !progress.running.contains(.look(part)) {
            // It finds out when the sources that are not under way are due.
            progress.due = progress.due.filter { $0.key.part != part || progress.running.contains($0.key) }
            progress.found[part] = nil
            let busy = progress.busySources(part)
            let begun = progress.begun
            begin(.look(part), &progress, in: &group) { sender throws(StoreError) in
                switch part {
                case .writes: try await lookForWrites(besides: busy, begun, by: sender)
                case .syncs: try await lookForSyncs(besides: busy, by: sender)
                }
            }
        }
    }

    /// - Parameter begun: tells whose writes were looked at before: whether a secret is missing is found out at once, also where
    ///   no write is due yet.
    private func lookForWrites(
        besides busy: Set<String>, _ begun: [Work: Timestamp], by sender: WriteSender
    ) async throws(StoreError) -> PollResult {
        await sender.prune()
        let (outlook, found) = try await sender.look(sources)
        let new = outlook.due.keys.filter { begun[.due(.writes, of: $0)] == nil }
        let due = found.union(new).subtracting(busy).sorted().map { source in
            DueWork(work: .due(.writes, of: source)) { sender throws(StoreError) in
                let tried = try await sender.deliver(to: source, report: report)
                return PollResult(
                    outlook: try await sender.outlook(sources), isIdle: tried?.isEmpty ?? true,
                    lacksSecret: tried == nil)
            }
        }
        return PollResult(outlook: outlook, found: due)
    }

    private func lookForSyncs(
        besides busy: Set<String>, by sender: WriteSender
    ) async throws(StoreError) -> PollResult {
        let due = try await look?(busy)
        let found = (due?.syncs ?? []).map { sync in
            DueWork(work: .due(.syncs, of: sync.source)) { sender throws(StoreError) in
                let next = try await sync.perform()
                return PollResult(outlook: try await sender.outlook(sources), nextSync: next)
            }
        }
        return PollResult(outlook: try await sender.outlook(sources), nextSync: due?.next, found: found)
    }

    /// Starts what the last look has found, as far as there is room: first the sources whose turn was the longest time ago.
    /// The others begin as those end, without another look: it would find the sources again that cannot send, and with many
    /// of them the loop would never rest.
    private func startDue(_ part: Part, _ progress: inout Progress, in group: inout TaskGroup<Event>) {
        let found = progress.found[part] ?? []
        let room = max(SendingOrder.mostSources - progress.busySources(part).count, 0)
        let begun = found.map { progress.begun[$0.work] ?? Timestamp(microseconds: 0) }
        let order = zip(found, begun).sorted { $0.1 < $1.1 }.map(\.0)
        progress.found[part] = Array(order.dropFirst(room))
        // What has changed since the look is news for them, too. That the look is repeated does not repeat them.
        var mark = progress.marks[.look(part)]
        mark?.isOutdated = false
        for due in order.prefix(room) { begin(due.work, since: mark, &progress, in: &group, due.perform) }
    }

    private func begin(
        _ work: Work, since mark: Mark? = nil, _ progress: inout Progress, in group: inout TaskGroup<Event>,
        _ body: @escaping @Sendable (WriteSender) async throws(StoreError) -> PollResult
    ) {
        guard !Task.isCancelled, progress.failure == nil else { return }
        progress.running.insert(work)
        let mark = mark ?? Mark(network: changes?.mark, sender: sender)
        progress.marks[work] = mark
        progress.begun[work] = sender.environment.wallClock.now
        progress.due[work] = nil
        group.addTask {
            polled()
            do throws(StoreError) {
                try mark.sender.store.checkPlace()
                return .polled(work, .success(try await body(mark.sender)))
            } catch { return .polled(work, .failure(error)) }
        }
    }

    /// Looks again at once for what may have become due while `work` was under way.
    private func goOn(
        after work: Work, _ poll: PollResult?, _ progress: inout Progress, in group: inout TaskGroup<Event>
    ) async {
        let part = work.part
        let isOutdated = progress.marks[work].map(self.isOutdated) ?? false
        guard isOutdated || poll?.isIdle == false else { return }
        // A look that is under way may not have seen what becomes due now.
        if progress.running.contains(.look(part)) { progress.marks[.look(part)]?.isOutdated = true }
        if isOutdated {
            await wake([part], after: work, &progress, in: &group)
        } else {
            start([part], &progress, in: &group)
        }
    }

    /// Whether the loop is done.
    private func isOver(
        _ poll: PollResult?, _ isDone: @Sendable (QueueOutlook) async throws(StoreError) -> Bool,
        _ progress: inout Progress
    ) async -> Bool {
        guard progress.running.isEmpty else { return false }
        guard progress.failure == nil, !Task.isCancelled else { return true }
        guard let poll else { return false }
        let outlook = poll.outlook.without(progress.lackingSecret)
        do throws(StoreError) { return try await isDone(outlook) } catch {
            note(error, of: .look(.writes), &progress)
            return progress.failure != nil
        }
    }

    // MARK: Failures of the store

    private func take(_ result: Result<PollResult, StoreError>, of work: Work, _ progress: inout Progress)
        -> PollResult?
    {
        switch result {
        case .success(let poll):
            let count = progress.faults.count
            progress.faults[work] = nil
            forgetFaults(after: work, poll, &progress)
            if progress.faults.count < count { failing(progress.faults.values.first) }
            if case .due(.writes, of: let source) = work {
                if poll.lacksSecret {
                    progress.lackingSecret.insert(source)
                } else {
                    progress.lackingSecret.remove(source)
                }
            }
            let write = progress.begun[work].flatMap { poll.outlook.nextDue(after: $0) }
            progress.due[work] = [write, poll.nextSync].compactMap(\.self).min()
            return poll
        case .failure(let error):
            note(error, of: work, &progress)
            return nil
        }
    }

    /// The fault of a source is over with its next success, once the source is no longer declared, or once a look finds
    /// none of its writes due.
    private func forgetFaults(after work: Work, _ poll: PollResult, _ progress: inout Progress) {
        let due = Set(poll.found.map(\.work)).union(progress.running)
        progress.faults = progress.faults.filter { fault, _ in
            guard case .due(let part, of: let source) = fault else { return true }
            if work == .look(.writes), part == .writes, !due.contains(fault) { return false }
            return sender.sources[source] != nil
        }
    }

    /// Logs a failure that the loop outlasts, once until it changes. Any other failure ends the loop.
    func note(_ error: StoreError, of work: Work, _ progress: inout Progress) {
        if error.kind == .cancelled, Task.isCancelled { return }
        guard outlastsFailures, error.kind.mayHeal else {
            progress.failure = progress.failure ?? error
            return
        }
        let last = progress.faults.updateValue(error, forKey: work)
        guard last?.kind != error.kind || last?.message != error.message else { return }
        failing(error)
        sender.environment.logger.error(
            "the store failed; the service tries again",
            metadata: [
                "part": "\(work)", "kind": "\(error.kind.rawValue)", "message": "\(error.description)",
            ])
    }
}
