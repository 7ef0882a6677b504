// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

extension Siding {
    /// What happens from now on: runs, saved pages, entries of the queue, changes of records. Each access makes a reader of its
    /// own; there may be any number, and none holds up a sync.
    ///
    /// ```swift
    /// for await event in siding.events {
    ///     if case .recordsChanged(let resource) = event { print("\(resource) changed") }
    /// }
    /// ```
    /// Runs, pages and entries are those of this ``Siding`` and its copies; changes of records are those of all processes.
    public var events: Events {
        Events(store: store, buffer: activity.events.makeBuffer(), clock: activity.clock)
    }

    /// Reports the pages that these syncs left in the queue. A store that cannot be read is no reason to fail a sync.
    ///
    /// An answered page ends the waits of an outage, and opens the gate for writes whose own time has come before.
    func announce(_ reports: [SyncReport]) async {
        activity.dueWrites.fire()
        guard activity.events.hasReaders else { return }
        let kept = reports.compactMap(\.result.entry)
        guard !kept.isEmpty, let entries = try? await store.entries(QueueSelection(ids: kept)) else { return }
        for entry in entries {
            activity.events.publish(.entryChanged(entry))
        }
    }
}

extension SyncEngine {
    /// This engine, which reports its runs and pages to the readers of events.
    func reporting(to activity: Activity) -> SyncEngine {
        var engine = self
        engine.progress = { [wallClock = environment.wallClock] page in
            activity.note(progressAt: wallClock.now)
            activity.events.publish(.pageSaved(resource: page.resource, page: page.page, page.counters))
        }
        engine.began = { activity.events.publish(.runBegan($0, resources: $1)) }
        engine.ended = { activity.events.publish(.runEnded($0, $1)) }
        return engine
    }
}
