internal import SidingChain

/// Has a look at what a changed condition would leave out, before the sync that would do it.
///
/// Opening a listing carries it out. So where too much would go, nothing is asked for at all, and what is stored, the view
/// and the definition stay as they are. What pages show is looked at when all is known: ``UnfitRecords``.
struct ConditionWatch: Sendable {
    let sync: ResourceSync

    /// - Returns: what is left out; nil where the condition is the one that records are kept by.
    func look() async throws(StoreError) -> LeftOutRecords? {
        // A listing of its own changes nothing that is declared.
        guard !sync.options.isAside, let store = sync.engine.store as? any ConditionStore else { return nil }
        return try await store.leftOut(by: sync.resource.shape, of: sync.resource.name)
    }

    /// Why nothing was done; nil where as much may go.
    func refusal(_ left: LeftOutRecords) -> ResourceSync.Report? {
        guard !sync.options.acceptsDeletes, left.isTooMuch(for: sync.resource.deletions) else { return nil }
        var report = ResourceSync.Report(line: RunResource(resource: sync.resource.name, outcome: .saved))
        report.extra.withheld = left.count
        report.warn(
            "'where' would leave out \(left.words), more than may go at once: "
                + "nothing was asked for, and nothing was changed; have a look, then "
                + "'siding sync \(sync.resource.name) --accept-deletes'")
        return report
    }
}
