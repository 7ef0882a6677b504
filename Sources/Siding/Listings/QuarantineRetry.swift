internal import SidingChain
internal import SidingJSON
internal import SidingSQLite
internal import SidingSynchronization

/// Retries quarantined records inside a transaction.
struct QuarantineRetry {
    let resources: [AnyResource]
    let run: RunID
    let now: Timestamp
    /// The lease holders of resources that other runs are using; their records are skipped.
    let holders: [String: LeaseHolder]

    struct Retried {
        var changes: [QuarantineChange] = []
        var counters: [String: RunCounters] = [:]
        /// The keys already saved, by resource; further records with them are older.
        var settled: [String: Set<String>] = [:]
    }

    func retry(_ selection: QuarantineSelection, _ transaction: borrowing Transaction) throws -> Retried {
        var result = Retried()
        // Holds one body in memory at a time; the newest record of each key comes first.
        for record in try QuarantineTable.find(selection, transaction).sorted(by: {
            ($0.seenAt, $1.id) > ($1.seenAt, $0.id)
        }) {
            if let holder = holders[record.resource] {
                let refusal = "\(holder.message(holding: record.resource)): wait for it"
                result.changes.append(QuarantineChange(record: record, refusal: refusal, heldBy: holder))
                continue
            }
            var counters = result.counters[record.resource] ?? RunCounters()
            let refusal = try retry(record, &counters, &result.settled[record.resource, default: []], transaction)
            result.counters[record.resource] = counters
            result.changes.append(QuarantineChange(record: record, refusal: refusal))
        }
        for (resource, counters) in result.counters {
            try RunResourcesTable.add(counters, to: resource, in: run, transaction)
        }
        return result
    }

    /// - Returns: why the record stays in quarantine; nil if it was saved.
    private func retry(
        _ record: QuarantinedRecord, _ counters: inout RunCounters, _ settled: inout Set<String>,
        _ transaction: borrowing Transaction
    ) throws -> String? {
        guard let resource = resources.first(where: { $0.name == record.resource }) else {
            return "the config has no resource '\(PlainText.oneLine(record.resource, limit: 80))'"
        }
        if record.code == PageQuarantine.answerCode {
            return "it is an answer that a rule of `errors:` quarantined: the next sync requests its page again"
        }
        guard let page = try page(of: record, as: resource, transaction), let slice = Self.slice(of: page, as: resource)
        else {
            return record.size < PageQuarantine.keptBytes
                ? "it is not a valid record"
                : "only its first \(PageQuarantine.keptBytes >> 20) MiB are kept: the next sync reads its page again"
        }
        guard let known = try ResourcesTable.load(named: resource.name, transaction) else {
            return "the resource was never synced"
        }
        if let refusal = try declare(resource, known, &counters, transaction) { return refusal }
        guard let row = try ResourcesTable.load(named: resource.name, transaction) else { return nil }
        guard case .key(let place) = slice.outcome else {
            return try save(slice, page, record, row, &counters, transaction)
        }
        let key = page.withUnsafeBytes { place.text(in: $0) }
        guard try !settled.contains(key) && !isOutdated(record, key: key, row.id, transaction) else {
            counters.stale += 1
            return "a newer record of its key is stored"
        }
        let refusal = try save(slice, page, record, row, &counters, transaction)
        if refusal == nil { settled.insert(key) }
        return refusal
    }

    private func save(
        _ slice: RecordSlice, _ page: [UInt8], _ record: QuarantinedRecord, _ row: ResourceRow,
        _ counters: inout RunCounters, _ transaction: borrowing Transaction
    ) throws -> String? {
        var schema = row.schema
        schema.contract = schema.contract.withoutFailing
        let request = try ProvenanceTable.nextID(transaction)
        var saver = RecordSaver(
            row: row, contract: schema, filter: schema, run: run, now: now,
            incoming: try IncomingChanges.load(
                row, run: run, now: now, transitions: nil, request: request, transaction),
            mark: resources.first { $0.name == record.resource }?.deletions.mark, cause: .quarantine, request: request)
        var refusal: String?
        let saved = try page.withUnsafeBytes { bytes in
            try saver.save([slice], of: bytes, transaction) { _, breach in
                refusal = breach.reason
                try QuarantineTable.set(breach, of: record.id, transaction)
            }
        }
        counters += saved.counters
        guard refusal == nil else { return refusal }
        if saved.isWritten {
            try ProvenanceTable.insert(RequestRow(quarantined: record, run: run), as: request, of: row.id, transaction)
        }
        try PageValidators(resource: row.id).forget(whereQuarantined: record.id, transaction)
        if !record.scope.isEmpty {
            try page.withUnsafeBytes { bytes in
                try RecordScopes(resource: row.id, scope: record.scope, revision: row.revision + 1)
                    .save([slice], except: [], in: bytes, transaction)
            }
        }
        try QuarantineTable.remove(record.id, transaction)
        _ = try ColumnInference(resource: row.id, name: record.resource, run: run, schema: schema)
            .addColumns(of: [slice], in: page, knownMemberSets: [], transaction)
        return nil
    }

    /// The record as a page of its own, under the key of its member if that is its key, without members that the config drops
    /// now.
    private func page(
        of record: QuarantinedRecord, as resource: AnyResource, _ transaction: borrowing Transaction
    ) throws -> [UInt8]? {
        let selection = QuarantineSelection(ids: [record.id], limit: 1)
        guard let stored = try QuarantineTable.find(selection, withBodies: true, transaction).first else { return nil }
        let removal = MemberRemoval(resource.schema.transforms.dropped)
        let body = stored.body.withUnsafeBytes { removal.applied(to: $0) } ?? stored.body
        guard resource.key == [.memberName], let key = record.key else {
            return [UInt8(ascii: "[")] + body + [UInt8(ascii: "]")]
        }
        return Array("{\(JSONDocument(string: key)):".utf8) + body + [UInt8(ascii: "}")]
    }

    private static func slice(of page: [UInt8], as resource: AnyResource) -> RecordSlice? {
        let reader = PageReader(
            records: .root.appending(.child), key: resource.key, limits: resource.source.jsonLimits)
        return page.withUnsafeBytes { try? reader.read($0).records.first }
    }

    /// Applies the config's record schema to the resource.
    ///
    /// - Returns: why this needs a sync instead; nil if it was done.
    private func declare(
        _ resource: AnyResource, _ known: ResourceRow, _ counters: inout RunCounters,
        _ transaction: borrowing Transaction
    ) throws -> String? {
        guard known.schema != resource.schema else { return nil }
        let left = try StoredRecordTransforms(resource: known.id, run: run, now: now)
            .recordsToRemove(by: resource.schema, after: known.schema, transaction)
        if let left, left.isTooMuch(for: resource.deletions) {
            return "'where' changed and leaves out \(left.count) of \(left.stored) stored records: 'siding sync "
                + "\(resource.name)' comes first"
        }
        counters.deleted += try DeclaredSchema(resource: known.id, name: resource.name, run: run)
            .apply(resource.schema, now: now, transaction)
        return nil
    }

    /// Whether the origin or the program wrote the record after these bytes were last received.
    ///
    /// The time is that of the request that brought the stored body: later changes by the config, such as `drop`, or an undone
    /// deletion do not count. Records saved by the program, or before requests were stored, have no request.
    private func isOutdated(
        _ record: QuarantinedRecord, key: String, _ resource: Int64, _ transaction: borrowing Transaction
    ) throws -> Bool {
        let table = try RecordsTable.load(resource, transaction)
        return try transaction.exists(
            """
            SELECT 1 FROM \(table.rows) r LEFT JOIN siding_server_copies b ON b.resource = ?1 AND b.key = ?3
                LEFT JOIN siding_provenance q ON q.id = CASE WHEN b.id IS NULL THEN r.request ELSE b.request END
            WHERE r.key = ?2 AND MAX(COALESCE(q.at, r.changed_at), COALESCE(r.deleted_at, 0)) > ?4
            """, resource, table.key(key), key, record.seenAt.microseconds)
    }
}

extension RecordContract {
    /// The contract with quarantine instead of failure: refused records stay where they are.
    fileprivate var withoutFailing: RecordContract {
        RecordContract(
            newFields: newFields == .fail ? .quarantine : newFields, missingKey: .quarantine,
            typeChange: typeChange == .fail ? .quarantine : typeChange)
    }
}

extension RequestRow {
    /// The request of a record saved from quarantine, as the origin last sent it.
    fileprivate init(quarantined record: QuarantinedRecord, run: RunID) {
        self.init(cause: .quarantine, run: run, method: "GET", url: record.url, at: record.seenAt)
    }
}

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
        var (leases, holders) = ([Lease](), [String: LeaseHolder]())
        let result: Result<[QuarantineChange], StoreError>
        do throws(StoreError) {
            // A retry may change a resource's record schema, so no other run may save pages meanwhile.
            for resource in meant.intersection(resources.map(\.name)).sorted() {
                switch try await acquireLease(Lease.name(ofResource: resource), command: "quarantine retry") {
                case .acquired(let lease): leases.append(lease)
                case .held(let holder): holders[resource] = holder
                }
            }
            result = .success(try await retry(selection, as: resources, leases, holders))
            // Its declarations may be newer than those of the last sync; what is left of this, the next one does.
            for resource in meant { _ = try? await rewriteRecords(of: resource) }
        } catch { result = .failure(error) }
        let held = leases
        try await uncancelled { () throws(StoreError) in for lease in held { try await self.releaseLease(lease) } }
        return try result.get()
    }

    private func retry(
        _ selection: QuarantineSelection, as resources: [AnyResource], _ leases: [Lease],
        _ holders: [String: LeaseHolder]
    ) async throws(StoreError) -> [QuarantineChange] {
        let run = try await beginRun(command: "quarantine retry")
        let now = clock.now
        let me = try ownerID()
        do throws(StoreError) {
            let result = try await write { transaction in
                for lease in leases { try Self.check(lease, owner: me, transaction) }
                return try QuarantineRetry(resources: resources, run: run, now: now, holders: holders)
                    .retry(selection, transaction)
            }
            for (resource, counters) in result.counters.sorted(by: { $0.key < $1.key }) {
                let changes = result.changes.filter { $0.record.resource == resource }
                let result = RunResource(
                    resource: resource, outcome: RunOutcome(ofRetry: changes), counters: counters)
                try await endResource(result, in: run)
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
