// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// What one of several stations fetches.
extension SyncEngine {
    /// The same engine for one shard of `resources`, which are all that are declared; for nil, of everything.
    package func sharing(_ shard: Shard?, of resources: [AnyResource]) -> SyncEngine {
        var engine = self
        (engine.shard, engine.declared) = (shard, resources)
        return engine
    }

    /// Whether this station fetches the resource, or parents of it.
    package func fetches(_ resource: AnyResource) -> Bool { shard?.fetches(resource, among: declared) ?? true }

    /// See ``Shard/dividing(_:among:)``.
    func shard(dividing resource: AnyResource) -> Shard? { shard?.dividing(resource, among: declared) }

    /// The option that a command shown to a person needs, with a space behind it; empty without a shard.
    var shardOption: String { shard.map { "--shard \($0) " } ?? "" }

    /// The report of a resource that another shard fetches; nil for one of this station. Its pages in the queue are superseded: nobody
    /// would fetch them here.
    func leftToOthers(_ resource: AnyResource, _ command: String) async throws(StoreError) -> SyncReport? {
        guard let shard, !fetches(resource) else { return nil }
        var report = SyncReport(resource.name, .skipped)
        let owner = "shard \(shard.owner(of: resource.name)) of \(shard.count) fetches it"
        report.add(note: owner)
        if try await store.freshness(of: resource.name)?.completedAt != nil {
            report.warn(
                "\(owner) now, and the records in this file stay as they are: 'siding records forget \(resource.name)' "
                    + "removes them")
        }
        let retained = QueueSelection(resources: [resource.name], kinds: [.fetch])
        guard try await !store.entries(retained, limit: 1).isEmpty else { return report }
        return try await store.withLease(
            Lease.name(ofResource: resource.name), command: command, by: environment.clock
        ) { lease throws(StoreError) in
            try await store.supersedeFetches(of: resource.name, because: owner, under: lease)
            return report
        } ifHeld: { holder in
            held(resource, by: holder)
        }
    }
}

extension ResourceSync {
    /// Reports the records whose parents other shards fetch, and that were deleted or kept.
    func report(ofOtherShards counters: RunCounters, _ report: inout SyncReport) {
        if counters.deleted > 0 {
            let were = MessageFormat.count(counters.deleted, "record was", plural: "records were")
            report.add(note: "\(were) deleted here, as other shards fetch the parents")
        }
        guard counters.deletionsBlocked > 0 else { return }
        report.warn(
            "other shards fetch the parents of \(MessageFormat.count(counters.deletionsBlocked, "record")). "
                + "\(resource.deletions.excess), so nothing was deleted. To delete them: siding sync \(resource.name) "
                + "\(engine.shardOption)--accept-deletes")
    }
}

extension Store {
    /// The keys of the due parents that the shard owns; those of the selection, nil for all, without a shard.
    func keys(of selection: ParentSelection, in shard: Shard?) async throws(StoreError) -> [String]? {
        guard let shard else { return selection.keys }
        return try await parentKeys(selection).filter { shard.owns(parent: $0, of: selection.resource) }
    }

    /// Supersedes the retained fetches of a resource that this station does not fetch any more.
    fileprivate func supersedeFetches(
        of resource: String, because reason: String, under lease: Lease
    ) async throws(StoreError) {
        try await write(under: lease) { queue, transaction in
            guard let id = try ResourcesTable.id(of: resource, transaction) else { return }
            try ListingOpener.discardAll(of: id, named: resource, because: reason, queue, transaction)
        }
    }
}
