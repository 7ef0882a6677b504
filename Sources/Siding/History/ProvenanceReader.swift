internal import SidingChain
internal import SidingSQLite

/// Reads the provenance of a record's present body.
struct ProvenanceReader {
    let resource: Int64
    let name: String
    let key: String

    private struct StoredRecord {
        var firstSeenAt: Timestamp
        var changedAt: Timestamp
        var deletedAt: Timestamp?
        var run: RunID
        var isNothing: Bool
        var request: Int64?
    }

    private struct Found {
        var id: Int64
        var request: RecordProvenance.Request
        var cause: RequestRow.Cause
        var run: RunID?
    }

    func load(_ database: borrowing some Queryable & ~Copyable) throws -> RecordProvenance? {
        guard let row = try row(database) else { return nil }
        let base = try ServerCopiesTable.load(resource, key, database)
        // With pending edits, the server copy is the origin's version.
        let found = try (base.map(\.request) ?? row.request).map { try request($0, database) } ?? nil
        let edits = try OutboxTable.pendingEdits(of: name, key, database).map { entry in
            RecordProvenance.Edit(
                entry: entry.id, state: entry.state,
                change: try OutboxEditsTable.load(entry.id, database)?.terms?.change.rawValue ?? "",
                createdAt: entry.createdAt)
        }
        let cause = cause(found, row, base)
        let undeletedAt = Self.undeletedAt(row, found, base)
        let run = found.map(\.run) ?? (row.deletedAt == nil && cause != .edit ? row.run : nil)
        return RecordProvenance(
            resource: name, key: key, cause: cause, request: found?.request, run: try note(run, database),
            firstSeenAt: row.firstSeenAt, changedAt: row.changedAt,
            confirmation: row.deletedAt == nil && cause != .edit
                ? try confirmation(found, undeletedAt, database) : RecordProvenance.Confirmation(),
            edits: edits, deletion: try deletion(row, found, edits, database), undeletedAt: undeletedAt)
    }

    /// When the deletion was undone here; nil otherwise. Only such a record came from a page but was last written by no run.
    private static func undeletedAt(_ row: StoredRecord, _ found: Found?, _ base: ServerCopy?) -> Timestamp? {
        guard row.deletedAt == nil, row.run == Run.none, base == nil else { return nil }
        return found?.cause == .page || found?.cause == .quarantine ? row.changedAt : nil
    }

    private func row(_ database: borrowing some Queryable & ~Copyable) throws -> StoredRecord? {
        try RecordsTable.load(resource, database).find(key, database).map { row in
            StoredRecord(
                firstSeenAt: row.firstSeenAt, changedAt: row.changedAt, deletedAt: row.deletedAt, run: row.run,
                isNothing: row.body == Array("null".utf8), request: row.request)
        }
    }

    private func request(_ id: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Found? {
        try database.first(
            """
            SELECT cause, run, method, url, page, status, etag, last_modified, at, entry, scope
            FROM siding_provenance
            WHERE id = ?1
            """, id
        ) { row in
            let url = row.text(3)
            let request = RecordProvenance.Request(
                method: row.text(2), url: (try? HTTPURL(url)).map { Redaction.url($0) } ?? url,
                page: row.optionalInt(4).map { Int($0) }, status: row.optionalInt(5).map { Int($0) },
                etag: row.optionalText(6), lastModified: row.optionalText(7), at: Timestamp(microseconds: row.int(8)),
                entry: row.optionalText(9), scope: row.text(10).isEmpty ? nil : row.text(10))
            return Found(
                id: id, request: request, cause: RequestRow.Cause(rawValue: row.text(0)) ?? .page,
                run: row.optionalInt(1))
        }
    }

    private func cause(_ found: Found?, _ row: StoredRecord, _ base: ServerCopy?) -> RecordProvenance.Cause {
        switch found?.cause {
        case .page: return .page
        case .write, .delete: return .write
        case .quarantine: return .quarantine
        case nil:
            if let base, base.state.body == nil { return .edit }
            if row.isNothing { return .edit }
            // The run of a tombstone is the one that deleted it.
            return row.run == Run.none && row.deletedAt == nil ? .local : .unknown
        }
    }

    // MARK: What is known since

    /// - Parameter undeletedAt: what was heard before, left the record deleted.
    private func confirmation(
        _ found: Found?, _ undeletedAt: Timestamp?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.Confirmation {
        var confirmation = RecordProvenance.Confirmation()
        if let found, found.cause == .page || found.cause == .quarantine {
            try database.forEach(
                """
                SELECT p.fetched_at, p.status, p.etag, p.last_modified FROM siding_provenance q JOIN siding_pages p
                    ON p.resource = q.resource AND p.scope = q.scope AND p.url = q.url AND p.sent = q.sent
                WHERE q.id = ?1
                """, found.id
            ) { row in
                confirmation.pageAnsweredAt = Timestamp(microseconds: row.int(0))
                confirmation.pageStatus = Int(row.int(1))
                // An equal validator means an unchanged page (RFC 9110 §8.8).
                let etag = row.optionalText(2)
                let isSame =
                    etag == nil && found.request.etag == nil
                    ? row.optionalText(3) != nil && row.optionalText(3) == found.request.lastModified
                    : etag == found.request.etag
                if isSame { confirmation.confirmedAt = confirmation.pageAnsweredAt }
            }
        }
        try database.forEach(
            "SELECT completed_at, completed_run FROM siding_resources WHERE id = ?1", resource
        ) { row in
            confirmation.listingCompletedAt = row.optionalInt(0).map(Timestamp.init)
            confirmation.listingRun = row.optionalInt(1)
        }
        if let undeletedAt, let answered = confirmation.pageAnsweredAt, answered < undeletedAt,
            confirmation.confirmedAt == nil
        {
            (confirmation.pageAnsweredAt, confirmation.pageStatus) = (nil, nil)
        }
        if let at = undeletedAt ?? found?.request.at, let completed = confirmation.listingCompletedAt, completed < at {
            (confirmation.listingCompletedAt, confirmation.listingRun) = (nil, nil)
        }
        return confirmation
    }

    private func note(
        _ run: RunID?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.RunNote? {
        guard let run, run != Run.none else { return nil }
        return try database.first("SELECT command, started_at FROM siding_runs WHERE id = ?1", run) { row in
            RecordProvenance.RunNote(
                id: run, command: row.text(0), startedAt: Timestamp(microseconds: row.int(1)))
        } ?? RecordProvenance.RunNote(id: run, command: nil, startedAt: nil)
    }

    // MARK: Own edits and tombstones

    private func deletion(
        _ row: StoredRecord, _ found: Found?, _ edits: [RecordProvenance.Edit],
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.Deletion? {
        guard let at = row.deletedAt else { return nil }
        if let own = edits.last(where: { $0.change == WriteEdit.Change.delete.rawValue }) {
            return RecordProvenance.Deletion(at: at, cause: .edit, entry: own.entry)
        }
        if found?.cause == .delete {
            return RecordProvenance.Deletion(at: at, cause: .write, entry: found?.request.entry)
        }
        if row.isNothing { return RecordProvenance.Deletion(at: at, cause: .neverThere) }
        guard let run = try note(row.run, database) else {
            return RecordProvenance.Deletion(at: at, cause: .local)
        }
        return RecordProvenance.Deletion(at: at, cause: try isLeftOut(database) ? .condition : .run, run: run)
    }

    /// Whether the resource's filter excludes the body, which is never true for a live record.
    private func isLeftOut(_ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        let schema = try database.first("SELECT schema FROM siding_resources WHERE id = ?1", resource) {
            StoredSchema.schema($0.optionalText(0))
        }
        guard let schema, let condition = schema.transforms.condition else { return false }
        let fits = condition.sql(beside: schema.columns)
        let table = try RecordsTable.load(resource, database)
        do {
            return try database.first(
                "SELECT \(fits) IS NOT TRUE FROM \(table.rows) WHERE key = ?1", table.key(key)
            ) { $0.int(0) == 1 } ?? false
        } catch let error as SQLiteError where error.kind == .other {
            // The filter cannot be computed for this record, so it did not exclude it.
            return false
        }
    }
}
