internal import Logging
internal import SidingChain
package import SidingNetwork

/// The loop of ``Siding/run()`` and of `siding queue run --watch`: it sends writes and syncs resources side by side, so that
/// neither waits for the other.
///
/// It looks for due work at least once per pace, and at once when the network changes. When its task is cancelled, it
/// claims nothing more, and ends when all that was under way has ended.
package struct ServiceLoop: Sendable {
    let sender: WriteSender
    let sources: Set<String>?
    let pace: Duration
    let changes: NetworkChanges?
    let outlastsFailures: Bool
    let report: @Sendable (QueueEntry) -> Void
    let sync: (@Sendable () async throws(StoreError) -> Void)?
    private var parts: [Work] { sync == nil ? [.writes] : [.writes, .syncs] }

    /// - Parameters:
    ///   - sources: only writes of these are sent; nil for all.
    ///   - pace: how often it looks at least.
    ///   - changes: tells when links, addresses and routes change; nil looks by the clock alone.
    ///   - outlastsFailures: whether it logs a failure of the store that may heal, and goes on, instead of throwing it.
    ///   - report: told as each write is settled.
    ///   - sync: syncs the resources that are due now; nil to send writes alone.
    package init(
        sender: WriteSender, sources: Set<String>? = nil, pace: Duration, changes: NetworkChanges?,
        outlastsFailures: Bool = false, report: @escaping @Sendable (QueueEntry) -> Void = { _ in },
        sync: (@Sendable () async throws(StoreError) -> Void)? = nil
    ) {
        (self.sender, self.sources, self.pace, self.changes) = (sender, sources, pace, changes)
        (self.outlastsFailures, self.report, self.sync) = (outlastsFailures, report, sync)
    }

    private enum Work: String, Sendable {
        case writes, syncs
    }

    private enum Event: Sendable {
        /// The pace is over, or the network has changed.
        case woken
        case looked(Work, Result<Look, StoreError>)
    }

    /// What one look of a part came to.
    private struct Look: Sendable {
        var isIdle = true
        /// What there is to send after it, where that is known.
        var outlook: QueueOutlook?
    }

    private struct Course {
        var running: Set<Work> = []
        /// From before the last look of each part, so that no change falls between.
        var marks: [Work: NetworkChanges.Mark] = [:]
        var isPausing = false
        var reachable: Set<String>
        /// The failure of each part's last look.
        var faults: [Work: StoreError] = [:]
        /// What ends the loop.
        var failure: StoreError?
    }

    /// Runs until `isDone` says so or the task is cancelled.
    ///
    /// - Parameter isDone: asked after each look while nothing else is under way, by what there is to send then.
    /// - Throws: ``StoreError`` where the store fails, once what was under way has ended.
    @concurrent
    package func run(
        until isDone: @Sendable (QueueOutlook) async throws(StoreError) -> Bool = { _ in false }
    ) async throws(StoreError) {
        let failure = await withTaskGroup(of: Event.self, returning: StoreError?.self) { group in
            var progress = Course(reachable: sender.reachable(sources))
            start(parts, &progress, in: &group)
            while let event = await group.next() {
                switch event {
                case .woken:
                    progress.isPausing = false
                    await wake(parts, &progress, in: &group)
                case .looked(let part, let result):
                    progress.running.remove(part)
                    let look = take(result, of: part, &progress)
                    if await isOver(look, isDone, &progress) {
                        group.cancelAll()
                        return progress.failure
                    }
                    if look?.isIdle == false {
                        start([part], &progress, in: &group)
                    } else if changes?.mark != progress.marks[part] {
                        await wake([part], &progress, in: &group)
                    }
                }
                rest(&progress, in: &group)
            }
            return progress.failure
        }
        if let failure { throw failure }
    }

    // MARK: Looking

    private func start(_ parts: [Work], _ progress: inout Course, in group: inout TaskGroup<Event>) {
        guard !Task.isCancelled, progress.failure == nil else { return }
        for part in parts where progress.running.insert(part).inserted {
            progress.marks[part] = changes?.mark
            group.addTask { .looked(part, await look(part)) }
        }
    }

    private func look(_ part: Work) async -> Result<Look, StoreError> {
        do throws(StoreError) {
            switch part {
            case .writes:
                let (outlook, isIdle) = try await sender.look(sources, report: report)
                return .success(Look(isIdle: isIdle, outlook: outlook))
            case .syncs:
                try await sync?()
                return .success(Look())
            }
        } catch { return .failure(error) }
    }

    /// Whether there is nothing more to wait for.
    private func isOver(
        _ look: Look?, _ isDone: @Sendable (QueueOutlook) async throws(StoreError) -> Bool,
        _ progress: inout Course
    ) async -> Bool {
        guard progress.running.isEmpty else { return false }
        guard progress.failure == nil, !Task.isCancelled else { return true }
        guard let look else { return false }
        do throws(StoreError) {
            guard let outlook = look.outlook else { return try await isDone(try await sender.outlook(sources)) }
            return try await isDone(outlook)
        } catch {
            note(error, of: .writes, &progress)
            return progress.failure != nil
        }
    }

    // MARK: Waiting

    /// Ends the waits for the network where it returned, and looks again.
    private func wake(_ parts: [Work], _ progress: inout Course, in group: inout TaskGroup<Event>) async {
        let reachable = sender.reachable(sources)
        let returned = reachable.subtracting(progress.reachable)
        do throws(StoreError) {
            if !returned.isEmpty { try await sender.store.endWaits(of: returned, because: .lineReturned) }
            progress.reachable = reachable
        } catch { note(error, of: .writes, &progress) }
        start(parts, &progress, in: &group)
    }

    /// Sees to it that a part which is at rest is woken.
    private func rest(_ progress: inout Course, in group: inout TaskGroup<Event>) {
        guard !Task.isCancelled, progress.failure == nil, !progress.isPausing, progress.running.count < parts.count
        else { return }
        progress.isPausing = true
        // No part at rest has looked after this: a change since then wakes it.
        let mark = parts.filter { !progress.running.contains($0) }.compactMap { progress.marks[$0] }.first
        group.addTask {
            await pause(after: mark)
            return .woken
        }
    }

    /// Waits for the pace, or until the network changes.
    private func pause(after mark: NetworkChanges.Mark?) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await sender.environment.clock.sleep(for: pace) }
            if let changes, let mark { group.addTask { await changes.next(after: mark) } }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Failures of the store

    private func take(_ result: Result<Look, StoreError>, of part: Work, _ progress: inout Course) -> Look? {
        switch result {
        case .success(let look):
            progress.faults[part] = nil
            return look
        case .failure(let error):
            note(error, of: part, &progress)
            return nil
        }
    }

    /// Logs a failure that the loop outlasts, once until it changes; any other ends the loop.
    private func note(_ error: StoreError, of part: Work, _ progress: inout Course) {
        if error.kind == .cancelled, Task.isCancelled { return }
        guard outlastsFailures, error.kind.mayHeal else {
            progress.failure = progress.failure ?? error
            return
        }
        let last = progress.faults.updateValue(error, forKey: part)
        guard last?.kind != error.kind || last?.message != error.message else { return }
        sender.environment.logger.error(
            "the store failed; the service tries again",
            metadata: [
                "part": "\(part.rawValue)", "kind": "\(error.kind.rawValue)", "message": "\(error.description)",
            ])
    }
}
