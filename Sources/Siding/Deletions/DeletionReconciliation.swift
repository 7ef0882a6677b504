// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging
internal import SidingSQLite

/// Decides which records were deleted at the origin, in the transaction that ends a complete listing or fan-out pass.
///
/// A record is missing if it is live, comes from the origin, has no pending edits, and no stored page shows it. Each missing
/// record gains a pass in ``MissingTable``. ``ListingEvidence`` decides how many passes delete it, and ``DeletionGuard`` how
/// many records may be deleted at once.
struct DeletionReconciliation {
    /// As the transaction has left it so far: whether records are to be reconciled depends on what it wrote.
    let table: RecordsTable
    /// The records that the listings are about; nil if the resource has a single listing.
    var parents: RecordsTable?
    let run: RunID
    let now: Timestamp
    /// The resource's revision after this transaction.
    let revision: Int64
    let terms: DeletionTerms
    /// The shard whose parents were listed; nil for all of them.
    var shard: Shard?

    var resource: Int64 { table.resource }

    // MARK: One listing

    /// With the last page of the only listing.
    ///
    /// - Parameters:
    ///   - hasLostNext: whether its first page led to a next one before, and no longer does: it does not count.
    ///   - hasShrunk: see ``ListedPage/hasShrunk``.
    /// - Returns: how many records were deleted, and how many deletions the guard blocked.
    func reconcileListing(
        hasLostNext: Bool = false, hasShrunk: Bool = false, _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        guard let listing = try ListingsTable.load(resource, scope: "", transaction), listing.cursor.from == nil else {
            return RunCounters()
        }
        guard try PagesTable.unknownListings(of: resource, transaction) == 0 else {
            try resetCounts(transaction)
            return RunCounters()
        }
        let evidence = ListingEvidence(
            isStable: terms.isStable, isInterrupted: listing.run != run, hasMoved: listing.hasMoved,
            hasShrunk: hasShrunk,
            hasSmallPages: listing.sizing?.isSmaller(than: terms.largestPage) ?? false,
            isVerified: terms.rule.recordPath != nil)
        guard evidence.counts, !hasLostNext, try isNeeded(transaction) else { return RunCounters() }
        return try reconcile(try absentRecords(since: listing.startedAt, transaction), evidence, transaction)
    }

    /// Counts the records that the only listing lacks, where the config does not delete them: they are kept, and reported.
    func countUnlisted(_ transaction: borrowing Transaction) throws {
        guard let listing = try ListingsTable.load(resource, scope: "", transaction), listing.cursor.from == nil,
            // The first one has nothing to lack, and an unchanged one lacks what the listing before it lacked.
            listing.number > 1, try !ListingsTable.isUnchanged(resource, scope: "", transaction),
            try PagesTable.unknownListings(of: resource, transaction) == 0
        else { return }
        let absent = try absentRecords(since: listing.startedAt, transaction)
        try ResourcesTable.set(unlisted: absent.ids.ids.count, of: resource, transaction)
    }

    // MARK: Pages of which not all records are known

    /// Resets the counters, because a missing record may be on such a page. These pages are fetched in full again: a 304 would
    /// leave them unknown for ever.
    func resetCounts(_ transaction: borrowing Transaction) throws {
        try MissingTable.resetCounts(of: resource, transaction)
        try PageValidators(resource: resource).forgetUnknown(scope: nil, transaction)
    }

    // MARK: Absent records

    /// Whether the pages or the records changed since the last reconciliation, or a record has to be counted again. An origin
    /// that answers 304 to everything costs nothing.
    func isNeeded(_ transaction: borrowing Transaction) throws -> Bool {
        try table.row.reconciledRevision != table.row.revision
            || MissingTable.hasCounts(below: countedPasses, of: resource, transaction)
    }

    /// A record with as many passes need not be counted again: the origin is asked about it. Others are counted until they are deleted.
    private var countedPasses: Int {
        guard terms.rule.recordPath != nil else { return MissingTable.mostPasses + 1 }
        return terms.rule.isPathBound ? 2 : 1
    }

    /// Living records that no page shows.
    struct AbsentRecords {
        var ids = RowIDs([])
        /// Whether others were written after the listing began, so that the next one has to look at them.
        var hasNewer = false
    }

    /// - Parameter startedAt: when the listing or pass began. A record written later may not be on a page read before.
    func absentRecords(since startedAt: Timestamp, _ transaction: borrowing Transaction) throws -> AbsentRecords {
        let living = try transaction.query(
            "SELECT rowid FROM \(table.rows) WHERE deleted_at IS NULL AND pending = 0"
        ) { $0.int(0) }
        var candidates = Candidates(RowIDs(living))
        try PagesTable.forEachMembers(of: resource, transaction) { candidates.find($1) }
        candidates.find(try MissingTable.exemptRecords(of: table, isFanOut: parents != nil, transaction))
        return try sort(candidates.left, startedAt, transaction)
    }

    /// Skips records whose parent is gone, or belongs to another shard: that no other listing shows them is no evidence. A record that
    /// was written more than a day from now was written before the clock was set back.
    private func sort(
        _ ids: [Int64], _ startedAt: Timestamp, _ transaction: borrowing Transaction
    ) throws -> AbsentRecords {
        var absent = AbsentRecords()
        guard !ids.isEmpty else { return absent }
        var hasParent: SQL = "1"
        if let parents {
            hasParent = """
                (r.scope IS NULL OR EXISTS (SELECT 1 FROM \(parents.rows) p WHERE p.key = r.scope AND p.deleted_at IS NULL))
                """
        }
        var find = try transaction.prepare(
            """
            SELECT r.changed_at > ?2 AND r.changed_at <= ?3, COALESCE(CAST(r.scope AS TEXT), '') FROM \(table.rows) r
            WHERE r.rowid = ?1 AND \(hasParent)
            """)
        try find.bind(2, startedAt.microseconds)
        try find.bind(3, (now + RetryAfter.longest).microseconds)
        var kept: [Int64] = []
        for id in ids {
            try find.bind(1, id)
            if try find.step(), isOwn(parent: find.text(1)) {
                if find.int(0) == 1 { absent.hasNewer = true } else { kept.append(id) }
            }
            find.reset()
        }
        absent.ids = RowIDs(kept)
        return absent
    }

    private func isOwn(parent: String) -> Bool {
        parent.isEmpty || shard?.owns(parent: parent, of: table.resourceName) ?? true
    }

    // MARK: Deciding

    /// Counts the absent records, and deletes those that were absent often enough, within the guard. Where the origin is asked
    /// for each record, this deletes none.
    func reconcile(
        _ absent: AbsentRecords, _ evidence: ListingEvidence, _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        // Whether no complete listing was reconciled under this definition yet.
        let isFirst = table.row.reconciledRevision == nil
        // The first listing under a definition may lack records that it no longer asks for: these are not verified.
        guard !(isFirst && evidence.isVerified) else {
            try ResourcesTable.setReconciled(
                isUpToDate: absent.ids.isEmpty && !absent.hasNewer, of: resource, transaction)
            return RunCounters()
        }
        let counted = try MissingTable.count(
            absent.ids, needed: evidence.passesNeeded(isFirst: isFirst), of: resource, transaction)
        let proven = evidence.isVerified ? [] : counted
        var counters = RunCounters()
        if try DeletionGuard.blocks(proven.count, of: resource, terms, transaction) {
            counters.deletionsBlocked = proven.count
        } else {
            try TombstonesTable.insert(
                for: proven, in: table, cause: .missing, run: run, now: now, revision: revision, transaction)
            counters.deleted = proven.count
        }
        try ResourcesTable.setReconciled(isUpToDate: !absent.hasNewer, of: resource, transaction)
        return counters
    }

    /// Makes the next complete listing the first again: the definition changed, or missing records no longer count.
    static func startOver(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        guard try ResourcesTable.setUnreconciled(resource, transaction) else { return }
        try MissingTable.resetCounts(of: resource, transaction)
    }
}

/// How strong the evidence of a complete listing or fan-out pass is that missing records were deleted.
///
/// A record can move from an unread page to one already read, or from one parent's listing to another's. So a single listing is
/// enough only if its pages are `stable`, one run read them all, and as many records were read as the origin ever reported.
struct ListingEvidence: Hashable {
    /// Whether records never move between pages while they are read; see ``AnyResource/isStable``.
    var isStable = false
    /// Whether more than one run read its pages.
    var isInterrupted = false
    /// Whether a page showed a stored record that it had not shown before.
    var hasMoved = false
    /// See ``ListedPage/hasShrunk``.
    var hasShrunk = false
    /// Whether pages were smaller than the config asks for: an origin with a limit of pages lists less then.
    var hasSmallPages = false
    /// Whether it is a fan-out pass.
    var isPass = false
    /// Whether missing records are verified by GET.
    var isVerified = false

    /// Whether the listing counts at all. If the origin is asked for each missing record, its answer is the proof.
    var counts: Bool { isVerified || !hasSmallPages && (isStable || !isInterrupted) }

    /// The number of listings in a row, this one included, that must lack a record.
    ///
    /// - Parameter isFirst: whether it is the first complete listing under its definition, which deletes nothing.
    func passesNeeded(isFirst: Bool) -> Int {
        if isStable { return isInterrupted || hasShrunk || isPass || isFirst ? 2 : 1 }
        return hasMoved ? MissingTable.mostPasses : 2
    }
}
