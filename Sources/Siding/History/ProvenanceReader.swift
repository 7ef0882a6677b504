internal import SidingChain
internal import SidingSQLite

/// Reads the provenance of a record's present body: the causes and requests that were stored with it.
struct ProvenanceReader {
    let resource: Int64
    let name: String
    let key: String

    private struct Found {
        var id: Int64
        var request: RecordProvenance.Request
        var cause: RecordProvenance.Cause
        var run: RunID?
    }

    func load(_ database: borrowing some Queryable & ~Copyable) throws -> RecordProvenance? {
        guard let row = try RecordsTable.load(resource, database).find(key, database) else { return nil }
        let copy = try ServerCopiesTable.load(resource, key, database)
        // With pending edits, the server copy is the origin's version.
        let present = copy?.cause ?? row.cause
        let found = try (copy == nil ? row.request : copy?.request).flatMap { try request($0, database) }
        let edits = try OutboxTable.pendingEdits(of: name, key, database).map { entry in
            RecordProvenance.Edit(
                entry: entry.id, state: entry.state,
                change: try OutboxEditsTable.load(entry.id, database)?.terms?.change.rawValue ?? "",
                createdAt: entry.createdAt)
        }
        let cause = found?.cause ?? (present == .never ? .edit : .local)
        let undeletedAt = row.cause == .restored ? row.changedAt : nil
        return RecordProvenance(
            resource: name, key: key, cause: cause, request: found?.request, run: try runNote(found?.run, database),
            firstSeenAt: row.firstSeenAt, changedAt: row.changedAt,
            confirmation: row.deletedAt == nil && cause != .edit
                ? try confirmation(found, undeletedAt, database) : RecordProvenance.Confirmation(),
            edits: edits, deletion: try deletion(row, present, found, edits, database), undeletedAt: undeletedAt)
    }

    private func request(_ id: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Found? {
        try database.first(
            """
            SELECT cause, run, method, url, page, status, etag, last_modified, at, entry, scope
            FROM siding_provenance
            WHERE id = ?1
            """, id
        ) { row in
            let (url, scope) = (try row.text("url"), try row.text("scope"))
            let request = RecordProvenance.Request(
                method: try row.text("method"), url: (try? HTTPURL(url)).map { Redaction.url($0) } ?? url,
                page: try row.optionalInt("page").map(Int.init), status: try row.optionalInt("status").map(Int.init),
                etag: try row.optionalText("etag"), lastModified: try row.optionalText("last_modified"),
                at: try row.time("at"), entry: try row.optionalText("entry"),
                scope: scope.isEmpty ? nil : scope)
            return Found(
                id: id, request: request, cause: RecordProvenance.Cause(rawValue: try row.text("cause")) ?? .page,
                run: try row.optionalInt("run"))
        }
    }

    /// What later answers say about the body.
    ///
    /// - Parameter undeletedAt: earlier answers left the record deleted.
    private func confirmation(
        _ found: Found?, _ undeletedAt: Timestamp?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.Confirmation {
        var confirmation = RecordProvenance.Confirmation()
        if let found, found.cause != .write {
            try database.forEach(
                """
                SELECT p.fetched_at, p.status, p.etag, p.last_modified FROM siding_provenance q JOIN siding_pages p
                    ON p.resource = q.resource AND p.scope = q.scope AND p.url = q.url AND p.sent = q.sent
                WHERE q.id = ?1
                """, found.id
            ) { row in
                confirmation.pageAnsweredAt = try row.time("fetched_at")
                confirmation.pageStatus = Int(try row.int("status"))
                // An equal validator means an unchanged page (RFC 9110 §8.8).
                let (etag, modified) = (try row.optionalText("etag"), try row.optionalText("last_modified"))
                let isSame =
                    etag == nil && found.request.etag == nil
                    ? modified != nil && modified == found.request.lastModified : etag == found.request.etag
                if isSame { confirmation.confirmedAt = confirmation.pageAnsweredAt }
            }
        }
        let listed = try ResourcesTable.load(resource, database)
        (confirmation.listingCompletedAt, confirmation.listingRun) = (listed?.completedAt, listed?.completedRun)
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

    private func runNote(
        _ run: RunID?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.RunNote? {
        guard let run, run != Run.none else { return nil }
        return try database.first("SELECT command, started_at FROM siding_runs WHERE id = ?1", run) { row in
            RecordProvenance.RunNote(
                id: run, command: try row.text("command"), startedAt: try row.time("started_at"))
        } ?? RecordProvenance.RunNote(id: run, command: nil, startedAt: nil)
    }

    private func deletion(
        _ row: RecordRow, _ cause: RecordCause, _ found: Found?, _ edits: [RecordProvenance.Edit],
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.Deletion? {
        guard let at = row.deletedAt else { return nil }
        if let own = edits.last(where: { $0.change == WriteEdit.Change.delete.rawValue }) {
            return RecordProvenance.Deletion(at: at, cause: .edit, entry: own.entry)
        }
        return switch cause {
        case .write: RecordProvenance.Deletion(at: at, cause: .write, entry: found?.request.entry)
        case .never: RecordProvenance.Deletion(at: at, cause: .neverThere)
        case .local, .edit, .restored: RecordProvenance.Deletion(at: at, cause: .local)
        case .filtered: RecordProvenance.Deletion(at: at, cause: .condition, run: try runNote(row.run, database))
        case .page, .quarantine, .missing:
            RecordProvenance.Deletion(at: at, cause: .run, run: try runNote(row.run, database))
        }
    }
}
