internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Retries quarantined records inside a transaction.
struct QuarantineRetry {
    let resources: [AnyResource]
    let run: RunID
    let now: Timestamp
    /// The lease holders of resources that other runs are using; their records are skipped.
    var holders: [String: LeaseHolder] = [:]

    struct Retried {
        var changes: [QuarantineChange] = []
        var counters: [String: RunCounters] = [:]
        /// The keys already saved, by resource; further records with them are older.
        var settled: [String: Set<String>] = [:]
    }

    func retry(_ selection: QuarantineSelection, _ transaction: borrowing Transaction) throws -> Retried {
        var result = Retried()
        // Holds one body in memory at a time; the newest record of each key comes first.
        for record in try QuarantineRows.find(selection, transaction).sorted(by: {
            ($0.seenAt, $1.id) > ($1.seenAt, $0.id)
        }) {
            if let holder = holders[record.resource] {
                let refusal = "\(holder.words(holding: record.resource)): wait for it"
                result.changes.append(QuarantineChange(record: record, refusal: refusal, heldBy: holder))
                continue
            }
            var counters = result.counters[record.resource] ?? RunCounters()
            let refusal = try retry(record, &counters, &result.settled[record.resource, default: []], transaction)
            result.counters[record.resource] = counters
            result.changes.append(QuarantineChange(record: record, refusal: refusal))
        }
        for (resource, counters) in result.counters {
            try RunCounting.add(counters, to: resource, in: run, transaction)
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
            return "it is an answer that a rule set aside: the next sync asks for the page again"
        }
        guard let page = try page(of: record, as: resource, transaction), let slice = Self.slice(of: page, as: resource)
        else {
            return "its bytes are no record"
        }
        guard let known = try ResourceRow.load(named: resource.name, transaction) else {
            return "the resource was never synced"
        }
        if let refusal = try declare(resource, known, &counters, transaction) { return refusal }
        guard let row = try ResourceRow.load(named: resource.name, transaction) else { return nil }
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
        let request = try RequestRow.nextID(transaction)
        var saver = RecordSaver(
            resource: row.id, keyType: row.keyType, run: run, now: now, revision: row.revision + 1,
            pull: try pull(record.resource, row, request, transaction), contract: schema.contract,
            check: try ContractCheck.load(schema, of: row.id, isGrown: row.wasCompleted, transaction),
            mark: resources.first { $0.name == record.resource }?.deletions.mark,
            condition: schema.transforms.condition, columns: schema.columns, cause: .quarantine,
            request: request)
        var refusal: String?
        let saved = try page.withUnsafeBytes { bytes in
            try saver.save([slice], of: bytes, transaction) { _, breach in
                refusal = breach.reason
                try transaction.execute(
                    "UPDATE siding_quarantine SET reason = ?2, code = ?3 WHERE id = ?1", record.id, breach.reason,
                    breach.code)
            }
        }
        counters += saved.counters
        guard refusal == nil else { return refusal }
        if saved.isWritten {
            try RequestRow(quarantined: record, run: run).insert(as: request, of: row.id, transaction)
        }
        try PageValidators(resource: row.id).forget(whereQuarantined: record.id, transaction)
        let scope = try transaction.first("SELECT scope FROM siding_quarantine WHERE id = ?1", record.id) { $0.text(0) }
        if let scope, !scope.isEmpty {
            try page.withUnsafeBytes { bytes in
                try RecordScopes(resource: row.id, scope: scope, revision: row.revision + 1)
                    .note([slice], except: [], in: bytes, transaction)
            }
        }
        try QuarantineRows.remove(record.id, transaction)
        _ = try ColumnInference(resource: row.id, name: record.resource, run: run, schema: row.schema)
            .addColumns(of: [slice], in: page, knownMemberSets: [], transaction)
        return nil
    }

    private func pull(
        _ resource: String, _ row: ResourceRow, _ request: Int64, _ transaction: borrowing Transaction
    ) throws -> RecordPull? {
        guard try ServerCopiesTable.hasAny(of: row.id, transaction) else { return nil }
        let overlay = EditProjection(resource: row.id, name: resource, now: now, revision: row.revision + 1)
        return RecordPull(overlay: overlay, run: run, transitions: nil, request: request)
    }

    /// The record as a page of its own, without members that the config drops now.
    private func page(
        of record: QuarantinedRecord, as resource: AnyResource, _ transaction: borrowing Transaction
    ) throws -> [UInt8]? {
        let removal = MemberRemoval(resource.schema.transforms.dropped)
        return try transaction.first("SELECT body FROM siding_quarantine WHERE id = ?1", record.id) { row in
            row.withBytes(0) { body in
                [UInt8(ascii: "[")] + (removal.applied(to: body) ?? Array(body)) + [UInt8(ascii: "]")]
            }
        }
    }

    private static func slice(of page: [UInt8], as resource: AnyResource) -> RecordSlice? {
        let reader = PageReader(records: .root, key: resource.key, limits: resource.source.jsonLimits)
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
            .look(at: resource.schema, after: known.schema, transaction)
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
        return try transaction.first(
            """
            SELECT MAX(COALESCE(q.at, r.changed_at), COALESCE(r.deleted_at, 0)) > ?4
            FROM \(table.rows) r LEFT JOIN siding_server_copies b ON b.resource = ?1 AND b.key = ?3
                LEFT JOIN siding_provenance q ON q.id = CASE WHEN b.id IS NULL THEN r.request ELSE b.request END
            WHERE r.key = ?2
            """, resource, table.key(key), key, record.seenAt.microseconds
        ) { $0.int(0) == 1 } ?? false
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
