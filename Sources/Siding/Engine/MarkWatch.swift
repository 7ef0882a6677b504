internal import SidingChain
internal import SidingJSON

/// Has a look at what a changed mark of `deletes:` says of stored records, before the sync that would delete them.
///
/// What the origin marks as deleted goes without a guard, as the origin said so. Where the config has another mark, only the
/// config did: `equals` with the value that living records have would delete all there is, page by page.
struct MarkWatch: Sendable {
    let sync: ResourceSync

    /// - Returns: what has the mark already; nil where it is the mark as before, or nothing has it.
    func look() async throws(StoreError) -> MarkedRecords? {
        let resource = sync.resource
        guard let mark = resource.deletions.mark, let store = sync.engine.store as? any DeletionMarkStore,
            let known = try await sync.engine.store.freshness(of: resource.name),
            ResourceDefinition(resource).differences(from: known.definition).contains(ResourceDefinition.markAspect)
        else { return nil }
        return try await store.marked(by: mark, of: resource.name)
    }

    /// Why nothing was done; nil where as much may go.
    func refusal(_ marked: MarkedRecords) -> ResourceSync.Report? {
        guard !sync.options.acceptsDeletes, marked.isTooMuch(for: sync.resource.deletions) else { return nil }
        var report = ResourceSync.Report(line: RunResource(resource: sync.resource.name, outcome: .saved))
        report.extra.withheld = marked.count
        report.warn(
            "'deletes' would delete \(words(marked)), more than may go at once: nothing was asked for, and nothing was "
                + "changed; have a look, then 'siding sync \(sync.resource.name) --accept-deletes'")
        return report
    }

    /// Tells what goes as pages show it.
    func note(_ marked: MarkedRecords, in report: inout ResourceSync.Report) {
        guard report.line.counters.deleted > 0 else { return }
        report.warn(
            "'deletes' changed: \(words(marked)) go as pages show them; 'siding records undelete \(sync.run)' takes that "
                + "back")
    }

    private func words(_ marked: MarkedRecords) -> String {
        let mark = sync.resource.deletions.mark.map { " (\(PlainText.oneLine("\($0)", limit: 80)))" } ?? ""
        return "\(marked.count) of \(marked.stored) stored records, which have the mark\(mark)"
    }
}
