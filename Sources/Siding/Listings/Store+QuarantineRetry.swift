// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// The first retries are few: a record may be large, or bring columns.
    private static let retries = Batches.Limits(first: 20, rows: 10...2_000)

    /// Retries quarantined records with the present declarations of `resources`, in a run of its own and as many transactions
    /// as let other writers in.
    ///
    /// Saved records leave the quarantine. Records stay if the origin or the program wrote a newer version, or if another run
    /// holds the resource's lease.
    /// - Returns: a change per record, the newest first. If the store itself fails, what was saved before stays saved.
    package func retryQuarantined(
        _ selection: QuarantineSelection, as resources: [AnyResource]
    ) async throws(StoreError) -> [QuarantineChange] {
        let found = try await quarantined(selection)
        // An empty selection needs no run.
        guard !found.isEmpty else { return [] }
        let run = try await beginRun(command: Run.retryOfQuarantine)
        let result: Result<[QuarantineChange], StoreError>
        do throws(StoreError) {
            var changes: [QuarantineChange] = []
            for (name, records) in Dictionary(grouping: found, by: \.resource).sorted(by: { $0.key < $1.key }) {
                changes += try await retry(
                    records, of: name, as: resources.first { $0.name == name }, isNamed: !selection.ids.isEmpty, in: run
                )
            }
            changes.sort { $0.record.isNewer(than: $1.record) }
            result = .success(changes)
        } catch { result = .failure(error) }
        let outcome: RunOutcome =
            switch result {
            case .success(let changes): RunOutcome(ofRetry: changes)
            case .failure: .failed
            }
        do throws(StoreError) {
            try await uncancelled { () throws(StoreError) in try await self.endRun(run, outcome: outcome) }
        } catch {
            // The first error is the cause; a run that nobody ended counts as interrupted.
            if case .success = result { throw error }
        }
        return try result.get()
    }

    private func retry(
        _ records: [QuarantinedRecord], of name: String, as resource: AnyResource?, isNamed: Bool, in run: RunID
    ) async throws(StoreError) -> [QuarantineChange] {
        guard let resource else {
            let refusal = "the config has no resource '\(PlainText.oneLine(name, limit: 80))'"
            let changes = records.map { QuarantineChange(record: $0, refusal: refusal) }
            try await endResource(RunResource(resource: name, outcome: RunOutcome(ofRetry: changes)), in: run)
            return changes
        }
        // A retry may change the resource's record schema, so no other run may save pages meanwhile.
        return try await withLease(Lease.name(ofResource: name), command: Run.retryOfQuarantine) {
            lease throws(StoreError) in
            let changes = try await retry(records, as: resource, isNamed: isNamed, under: lease, in: run)
            // Its declarations may be newer than those of the last sync; what is left of this, the next one does.
            _ = try? await rewriteRecords(of: name)
            return changes
        } ifHeld: { holder in
            let refusal = "\(holder.message(holding: name)): wait for it"
            return records.map { QuarantineChange(record: $0, refusal: refusal, heldBy: holder) }
        }
    }

    private func retry(
        _ records: [QuarantinedRecord], as resource: AnyResource, isNamed: Bool, under lease: Lease, in run: RunID
    ) async throws(StoreError) -> [QuarantineChange] {
        let records = records.sorted { $0.isNewer(than: $1) }
        var batches = Batches(self, Self.retries)
        var total = QuarantineRetry.Retried()
        while total.changes.count < records.count {
            if Task.isCancelled { throw StoreError(.cancelled, "cancelled; what was saved stays saved") }
            let left = records[total.changes.count...]
            let (now, me, savedKeys) = (clock.now, try ownerID(), total.savedKeys)
            let done = try await batches.write { rows, transaction in
                try Self.check(lease, owner: me, transaction)
                return try QuarantineRetry(
                    resource: resource, run: run, now: now, isNamed: isNamed, savedKeys: savedKeys
                ).retry(Array(left.prefix(rows)), transaction)
            }
            total.changes += done.changes
            total.counters += done.counters
            total.savedKeys.formUnion(done.savedKeys)
            if done.counters.changed > 0 { changeSignal.fire() }
        }
        let result = RunResource(
            resource: resource.name, outcome: RunOutcome(ofRetry: total.changes), counters: total.counters)
        try await endResource(result, in: run)
        return total.changes
    }
}

extension QuarantinedRecord {
    /// The order in which records are retried, so that the newest of a key is saved.
    fileprivate func isNewer(than other: QuarantinedRecord) -> Bool {
        (seenAt, other.id) > (other.seenAt, id)
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
