internal import Logging
internal import SidingChain
package import SidingNetwork
internal import SidingSynchronization

/// The loop behind ``Siding/run()`` and `siding queue run --watch`: sends writes and syncs the resources of each source
/// concurrently, so that none of them waits for another.
///
/// It looks for due work at least once per pace, when an entry or a resource becomes due, and at once when the network changes. A
/// cancelled loop claims nothing more, and returns once the running work has ended.
package struct ServiceLoop: Sendable {
    private let currentSender: @Sendable () -> WriteSender
    private var sender: WriteSender { currentSender() }
    let pace: Duration
    let changes: NetworkChanges?
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
    private var parts: [Work] { look == nil ? [.writes] : [.writes, .syncs] }

    /// - Parameters:
    ///   - sender: evaluated at each poll, as a program may go on with another one: ``WriteSender/replaced``.
    ///   - pace: the longest pause between two polls for work.
    ///   - changes: signals changes of links, addresses and routes; nil looks by the clock alone.
    package init(
        sender: @autoclosure @escaping @Sendable () -> WriteSender, pace: Duration, changes: NetworkChanges?
    ) {
        (currentSender, self.pace, self.changes) = (sender, pace, changes)
    }

    private enum Work: Sendable, Hashable, CustomStringConvertible {
        case writes
        /// The look for resources that are due.
        case syncs
        /// A ``DueSyncs/SourceSync`` that such a look has found.
        case sync(of: Set<String>)

        var description: String {
            switch self {
            case .writes: "writes"
            case .syncs: "syncs"
            case .sync(of: let sources): "syncs of \(sources.sorted().joined(separator: ", "))"
            }
        }
    }

    private enum Event: Sendable {
        /// The pause that was to end at this moment is over: the moment has come, or the network has changed.
        case woken(Timestamp)
        case polled(Work, Result<PollResult, StoreError>)
    }

    /// The state of the queue after one poll for work, whether nothing was tried, when a resource is due by its schedule, and what
    /// is due now.
    private typealias PollResult = (
        outlook: QueueOutlook, isIdle: Bool, nextSync: Timestamp?, due: [DueSyncs.SourceSync]
    )

    /// What a poll began with, so that no change since then is missed.
    private struct Mark: Sendable {
        var network: NetworkChanges.Mark?
        var sender: WriteSender
    }

    private struct LoopState {
        var running: Set<Work> = []
        /// Taken before the last poll of each part.
        var marks: [Work: Mark] = [:]
        /// When the last poll of each part began.
        var begun: [Work: Timestamp] = [:]
        /// When the pause ends; nil while there is none.
        var wakesAt: Timestamp?
        /// When the next entry or resource becomes due, by the last poll of each part; it may have become due during that
        /// poll.
        var due: [Work: Timestamp] = [:]
        var reachable: Set<String>
        /// The last change of the network after which waits were ended.
        var seen: NetworkChanges.Mark?
        /// The failure of each part's last poll.
        var faults: [Work: StoreError] = [:]
        /// Whether a due source found no room: the next sync that ends makes some.
        var isCrowded = false
        /// The failure that ends the loop.
        var failure: StoreError?

        var busySources: [Set<String>] {
            running.compactMap { work in if case .sync(of: let sources) = work { sources } else { nil } }
        }
    }

    /// Runs until `isDone` returns true or the task is cancelled.
    ///
    /// - Parameter isDone: called after each poll while nothing else runs, with the state of the queue.
    /// - Throws: ``StoreError`` if the store fails, after the running work has ended.
    @concurrent
    package func run(
        until isDone: @Sendable (QueueOutlook) async throws(StoreError) -> Bool = { _ in false }
    ) async throws(StoreError) {
        let failure = await withTaskGroup(of: Event.self, returning: StoreError?.self) { group in
            var progress = LoopState(reachable: sender.reachable(sources), seen: changes?.mark)
            do throws(StoreError) { try await sender.endEarlierWaits(of: sources) } catch {
                // To be made up for by the next wake-up.
                progress.reachable = []
                note(error, of: .writes, &progress)
            }
            start(parts, &progress, in: &group)
            while let event = await group.next() {
                switch event {
                case .woken(let moment):
                    // A shorter pause may have taken the place of this one.
                    guard moment == progress.wakesAt else { continue }
                    progress.wakesAt = nil
                    await wake(parts, &progress, in: &group)
                case .polled(let work, let result):
                    progress.running.remove(work)
                    let poll = take(result, of: work, &progress)
                    startSyncs(poll?.due ?? [], &progress, in: &group)
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

    private func start(_ parts: [Work], _ progress: inout LoopState, in group: inout TaskGroup<Event>) {
        for part in parts where !progress.running.contains(part) {
            guard part == .syncs else {
                begin(part, &progress, in: &group) { sender throws(StoreError) in
                    let (outlook, isIdle) = try await sender.poll(sources, report: report)
                    return (outlook, isIdle, nextSync: nil, due: [])
                }
                continue
            }
            // It finds out when the sources that are not being synced are due.
            progress.due = progress.due.filter { $0.key == .writes || progress.running.contains($0.key) }
            progress.isCrowded = false
            let busy = progress.busySources.reduce(into: Set<String>()) { $0.formUnion($1) }
            begin(part, &progress, in: &group) { sender throws(StoreError) in
                let due = try await look?(busy)
                return (try await sender.outlook(sources), isIdle: true, nextSync: due?.next, due: due?.syncs ?? [])
            }
        }
    }

    /// Starts what a look has found, as far as there is room: first the sources that were synced the longest time ago.
    private func startSyncs(
        _ syncs: [DueSyncs.SourceSync], _ progress: inout LoopState, in group: inout TaskGroup<Event>
    ) {
        let room = max(SyncOrder.mostSources - progress.busySources.count, 0)
        if syncs.count > room { progress.isCrowded = true }
        let begun = syncs.map { progress.begun[.sync(of: $0.sources)] ?? Timestamp(microseconds: 0) }
        let order = zip(syncs, begun).sorted { $0.1 < $1.1 }.map(\.0)
        for sync in order.prefix(room) {
            // What has changed since the look is news for them, too.
            let mark = progress.marks[.syncs]
            begin(.sync(of: sync.sources), since: mark, &progress, in: &group) { sender throws(StoreError) in
                let next = try await sync.perform()
                return (try await sender.outlook(sources), isIdle: true, nextSync: next, due: [])
            }
        }
    }

    private func begin(
        _ work: Work, since mark: Mark? = nil, _ progress: inout LoopState, in group: inout TaskGroup<Event>,
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
        after work: Work, _ poll: PollResult?, _ progress: inout LoopState, in group: inout TaskGroup<Event>
    ) async {
        let part = work == .writes ? work : .syncs
        if progress.marks[work].map(isOutdated) ?? false {
            // A look that is under way may not have seen what becomes due now: it is as outdated.
            if progress.running.contains(part) { progress.marks[part] = progress.marks[work] }
            await wake([part], after: work, &progress, in: &group)
        } else if poll?.isIdle == false || (work != part && progress.isCrowded) {
            start([part], &progress, in: &group)
        }
    }

    /// Whether the loop is done.
    private func isOver(
        _ poll: PollResult?, _ isDone: @Sendable (QueueOutlook) async throws(StoreError) -> Bool,
        _ progress: inout LoopState
    ) async -> Bool {
        guard progress.running.isEmpty else { return false }
        guard progress.failure == nil, !Task.isCancelled else { return true }
        guard let poll else { return false }
        do throws(StoreError) { return try await isDone(poll.outlook) } catch {
            note(error, of: .writes, &progress)
            return progress.failure != nil
        }
    }

    // MARK: Waiting

    /// Ends the waits for the network where it returned, and looks again.
    /// After a change it may have returned wherever it is now: a line that was lost for a moment is seen before and after alone.
    /// What failed in a poll that began before the change waits, too, although others have been ended since.
    ///
    /// - Parameter ended: what has just ended, besides the idle ones of `parts`.
    private func wake(
        _ parts: [Work], after ended: Work? = nil, _ progress: inout LoopState, in group: inout TaskGroup<Event>
    ) async {
        let mark = changes?.mark
        let reachable = sender.reachable(sources)
        let idle = parts.filter { !progress.running.contains($0) } + [ended].compactMap(\.self)
        let hasChanged = mark != progress.seen || idle.contains { progress.marks[$0]?.network != mark }
        let returned = hasChanged ? reachable : reachable.subtracting(progress.reachable)
        do throws(StoreError) {
            if !returned.isEmpty { try await sender.store.endWaits(of: returned, because: .lineReturned) }
            (progress.reachable, progress.seen) = (reachable, mark)
        } catch {
            // To be made up for by the next wake-up.
            progress.reachable = []
            note(error, of: .writes, &progress)
        }
        start(parts, &progress, in: &group)
    }

    /// Schedules the next wake-up for the parts that are idle: after the pace, or when something becomes due before that.
    private func rest(_ progress: inout LoopState, in group: inout TaskGroup<Event>) {
        let now = sender.environment.wallClock.now
        let moment = progress.due.values.map { max($0, now) }.reduce(now + pace, min)
        // A pause that should be over goes on where only the wall clock has moved.
        guard !Task.isCancelled, progress.failure == nil, progress.wakesAt.map({ moment < $0 || $0 < now }) ?? true,
            parts.contains(where: { !progress.running.contains($0) })
        else { return }
        progress.wakesAt = moment
        // Idle parts have polled no later than this, so a change since then wakes them.
        let mark = parts.filter { !progress.running.contains($0) }.compactMap { progress.marks[$0] }.first
        group.addTask {
            await pause(for: moment - now, after: mark)
            return .woken(moment)
        }
    }

    private func isOutdated(_ mark: Mark) -> Bool { changes?.mark != mark.network || mark.sender.replaced.count > 0 }

    /// Waits for this time, or until the network or the sender changes.
    private func pause(for time: Duration, after mark: Mark?) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await sender.environment.clock.sleep(for: time) }
            if let changes, let mark = mark?.network { group.addTask { await changes.next(after: mark) } }
            if let mark { group.addTask { await mark.sender.replaced.wait(past: 0) } }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Failures of the store

    private func take(_ result: Result<PollResult, StoreError>, of part: Work, _ progress: inout LoopState)
        -> PollResult?
    {
        switch result {
        case .success(let poll):
            let count = progress.faults.count
            progress.faults[part] = nil
            // The fault of a sync is over with its next success, or with the last of its sources.
            progress.faults = progress.faults.filter { work, _ in
                if case .sync(of: let sources) = work { sources.isSubset(of: sender.sources.keys) } else { true }
            }
            if progress.faults.count < count { failing(progress.faults.values.first) }
            let write = progress.begun[part].flatMap { poll.outlook.nextDue(after: $0) }
            progress.due[part] = [write, poll.nextSync].compactMap(\.self).min()
            return poll
        case .failure(let error):
            note(error, of: part, &progress)
            return nil
        }
    }

    /// Logs a failure that the loop outlasts, once until it changes. Any other failure ends the loop.
    private func note(_ error: StoreError, of part: Work, _ progress: inout LoopState) {
        if error.kind == .cancelled, Task.isCancelled { return }
        guard outlastsFailures, error.kind.mayHeal else {
            progress.failure = progress.failure ?? error
            return
        }
        let last = progress.faults.updateValue(error, forKey: part)
        guard last?.kind != error.kind || last?.message != error.message else { return }
        failing(error)
        sender.environment.logger.error(
            "the store failed; the service tries again",
            metadata: [
                "part": "\(part)", "kind": "\(error.kind.rawValue)", "message": "\(error.description)",
            ])
    }
}
