internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Retries quarantined records with the present declarations of `resources`, in one transaction and a run of its own.
    ///
    /// Saved records leave the quarantine. Records stay if the origin or the program wrote a newer version, or if another run
    /// holds the resource's lease.
    package func retryQuarantined(
        _ selection: QuarantineSelection, as resources: [AnyResource]
    ) async throws(StoreError) -> [QuarantineChange] {
        // An empty selection needs no run.
        let meant = Set(try await quarantined(selection).map(\.resource))
        guard !meant.isEmpty else { return [] }
        var selection = selection
        // Records quarantined from now on may belong to resources that another run is using.
        if selection.ids.isEmpty { selection.resources = meant.sorted() }
        let held = try await Self.hold(meant.intersection(resources.map(\.name)).sorted(), in: self)
        let result: Result<[QuarantineChange], StoreError>
        do throws(StoreError) {
            let changes = try await retry(selection, as: resources, held)
            // Its declarations may be newer than those of the last sync.
            for resource in meant { _ = try await rewriteRecords(of: resource) }
            result = .success(changes)
        } catch { result = .failure(error) }
        let leases = held.leases
        try await uncancelled { () throws(StoreError) in for lease in leases { try await self.releaseLease(lease) } }
        return try result.get()
    }

    /// The leases acquired for a retry, and the holders of the others.
    private struct HeldLeases: Sendable {
        var leases: [Lease] = []
        var holders: [String: LeaseHolder] = [:]
    }

    /// Acquires the leases: a retry may change a resource's record schema, so no other run may save pages meanwhile.
    private static func hold(_ resources: [String], in store: Store) async throws(StoreError) -> HeldLeases {
        var held = HeldLeases()
        do throws(StoreError) {
            for resource in resources {
                let name = Lease.name(ofResource: resource)
                switch try await store.acquireLease(name, command: "quarantine retry") {
                case .acquired(let lease): held.leases.append(lease)
                case .held(let holder): held.holders[resource] = holder
                }
            }
        } catch {
            for lease in held.leases { try? await store.releaseLease(lease) }
            throw error
        }
        return held
    }

    private func retry(
        _ selection: QuarantineSelection, as resources: [AnyResource], _ held: HeldLeases
    ) async throws(StoreError) -> [QuarantineChange] {
        let run = try await beginRun(command: "quarantine retry")
        let now = clock.now
        let me = try ownerID()
        do throws(StoreError) {
            let result = try await write { transaction in
                for lease in held.leases { try Self.check(lease, owner: me, transaction) }
                return try QuarantineRetry(resources: resources, run: run, now: now, holders: held.holders)
                    .retry(selection, transaction)
            }
            for (resource, counters) in result.counters.sorted(by: { $0.key < $1.key }) {
                let changes = result.changes.filter { $0.record.resource == resource }
                let line = RunResource(
                    resource: resource, outcome: RunOutcome(ofRetry: changes), counters: counters)
                try await endResource(line, in: run, extra: RunCounters())
            }
            try await endRun(run, outcome: RunOutcome(ofRetry: result.changes))
            if result.counters.values.contains(where: { $0.inserted + $0.updated + $0.deleted > 0 }) {
                changeSignal.fire()
            }
            return result.changes
        } catch {
            try? await endRun(run, outcome: .failed)
            throw error
        }
    }
}

extension RunOutcome {
    /// The outcome of a retry; records that stay in quarantine were not saved.
    fileprivate init(ofRetry changes: [QuarantineChange]) {
        let refused = changes.count { $0.refusal != nil }
        if changes.allSatisfy({ $0.heldBy != nil }) {
            self = .skipped
            return
        }
        self = refused == 0 ? .saved : refused == changes.count ? .failed : .partial
    }
}
