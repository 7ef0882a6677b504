// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Reads the provenance of a record's present body: the causes and requests that were stored with it.
struct ProvenanceReader {
    let table: RecordsTable
    let key: String

    func load(_ database: borrowing some Queryable & ~Copyable) throws -> RecordProvenance? {
        guard let row = try table.find(key, database) else { return nil }
        let name = table.resourceName
        let copy = try ServerCopiesTable.load(table.resource, key, database)
        // With pending edits, the server copy is the origin's version.
        let present = copy?.cause ?? row.cause
        let found = try (copy == nil ? row.request : copy?.request).flatMap {
            try ProvenanceTable.load($0, of: table.resource, database)
        }
        let edits = try OutboxTable.pendingEdits(of: name, key, database).map { entry in
            RecordProvenance.Edit(
                entry: entry.id, state: entry.state,
                change: try OutboxEditsTable.load(entry.id, database)?.terms?.change.rawValue ?? "",
                createdAt: entry.createdAt)
        }
        let fetched = found.map { RecordProvenance.Cause(rawValue: $0.cause.rawValue) ?? .page }
        let cause = fetched ?? (present == .never ? .edit : .local)
        let undeletedAt = row.cause == .restored ? row.changedAt : nil
        return RecordProvenance(
            resource: name, key: key, cause: cause, request: found.map(RecordProvenance.Request.init),
            run: try runNote(found?.run, database), firstSeenAt: row.firstSeenAt, changedAt: row.changedAt,
            confirmation: row.deletedAt == nil && cause != .edit
                ? try confirmation(of: row, found, undeletedAt, database) : RecordProvenance.Confirmation(),
            edits: edits, deletion: try deletion(row, present, found, edits, database), undeletedAt: undeletedAt)
    }

    /// What later answers say about the body.
    ///
    /// - Parameter undeletedAt: earlier answers left the record deleted.
    private func confirmation(
        of row: RecordRow, _ found: RequestRow?, _ undeletedAt: Timestamp?,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.Confirmation {
        var confirmation = RecordProvenance.Confirmation()
        if let found, found.cause != .write, let page = try PagesTable.answer(to: found, of: table.resource, database) {
            (confirmation.pageAnsweredAt, confirmation.pageStatus) = (page.at, page.status)
            // An equal validator means an unchanged page (RFC 9110 §8.8).
            let isSame =
                page.etag == nil && found.etag == nil
                ? page.lastModified != nil && page.lastModified == found.lastModified : page.etag == found.etag
            if isSame { confirmation.confirmedAt = page.at }
        }
        (confirmation.listingCompletedAt, confirmation.listingRun) = (table.row.completedAt, table.row.completedRun)
        if let undeletedAt, let answered = confirmation.pageAnsweredAt, answered < undeletedAt,
            confirmation.confirmedAt == nil
        {
            (confirmation.pageAnsweredAt, confirmation.pageStatus) = (nil, nil)
        }
        if let at = undeletedAt ?? found?.at, let completed = confirmation.listingCompletedAt, completed < at {
            (confirmation.listingCompletedAt, confirmation.listingRun) = (nil, nil)
        }
        try addMissing(row, to: &confirmation, database)
        return confirmation
    }

    /// Adds whether the last complete listing lacks the record: because it is counted as missing, or because no page shows it. Where
    /// its own listing lacks it and another one is not known, nobody can say.
    private func addMissing(
        _ row: RecordRow, to confirmation: inout RecordProvenance.Confirmation,
        _ database: borrowing some Queryable & ~Copyable
    ) throws {
        let isComplete = confirmation.listingCompletedAt != nil
        if isComplete, let counted = try MissingTable.passes(of: row.row, in: table.resource, database) {
            (confirmation.missingPasses, confirmation.passesNeeded) = (counted.passes, counted.needed)
            confirmation.isMissing = true
        } else {
            let isWhole = try ListingsTable.areOfAll(table.resource, since: row.changedAt, database)
            if try isWhole || isOwnListingWhole(row, database), try isOnNoPage(row, database) {
                confirmation.isMissing =
                    try isComplete && isWhole && PagesTable.unknownListings(of: table.resource, database) == 0
                confirmation.isUnknown = !confirmation.isMissing
            }
        }
        if confirmation.isMissing || confirmation.isUnknown { confirmation.confirmedAt = nil }
    }

    /// Whether the listing that the record came from was read whole since its body came.
    private func isOwnListingWhole(
        _ row: RecordRow, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        let scope = try database.first(
            "SELECT CAST(COALESCE(scope, '') AS TEXT) FROM \(table.rows) WHERE rowid = ?1", row.row
        ) { $0.text(0) }
        return try ListingsTable.areOfAll(table.resource, scope: scope ?? "", since: row.changedAt, database)
    }

    private func isOnNoPage(_ row: RecordRow, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try !PageMembers.all(of: table.resource, database).ids.contains(row.row)
    }

    private func runNote(
        _ run: RunID?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.RunNote? {
        guard let run, run != Run.none else { return nil }
        let known = try RunsTable.load(run, database)
        return RecordProvenance.RunNote(id: run, command: known?.command, startedAt: known?.startedAt)
    }

    private func deletion(
        _ row: RecordRow, _ cause: RecordCause, _ found: RequestRow?, _ edits: [RecordProvenance.Edit],
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordProvenance.Deletion? {
        guard let at = row.deletedAt else { return nil }
        if let own = edits.last(where: { $0.change == WriteEdit.Change.delete.rawValue }) {
            return RecordProvenance.Deletion(at: at, cause: .edit, entry: own.entry)
        }
        return switch cause {
        case .write: RecordProvenance.Deletion(at: at, cause: .write, entry: found?.entry)
        case .never: RecordProvenance.Deletion(at: at, cause: .neverThere)
        case .local, .edit, .restored: RecordProvenance.Deletion(at: at, cause: .local)
        case .filtered: RecordProvenance.Deletion(at: at, cause: .condition, run: try runNote(row.run, database))
        case .page, .quarantine, .missing:
            RecordProvenance.Deletion(at: at, cause: .run, run: try runNote(row.run, database))
        }
    }
}

extension RecordProvenance.Request {
    fileprivate init(_ row: RequestRow) {
        self.init(
            method: row.method, url: (try? HTTPURL(row.url)).map { Redaction.url($0) } ?? row.url, page: row.page,
            status: row.status, etag: row.etag, lastModified: row.lastModified, at: row.at, entry: row.entry,
            scope: row.scope.isEmpty ? nil : row.scope)
    }
}

extension Store {
    /// Where the present body of a record came from, and when it was confirmed; nil if there is no such record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    package func provenance(of resource: String, key: String) async throws(StoreError) -> RecordProvenance? {
        try await read { snapshot in
            try ProvenanceReader(table: Self.records(of: resource, snapshot), key: key).load(snapshot)
        }
    }
}
