// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Retries quarantined records of a resource, under its lease.
struct QuarantineRetry {
    let resource: AnyResource
    let run: RunID
    let now: Timestamp
    /// Whether an operator named the records, instead of all.
    let isNamed: Bool
    /// The keys that were saved before; further records with them are older.
    var savedKeys: Set<String> = []

    struct Retried {
        var changes: [QuarantineChange] = []
        var counters = RunCounters()
        /// The keys that are saved now.
        var savedKeys: Set<String> = []
    }

    /// The resource, read once for all records of a transaction.
    private struct Stored {
        /// As the records before left it: the first one of its kind makes another table.
        var table: RecordsTable
        let schema: RecordSchema
        var memberSets: Set<UInt64> = []

        init(_ table: RecordsTable) throws {
            self.table = table
            var schema = try table.row.schema
            schema.contract = schema.contract.withoutFailing
            self.schema = schema
        }
    }

    /// Where records can be saved; or why none can.
    private enum Readiness {
        case ready(Stored)
        case refused(String)
    }

    /// Retries `records`, the newest of each key first, in one transaction.
    func retry(_ records: [QuarantinedRecord], _ transaction: borrowing Transaction) throws -> Retried {
        var result = Retried()
        result.changes.reserveCapacity(records.count)
        var readiness: Readiness?
        for record in records {
            let refusal = try retry(record, &readiness, &result, transaction)
            result.changes.append(QuarantineChange(record: record, refusal: refusal))
        }
        try RunResourcesTable.add(result.counters, to: resource.name, in: run, transaction)
        return result
    }

    /// - Parameter readiness: nil until a record needs it: answers alone change no schema.
    /// - Returns: why the record stays in quarantine; nil if it was saved.
    private func retry(
        _ found: QuarantinedRecord, _ readiness: inout Readiness?, _ result: inout Retried,
        _ transaction: borrowing Transaction
    ) throws -> String? {
        if found.code == PageQuarantine.answerCode {
            return "it is an answer that a rule of `errors:` quarantined: the next sync requests its page again"
        }
        // Holds one body in memory at a time.
        let one = QuarantineSelection(ids: [found.id], limit: 1)
        guard let record = try QuarantineTable.find(one, withBodies: true, transaction).first else {
            return "it left the quarantine meanwhile"
        }
        let page = page(of: record)
        guard let slice = slice(of: page) else {
            return record.size < PageQuarantine.keptBytes
                ? "it is not a valid record"
                : "only its first \(PageQuarantine.keptBytes >> 20) MiB are kept: the next sync reads its page again"
        }
        let known = try readiness ?? ready(&result.counters, transaction)
        readiness = known
        guard case .ready(var stored) = known else {
            if case .refused(let refusal) = known { return refusal }
            return nil
        }
        var key: String?
        if case .key(let place) = slice.outcome { key = page.withUnsafeBytes { place.text(in: $0) } }
        if let key {
            let isCompleted = savedKeys.contains(key) || result.savedKeys.contains(key)
            guard try !isCompleted && !isOutdated(record, key: key, stored, transaction) else {
                result.counters.stale += 1
                return "a newer record of its key is stored"
            }
        }
        let refusal = try save(slice, page, record, &stored, &result.counters, transaction)
        if let key, refusal == nil { result.savedKeys.insert(key) }
        readiness = .ready(stored)
        return refusal
    }

    /// Applies the config's record schema to the resource, once per transaction. A sync has to do it where that removes too
    /// many records.
    private func ready(_ counters: inout RunCounters, _ transaction: borrowing Transaction) throws -> Readiness {
        guard let table = try RecordsTable.load(named: resource.name, transaction) else {
            return .refused("the resource was never synced")
        }
        guard (try? table.row.schema) != resource.schema else { return .ready(try Stored(table)) }
        let left = try StoredRecordTransforms(table: table, run: run, now: now)
            .recordsToRemove(by: resource.schema, after: table.row.schemaIfReadable, transaction)
        if let left, left.isTooMuch(for: resource.deletions) {
            return .refused(
                "'where' changed and leaves out \(MessageFormat.grouped(left.count)) of \(MessageFormat.count(left.stored, "stored record")): "
                    + "'siding sync \(resource.name)' comes first")
        }
        counters.deleted += try DeclaredSchema(row: table.row, run: run)
            .apply(resource.schema, now: now, transaction)
        // The schema has changed the row and the stored columns.
        return .ready(try Stored(Store.records(of: resource.name, transaction)))
    }

    private func save(
        _ slice: RecordSlice, _ page: [UInt8], _ record: QuarantinedRecord, _ stored: inout Stored,
        _ counters: inout RunCounters, _ transaction: borrowing Transaction
    ) throws -> String? {
        let (id, schema) = (stored.table.resource, stored.schema)
        let request = stored.table.row.requests + 1
        var saver = RecordSaver(
            table: stored.table, contract: schema, filter: schema, run: run, now: now, mark: resource.deletions.mark,
            cause: .quarantine, scope: record.scope, isNamed: isNamed, request: request)
        var refusal: String?
        let saved = try page.withUnsafeBytes { bytes in
            try saver.save([slice], of: bytes, transaction) { _, breach in
                refusal = breach.reason
                try QuarantineTable.set(breach, of: record.id, transaction)
            }
        }
        stored.table = saver.table
        counters += saved.counters
        guard refusal == nil else { return refusal }
        if saved.isWritten {
            stored.table.row.requests = request
            try ProvenanceTable.insert(RequestRow(quarantined: record, run: run), as: request, of: id, transaction)
        }
        try PageValidators(resource: id).forget(whereQuarantined: record.id, transaction)
        if !record.scope.isEmpty {
            try page.withUnsafeBytes { bytes in
                try RecordScopes(table: saver.table, scope: record.scope)
                    .save([slice], except: [], in: bytes, transaction)
            }
        }
        try QuarantineTable.remove([record.id], transaction)
        stored.memberSets.formUnion(
            try ColumnInference(resource: id, name: record.resource, run: run, schema: schema)
                .addColumns(of: [slice], in: page, knownMemberSets: stored.memberSets, transaction))
        return nil
    }

    /// The record as a page of its own, under the key of its member if that is its key, without members that the config drops
    /// now.
    private func page(of record: QuarantinedRecord) -> [UInt8] {
        let removal = MemberRemoval(resource.schema.transforms.dropped)
        let body = record.body.withUnsafeBytes { removal.applied(to: $0) } ?? record.body
        guard resource.key == [.memberName], let key = record.key else {
            return [UInt8(ascii: "[")] + body + [UInt8(ascii: "]")]
        }
        return Array("{\(JSONDocument(string: key)):".utf8) + body + [UInt8(ascii: "}")]
    }

    private func slice(of page: [UInt8]) -> RecordSlice? {
        let reader = PageReader(
            records: .root.appending(.child), key: resource.key, limits: resource.source.jsonLimits)
        // Whoever reads the refusal has the bytes in 'quarantine show'; where the reader stopped says nothing more.
        return page.withUnsafeBytes { try? reader.read($0).records.first }
    }

    /// Whether the origin or the program wrote the record after these bytes were last received.
    ///
    /// The time is that of the request that brought the stored body: later changes by the config, such as `drop`, or an undone
    /// deletion do not count. Records saved by the program, or before requests were stored, have no request.
    private func isOutdated(
        _ record: QuarantinedRecord, key: String, _ stored: Stored, _ transaction: borrowing Transaction
    ) throws -> Bool {
        let table = stored.table
        return try transaction.exists(
            """
            SELECT 1 FROM \(table.rows) r LEFT JOIN siding_server_copies b ON b.resource = ?1 AND b.key = ?3
                LEFT JOIN siding_provenance q
                    ON q.resource = ?1 AND q.id = CASE WHEN b.id IS NULL THEN r.request ELSE b.request END
            WHERE r.key = ?2 AND MAX(COALESCE(q.at, r.changed_at), COALESCE(r.deleted_at, 0)) > ?4
            """, table.resource, table.key(key), key, record.seenAt.microseconds)
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
