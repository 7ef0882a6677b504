internal import SidingChain
internal import SidingSQLite

/// The rows of `siding_passes`, the fan-out passes, and the columns of listings that refer to them.
enum PassRows {
    /// Stores the pass of a listing that was opened. A new listing without a gap behind the cursor also stores the parent's revision.
    static func note(
        _ parent: ListingParent?, of resource: Int64, scope: String, isNew: Bool, _ transaction: borrowing Transaction
    ) throws {
        guard let parent else { return }
        try transaction.execute(
            """
            UPDATE siding_listings SET pass = ?3, parent_revision = CASE WHEN ?5 THEN ?4 ELSE parent_revision END
            WHERE resource = ?1 AND scope = ?2
            """, resource, scope, parent.pass, parent.revision, isNew)
    }

    /// Deletes the pass and all parents' listings, so that each parent is listed again.
    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_passes WHERE resource = ?1", resource)
        try transaction.execute("DELETE FROM siding_listings WHERE resource = ?1 AND scope <> ''", resource)
    }

    // MARK: Opening
    /// Resumes the open pass, or begins a new one.

    static func open(
        _ opening: PassOpening, owner: String, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> PassPosition {
        let listing = opening.listing
        let resource = try ListingOpener(opening: listing, owner: owner, now: now).registerResource(transaction)
        let isChanged = !resource.changedAspects.isEmpty
        if isChanged || listing.startsAnew {
            try ListingOpener.discardAll(
                of: resource.id, named: listing.resource,
                because: isChanged ? "the definition changed" : "a full listing was asked for",
                QueueTransitions(owner: owner, now: now), transaction)
        }
        if listing.isUnconditional { try PageValidators(resource: resource.id).forget(scope: nil, transaction) }
        var dropped: String?
        if let known = try state(of: resource.id, transaction), known.isOpen, !listing.startsAnew {
            if listing.resumes(try lastProgress(of: resource.id, known, transaction), now: now) {
                var position = PassPosition(pass: known.pass, takesAll: known.takesAll, isResumed: true)
                position.leftOut = resource.leftOut
                return position
            }
            dropped = Resumption.passTooOld(listing.resumeWithin)
        }
        try transaction.execute(
            """
            INSERT INTO siding_passes (resource, pass, state, takes_all, started_at, run) VALUES (?1, 1, 'open', ?2, ?3, ?4)
            ON CONFLICT (resource) DO UPDATE SET pass = pass + 1, state = 'open', takes_all = excluded.takes_all,
                started_at = excluded.started_at, ended_at = NULL, run = excluded.run
            """, resource.id, listing.startsAnew, now.microseconds, listing.run)
        let pass = try state(of: resource.id, transaction)?.pass ?? 1
        var position = PassPosition(
            pass: pass, takesAll: listing.startsAnew, isResumed: false, changedAspects: resource.changedAspects,
            droppedPass: dropped)
        position.leftOut = resource.leftOut
        return position
    }

    /// The stored pass of a resource; nil if there was none.
    static func state(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> PassState? {
        try database.first(
            "SELECT pass, state, takes_all, started_at, ended_at FROM siding_passes WHERE resource = ?1", resource
        ) { PassState($0, at: 0) } ?? nil
    }

    /// When a page of the pass was last saved, or the pass began.
    private static func lastProgress(
        of resource: Int64, _ state: PassState, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Timestamp {
        let saved = try database.first(
            "SELECT MAX(checkpoint_at) FROM siding_listings WHERE resource = ?1 AND pass = ?2", resource, state.pass
        ) { $0.optionalInt(0).map(Timestamp.init) }
        return max((saved ?? nil) ?? state.startedAt, state.startedAt)
    }

    // MARK: Ending

    /// - Returns: what it showed of records that are gone.
    static func end(
        _ end: PassEnd, _ queue: QueueTransitions, _ transaction: borrowing Transaction
    ) throws -> PassFindings {
        guard let row = try ResourceRow.load(named: end.resource, transaction) else { return PassFindings() }
        let resource = row.id
        let isListed = try CompleteListings.areParentsListed(end.parent, since: end.resource, transaction)
        try transaction.execute(
            "UPDATE siding_passes SET state = ?3, ended_at = ?4 WHERE resource = ?1 AND pass = ?2 AND state = 'open'",
            resource, end.pass, end.isComplete ? "complete" : "incomplete", queue.now.microseconds)
        if try end.isComplete && isOfAll(resource, end, transaction) {
            try transaction.execute(
                "UPDATE siding_resources SET completed_at = ?2, completed_run = ?3, asks_anew = 0 WHERE id = ?1",
                resource,
                queue.now.microseconds, end.run)
        }
        try supersede(resource, end, queue, transaction)
        var findings = PassFindings()
        if let parent = try Store.resourceRow(end.parent, transaction)?.id {
            try forgetGone(resource, parent, revision: row.revision + 1, transaction)
            if isListed, end.isComplete {
                try CompleteListings.complete(resource, pass: end.pass, over: parent, now: queue.now, transaction)
            }
            let pass = PassReconciliation(end, of: row, over: parent, areParentsListed: isListed, now: queue.now)
            if let pass {
                findings = try pass.reconcile(transaction)
            } else {
                try DeletionReconciliation.startOver(resource, transaction)
            }
        }
        findings.counters += try NullFilteredRecords(resource: row)
            .reconcile(end.deletions ?? DeletionTerms(), run: end.run, now: queue.now, transaction)
        if findings.counters != RunCounters() {
            try RunCounting.add(findings.counters, to: end.resource, in: end.run, transaction)
        }
        return findings
    }

    /// Whether the parents were ever listed completely, and no listing of the pass started beyond its cursor.
    private static func isOfAll(
        _ resource: Int64, _ end: PassEnd, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.first(
            """
            SELECT EXISTS (SELECT 1 FROM siding_resources WHERE name = ?1 AND completed_at IS NOT NULL) AND NOT EXISTS (
                SELECT 1 FROM siding_listings
                WHERE resource = ?2 AND pass = ?3 AND cursor_from IS NOT NULL AND cursor_moves = 0)
            """, end.parent, resource, end.pass
        ) { $0.int(0) == 1 } ?? false
    }

    /// Supersedes retained fetches of parents outside of this pass: nobody would send them again.
    private static func supersede(
        _ resource: Int64, _ end: PassEnd, _ queue: QueueTransitions, _ transaction: borrowing Transaction
    ) throws {
        let left = try OutboxTable.openFetches(
            of: end.resource, numbered: resource, outside: end.pass, transaction)
        let reason = "its record of '\(end.parent)' is not asked about any more"
        for fetch in left {
            try queue.complete(fetch.entry, as: .done, event: "superseded", detail: reason, transaction)
            try transaction.execute(
                """
                UPDATE siding_listings SET state = 'incomplete', incomplete = ?3, next_url = NULL
                WHERE resource = ?1 AND scope = ?2 AND state = 'open'
                """, resource, fetch.scope, reason)
        }
    }

    /// Deletes the listings of parents that are gone, with their pages and cursors. The records stay.
    ///
    /// - Parameter revision: the resource's revision after this transaction.
    private static func forgetGone(
        _ resource: Int64, _ parent: Int64, revision: Int64, _ transaction: borrowing Transaction
    ) throws {
        let parents = try RecordsTable.load(parent, transaction)
        // Only quarantined answers: quarantined records of such a parent may be shown by another.
        try transaction.execute(
            """
            DELETE FROM siding_quarantine WHERE resource = ?1 AND scope <> '' AND code = ?2 AND NOT EXISTS (
                SELECT 1 FROM \(parents.rows) r
                WHERE r.key = \(parents.key(ofText: "siding_quarantine.scope")) AND r.deleted_at IS NULL)
            """, resource, PageQuarantine.answerCode)
        var forgotten = 0
        for table in ["siding_listings", "siding_pages", "siding_cursors"] as [SQL] {
            forgotten += try transaction.execute(
                """
                DELETE FROM \(table) WHERE resource = ?1 AND scope <> '' AND NOT EXISTS (
                    SELECT 1 FROM \(parents.rows) r
                    WHERE r.key = \(parents.key(ofText: "\(table).scope")) AND r.deleted_at IS NULL)
                """, resource)
        }
        guard forgotten > 0 else { return }
        try PageMembers.setChanged(resource, transaction)
        try RecordScopes.moveOn(resource, over: parent, revision: revision, transaction)
    }
}

extension PassState {
    /// Reads five columns from `column` on: number, state, whether all parents are due, start and end.
    init?(_ row: borrowing Row, at column: Int) {
        guard let pass = row.optionalInt(column) else { return nil }
        self.init(
            pass: pass, isOpen: row.text(column + 1) == "open", takesAll: row.int(column + 2) == 1,
            startedAt: Timestamp(microseconds: row.int(column + 3)),
            endedAt: row.optionalInt(column + 4).map(Timestamp.init))
    }
}
