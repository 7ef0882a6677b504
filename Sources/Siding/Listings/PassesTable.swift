// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_passes`: the fan-out passes.
enum PassesTable {
    /// Deletes the pass and all parents' listings, so that each parent is listed again.
    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_passes WHERE resource = ?1", resource)
        try ListingsTable.deleteParents(of: resource, transaction)
    }

    // MARK: Opening

    /// Resumes the open pass, or begins a new one.
    static func open(
        _ listing: ListingOpening, _ queue: QueueTransitions, _ transaction: borrowing Transaction
    ) throws -> PassPosition {
        let resource = try ListingOpener(opening: listing, queue: queue).registerResource(transaction)
        let isChanged = !resource.changedAspects.isEmpty
        if isChanged || listing.startsAnew {
            try ListingOpener.discardAll(
                of: resource.id, named: listing.resource,
                because: isChanged ? "the definition changed" : "a full listing was asked for", queue, transaction)
        }
        if let shard = listing.shard {
            try OtherShards(table: Store.records(of: listing.resource, transaction), shard: shard)
                .supersedeFetches(queue, transaction)
        }
        if listing.isUnconditional { try PageValidators(resource: resource.id).forget(scope: nil, transaction) }
        var dropped: String?
        if let (known, progressedAt) = try load(of: resource.id, transaction), known.isOpen, !listing.startsAnew {
            if Resumption.isTimely(progressedAt, within: known.limit, now: queue.now) {
                return PassPosition(
                    pass: known.pass, takesAll: known.takesAll, isResumed: true, counters: resource.counters,
                    askedAt: known.askedAt)
            }
            dropped = Resumption.passTooOld(known.limit)
        }
        let pass = try transaction.first(
            """
            INSERT INTO siding_passes (resource, pass, state, takes_all, started_at, run) VALUES (?1, 1, 'open', ?2, ?3, ?4)
            ON CONFLICT (resource) DO UPDATE SET pass = pass + 1, state = 'open', takes_all = excluded.takes_all,
                started_at = excluded.started_at, asked_at = NULL, ended_at = NULL, run = excluded.run
            RETURNING pass
            """, resource.id, listing.startsAnew, queue.now.microseconds, listing.run
        ) { $0.int(0) }
        return PassPosition(
            pass: pass ?? 1, takesAll: listing.startsAnew, isResumed: false, changedAspects: resource.changedAspects,
            counters: resource.counters, droppedPass: dropped)
    }

    /// The stored pass of a resource, and when a page of it was last saved, or it began; nil if there was none.
    static func load(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (pass: PassState, progressedAt: Timestamp)? {
        try database.first(
            """
            SELECT pass, state, takes_all, started_at, asked_at, ended_at, MAX(started_at, COALESCE((
                SELECT MAX(checkpoint_at) FROM siding_listings WHERE resource = p.resource AND pass = p.pass), 0)) AS progressed_at
            FROM siding_passes p WHERE resource = ?1
            """, resource
        ) { row in
            let pass = PassState(
                pass: try row.int("pass"), isOpen: try row.text("state") == "open",
                takesAll: try row.isTrue("takes_all"), startedAt: try row.time("started_at"),
                askedAt: try row.optionalTime("asked_at"), endedAt: try row.optionalTime("ended_at"))
            return (pass, try row.time("progressed_at"))
        }
    }

    /// See ``PassState/askedAt``.
    static func setAsked(
        _ pass: Int64, of resource: String, at now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        guard let id = try ResourcesTable.id(of: resource, transaction) else { return }
        try transaction.execute(
            "UPDATE siding_passes SET asked_at = ?3 WHERE resource = ?1 AND pass = ?2", id, pass, now.microseconds)
    }

    // MARK: Ending

    /// - Returns: what it showed of records that are gone.
    static func end(
        _ end: PassEnd, _ queue: QueueTransitions, _ transaction: borrowing Transaction
    ) throws -> PassFindings {
        guard let table = try RecordsTable.load(named: end.resource, transaction) else { return PassFindings() }
        let parents = try RecordsTable.load(named: end.parent, transaction)
        // As the pass before left it: the moments of its row that are set below are compared, too.
        let (resource, row) = (table.resource, table.row)
        let isListed = try areListed(parents, since: row, transaction)
        try transaction.execute(
            "UPDATE siding_passes SET state = ?3, ended_at = ?4 WHERE resource = ?1 AND pass = ?2 AND state = 'open'",
            resource, end.pass, end.isComplete ? "complete" : "incomplete", queue.now.microseconds)
        if try end.isComplete && parents?.row.completedAt != nil && !hasPassingListing(resource, end, transaction) {
            try ResourcesTable.setCompleted(end.run, at: queue.now, nil, of: resource, transaction)
        }
        try supersede(resource, end, over: parents, queue, transaction)
        var hasHidden = false
        // First, so that they do not count as missing.
        if end.isComplete, !end.isOfChanges, let pass = try load(of: resource, transaction)?.pass {
            hasHidden = try UnnamedCreates(table: table)
                .hide(deliveredBefore: pass.startedAt, now: queue.now, transaction)
        }
        var (findings, ofOtherShards) = (PassFindings(), RunCounters())
        if let parents {
            try deleteGone(table, parents, transaction)
            if let others = end.shard.map({ OtherShards(table: table, shard: $0) }) {
                try others.forgetListings(transaction)
                ofOtherShards = try others.deleteRecords(
                    over: parents, end.deletions, run: end.run, now: queue.now, revision: row.revision + 1, transaction)
            }
            if try isListed && end.isComplete && PagesTable.unknownListings(of: resource, transaction) == 0
                && unasked(end, resource, over: parents, fromStart: row.allListedAt == nil, transaction) == 0
            {
                try ResourcesTable.set(allListedAt: queue.now, of: resource, transaction)
            }
            if end.deletions.rule.byAbsence {
                // Read anew: that parents are gone may have changed pages and records.
                findings = try DeletionReconciliation(
                    table: Store.records(of: end.resource, transaction), parents: parents, run: end.run,
                    now: queue.now, revision: row.revision + 1, terms: end.deletions, shard: end.shard
                ).reconcile(end, over: parents, areParentsListed: isListed, transaction)
            } else {
                try DeletionReconciliation.startOver(resource, transaction)
            }
        }
        findings.counters += try NullFilteredRecords(table: table)
            .reconcile(end.deletions, run: end.run, now: queue.now, revision: row.revision + 1, transaction)
        (findings.hasHidden, findings.ofOtherShards) = (hasHidden, ofOtherShards)
        findings.counters += ofOtherShards
        try RunResourcesTable.add(findings.counters, to: end.resource, in: end.run, transaction)
        return findings
    }

    /// Whether a listing of the pass started beyond its cursor.
    private static func hasPassingListing(
        _ resource: Int64, _ end: PassEnd, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.exists(
            """
            SELECT 1 FROM siding_listings
            WHERE resource = ?1 AND pass = ?2 AND cursor ->> 'from' IS NOT NULL AND cursor ->> 'moves' = 0 LIMIT 1
            """, resource, end.pass)
    }

    /// Whether all parents were listed since the last complete pass of `resource`, and are stored as the origin has them: a record
    /// that no listing shows may belong to a parent that is not stored here. A parent in quarantine or with pending edits may
    /// lead to another address.
    private static func areListed(
        _ parents: RecordsTable?, since resource: ResourceRow, _ transaction: borrowing Transaction
    ) throws -> Bool {
        guard let parents, let listedAt = parents.row.allListedAt else { return false }
        return try listedAt > resource.completedAt ?? Timestamp(microseconds: -1)
            && !QuarantineTable.hasAny(of: parents.resource, transaction)
            && !ServerCopiesTable.hasAny(of: parents.resource, withRecord: true, transaction)
    }

    /// The number of live parents that the pass was to list, without a complete listing in it.
    ///
    /// - Parameter fromStart: whether only listings count that began at no cursor.
    fileprivate static func unasked(
        _ end: PassEnd, _ resource: Int64, over parents: RecordsTable, fromStart: Bool,
        _ transaction: borrowing Transaction
    ) throws -> Int {
        let unasked: SQL = """
            FROM \(parents.rows) p
            LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope = CAST(p.key AS TEXT)
            WHERE p.deleted_at IS NULL AND \(ParentCompiler.isAtOrigin("p", in: parents))
                AND (l.pass IS NOT ?2 OR l.state <> 'complete' OR l.cursor ->> 'from' IS NOT NULL AND ?3)
            """
        guard end.shard != nil else {
            return try transaction.count("SELECT COUNT(*) \(unasked)", resource, end.pass, fromStart)
        }
        var count = 0
        try transaction.forEach("SELECT CAST(p.key AS TEXT) \(unasked)", resource, end.pass, fromStart) {
            if end.takes($0.text(0)) { count += 1 }
        }
        return count
    }

    /// Supersedes retained fetches of parents that are gone or outside of this pass: nobody would send them again. One that waits for a
    /// person keeps its place while the parent lives.
    private static func supersede(
        _ resource: Int64, _ end: PassEnd, over parents: RecordsTable?, _ queue: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        let left = try OutboxTable.openFetches(
            of: end.resource, numbered: resource, outside: end.pass, over: parents, transaction)
        let reason = "the pass over '\(end.parent)' ended without it"
        for fetch in left where fetch.isOfGone || !fetch.entry.waitsForPerson {
            try queue.complete([fetch.entry.id], as: .done, event: .superseded, detail: reason, transaction)
            try ListingsTable.end(resource, scope: fetch.scope, transaction)
        }
    }

    /// Whether a listing of the pass asked for changes only: it began at a cursor, or at the `start` of one.
    fileprivate static func hasIncrement(
        _ resource: Int64, _ end: PassEnd, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.exists(
            "SELECT 1 FROM siding_listings WHERE resource = ?1 AND pass = ?2 AND cursor ->> 'from' IS NOT NULL LIMIT 1",
            resource, end.pass)
    }

    /// Deletes the listings of parents that are gone, with their pages and cursors. The records stay.
    private static func deleteGone(
        _ table: RecordsTable, _ parents: RecordsTable, _ transaction: borrowing Transaction
    ) throws {
        let resource = table.resource
        try QuarantineTable.deleteAnswers(of: resource, aboutGone: parents, transaction)
        var deleted = try ListingsTable.delete(resource, ofGone: parents, transaction)
        deleted += try PagesTable.delete(resource, ofGone: parents, transaction)
        deleted += try CursorsTable.delete(resource, ofGone: parents, transaction)
        guard deleted > 0 else { return }
        try ResourcesTable.setPagesChanged(resource, transaction)
        try RecordScopes.moveOn(table, over: parents, transaction)
    }
}

extension DeletionReconciliation {
    /// Counts and deletes missing records if the fan-out pass counts; else reports why it does not.
    ///
    /// A record missing from one parent's listing may have moved to another's. So a pass counts only if the listing of every live
    /// parent was complete in it, and if the parents themselves were listed since the pass before.
    fileprivate func reconcile(
        _ end: PassEnd, over parents: RecordsTable, areParentsListed: Bool, _ transaction: borrowing Transaction
    ) throws -> PassFindings {
        var findings = PassFindings()
        guard !end.isOfChanges else { return findings }
        findings.unknown = try PagesTable.unknownListings(of: resource, transaction)
        findings.unasked = try PassesTable.unasked(end, resource, over: parents, fromStart: true, transaction)
        findings.areParentsUnlisted = !areParentsListed
        if findings.unknown > 0 { try resetCounts(transaction) }
        // A pass of changes shows by design not which records are missing.
        if try PassesTable.hasIncrement(resource, end, transaction) { return PassFindings() }
        guard let pass = try pass(end, transaction), try isNeeded(transaction) else { return findings }
        findings.isInterrupted = !pass.evidence.counts
        let absent = try absentRecords(since: pass.startedAt, transaction)
        guard findings.isProof else {
            findings.unproven = absent.ids.ids.count
            return findings
        }
        findings.counters = try reconcile(absent, pass.evidence, transaction)
        return findings
    }

    /// What the pass proves, and when it, or the first of its listings, began. A listing that an earlier pass began counts as
    /// interrupted.
    private func pass(
        _ end: PassEnd, _ transaction: borrowing Transaction
    ) throws -> (evidence: ListingEvidence, startedAt: Timestamp)? {
        try transaction.first(
            """
            SELECT r.run <> ?3 OR COALESCE(MAX(l.run <> ?3), 0) AS is_interrupted, COALESCE(MAX(l.moved), 0) AS has_moved,
                MIN(r.started_at, COALESCE(MIN(l.started_at), r.started_at)) AS started_at,
                MIN(l.page_size) FILTER (WHERE l.pages_since_loss IS NOT NULL) AS page_size
            FROM siding_passes r LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope <> '' AND l.pass = ?2
            WHERE r.resource = ?1 GROUP BY r.resource
            """, resource, end.pass, end.run
        ) { row in
            let evidence = ListingEvidence(
                isStable: terms.isStable, isInterrupted: try row.isTrue("is_interrupted"),
                hasMoved: try row.isTrue("has_moved"),
                hasSmallPages: try row.optionalInt("page_size").map { $0 < terms.largestPage ?? 0 } ?? false,
                isPass: true, isVerified: terms.rule.recordPath != nil)
            return (evidence, try row.time("started_at"))
        }
    }
}
