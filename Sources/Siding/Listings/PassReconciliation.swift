internal import SidingChain
internal import SidingSQLite

/// Decides which records were deleted at the origin, in the transaction that ends a fan-out pass.
///
/// A record missing from one parent's listing may have moved to another's. So a pass counts only if the listing of every live
/// parent was complete in it, and if the parents themselves were listed since the pass before.
struct PassReconciliation {
    let reconciliation: DeletionReconciliation
    let parent: Int64
    let end: PassEnd
    let terms: DeletionTerms
    /// Whether the parents were listed completely since the last complete pass.
    let areParentsListed: Bool

    /// Nil if missing records are not deleted.
    init?(
        _ end: PassEnd, of resource: ResourceRow, over parent: Int64, areParentsListed: Bool, now: Timestamp
    ) {
        guard let terms = end.deletions, terms.rule.byAbsence else { return nil }
        (self.parent, self.end, self.terms, self.areParentsListed) = (parent, end, terms, areParentsListed)
        reconciliation = DeletionReconciliation(
            resource: resource.id, parent: parent, run: end.run, now: now, revision: resource.revision + 1, terms: terms
        )
    }

    /// Counts and deletes missing records if the pass counts; else reports why it does not.
    func reconcile(_ transaction: borrowing Transaction) throws -> PassFindings {
        var findings = PassFindings()
        guard !end.isOfChanges else { return findings }
        findings.unknown = try reconciliation.unknownListings(transaction)
        findings.unasked = try unasked(transaction)
        findings.areParentsUnlisted = !areParentsListed
        if findings.unknown > 0 { try reconciliation.resetCounts(transaction) }
        guard let pass = try pass(transaction), try reconciliation.isNeeded(transaction) else { return findings }
        findings.isInterrupted = !pass.evidence.counts
        let absent = try reconciliation.absentRecords(since: pass.startedAt, transaction)
        guard findings.isProof else {
            findings.unproven = absent.ids.ids.count
            return findings
        }
        findings.counters = try reconciliation.reconcile(absent, pass.evidence, transaction)
        return findings
    }

    /// What the pass proves, and when it, or the first of its listings, began. A listing that an earlier pass began counts as
    /// interrupted.
    private func pass(
        _ transaction: borrowing Transaction
    ) throws -> (evidence: ListingEvidence, startedAt: Timestamp)? {
        try transaction.first(
            """
            SELECT r.run <> ?3 OR COALESCE(MAX(l.run <> ?3), 0), COALESCE(MAX(l.moved), 0),
                MIN(r.started_at, COALESCE(MIN(l.started_at), r.started_at))
            FROM siding_passes r LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope <> '' AND l.pass = ?2
            WHERE r.resource = ?1 GROUP BY r.resource
            """, reconciliation.resource, end.pass, end.run
        ) { row in
            let evidence = ListingEvidence(
                isStable: terms.isStable, isInterrupted: row.int(0) == 1, hasMoved: row.int(1) == 1, isPass: true,
                isVerified: terms.rule.recordPath != nil)
            return (evidence, Timestamp(microseconds: row.int(2)))
        }
    }

    /// The number of live parents without a complete listing in this pass.
    private func unasked(_ transaction: borrowing Transaction) throws -> Int {
        let parents = try RecordsTable.load(parent, transaction)
        return try transaction.first(
            """
            SELECT COUNT(*) FROM \(parents.rows) p
            LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope = CAST(p.key AS TEXT)
            WHERE p.deleted_at IS NULL AND \(ParentCompiler.isAtOrigin("p", in: parents))
                AND (l.pass IS NOT ?2 OR l.state <> 'complete' OR l.cursor_from IS NOT NULL)
            """, reconciliation.resource, end.pass
        ) { Int($0.int(0)) } ?? 0
    }
}
