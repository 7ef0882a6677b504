internal import SidingChain

extension SyncEngine {
    /// This engine, which reports its runs and pages to the readers of events.
    func reporting(to activity: Activity) -> SyncEngine {
        var engine = self
        engine.progress = { [wallClock = environment.wallClock] page in
            activity.note(progressAt: wallClock.now)
            activity.events.publish(.pageSaved(resource: page.resource, page: page.page, page.counters))
        }
        engine.events = activity.events.publish
        return engine
    }
}

extension Siding {
    /// Reports the pages that these syncs left in the queue. A store that cannot be read is no reason to fail a sync.
    func announce(_ reports: [SyncReport]) async {
        guard activity.events.hasReaders else { return }
        let kept = reports.compactMap(\.result.entry)
        guard !kept.isEmpty, let entries = try? await store.entries(QueueSelection(ids: kept)) else { return }
        for entry in entries {
            activity.events.publish(.entryChanged(entry))
        }
    }
}
