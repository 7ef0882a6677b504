// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingNetwork
internal import SidingSynchronization

/// How the loop waits, and what wakes it.
extension ServiceLoop {
    /// Waits for the next write that the program makes due. Those until then are found by one look.
    func listen(in group: inout TaskGroup<Event>, past count: UInt64?) {
        guard let dueWrites, let count, !Task.isCancelled else { return }
        group.addTask {
            await dueWrites.wait(past: count)
            return .writesDue
        }
    }

    /// Ends the waits for the network where it returned, and looks again.
    /// After a change it may have returned wherever it is now: a line that was lost for a moment is seen before and after alone.
    /// What failed in a poll that began before the change waits, too, although others have been ended since.
    ///
    /// - Parameter ended: what has just ended, besides the idle ones of `parts`.
    func wake(
        _ parts: [Part], after ended: Work? = nil, _ progress: inout Progress, in group: inout TaskGroup<Event>
    ) async {
        let mark = changes?.mark
        let reachable = sender.reachable(sources)
        let idle = idle(parts, progress) + [ended].compactMap(\.self)
        let hasChanged = mark != progress.seen || idle.contains { progress.marks[$0]?.network != mark }
        let returned = hasChanged ? reachable : reachable.subtracting(progress.reachable)
        do throws(StoreError) {
            if !returned.isEmpty {
                try await sender.store.endWaits(of: returned, because: .lineReturned)
                // A look that is under way may not have seen what is due now.
                for part in parts { progress.marks[.look(part)]?.isOutdated = true }
            }
            (progress.reachable, progress.seen) = (reachable, mark)
        } catch {
            // To be made up for by the next wake-up.
            progress.reachable = []
            note(error, of: .look(.writes), &progress)
        }
        start(parts, &progress, in: &group)
    }

    /// The looks of these parts that are not under way.
    private func idle(_ parts: [Part], _ progress: Progress) -> [Work] {
        parts.map(Work.look).filter { !progress.running.contains($0) }
    }

    /// Schedules the next wake-up for the parts that are idle: after the pace, or when something becomes due before that.
    func rest(_ progress: inout Progress, in group: inout TaskGroup<Event>) {
        let now = sender.environment.wallClock.now
        let moment = progress.due.values.map { max($0, now) }.reduce(now + pace, min)
        // A pause that should be over goes on where only the wall clock has moved.
        let idle = idle(parts, progress)
        guard !Task.isCancelled, progress.failure == nil, progress.wakesAt.map({ moment < $0 || $0 < now }) ?? true,
            !idle.isEmpty
        else { return }
        progress.wakesAt = moment
        // Idle parts have polled no later than this, so a change since then wakes them.
        let mark = idle.compactMap { progress.marks[$0] }.first
        // The time runs from here, whenever the task begins.
        let rest = sender.environment.clock.rest(for: moment - now)
        group.addTask {
            await pause(for: rest, after: mark)
            return .woken(moment)
        }
    }

    func isOutdated(_ mark: Mark) -> Bool {
        mark.isOutdated || changes?.mark != mark.network || mark.sender.replaced.count > 0
    }

    /// Waits for the end of `rest`, or until the network or the sender changes.
    private func pause(for rest: @escaping @Sendable () async -> Void, after mark: Mark?) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await rest() }
            if let changes, let mark = mark?.network { group.addTask { await changes.next(after: mark) } }
            if let mark { group.addTask { await mark.sender.replaced.wait(past: 0) } }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Clock where Duration == Swift.Duration {
    /// A rest whose time runs from now.
    fileprivate func rest(for time: Duration) -> @Sendable () async -> Void {
        let end = now.advanced(by: time)
        return { try? await sleep(until: end, tolerance: nil) }
    }
}
