internal import SidingSQLite

/// Decides, in the transaction that ends a round over the records of another resource, which records are gone.
///
/// A record that one parent's listing lacks may have moved to another's. So only a round counts in which the listing of every
/// living parent was completed, and two of them in succession must lack it: within a round it can slip from a parent not yet
/// asked about to one that was.
struct PassReconciliation {
    let proof: DeletionReconciliation
    let parent: Int64
    let end: RoundEnd
    let terms: DeletionTerms
    /// Whether the parents were listed wholly since the last complete round.
    let isParentListed: Bool

    init?(
        _ end: RoundEnd, of resource: ResourceRow, over parent: Int64, isParentListed: Bool, now: Timestamp
    ) {
        guard resource.tracksMembers, let terms = end.deletions, terms.rule.byAbsence else { return nil }
        (self.parent, self.end, self.terms, self.isParentListed) = (parent, end, terms, isParentListed)
        proof = DeletionReconciliation(
            resource: resource.id, parent: parent, run: end.run, now: now, revision: resource.revision + 1, terms: terms
        )
    }

    func settle(_ transaction: borrowing Transaction) throws -> RoundFindings {
        var findings = RoundFindings()
        findings.unknown = try proof.unknownListings(transaction)
        findings.unasked = try unasked(transaction)
        findings.areParentsUnlisted = !isParentListed
        if findings.unknown > 0 { try proof.startOver(transaction) }
        guard findings.unknown + findings.unasked == 0, isParentListed else { return try partly(findings, transaction) }
        let verdict = try proof.judge(isEnough: false, deletes: terms.rule.recordPath == nil, transaction)
        findings.counters = verdict.counters
        if terms.rule.recordPath != nil {
            // Where a record is depends on its parent, it may have moved while the round went on.
            let asked = terms.rule.isPathBound ? verdict.lackedTwice : verdict.lacked
            findings.doubtful = try doubtful(asked, transaction)
        }
        return findings
    }

    /// Living parents whose listing was not completed in this round: the record may be there.
    private func unasked(_ transaction: borrowing Transaction) throws -> Int {
        let parents = try RecordsTable.load(parent, transaction)
        return try transaction.first(
            """
            SELECT COUNT(*) FROM \(parents.rows) p
            LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope = CAST(p.key AS TEXT)
            WHERE p.deleted_at IS NULL AND \(ParentCompiler.isAtOrigin("p", in: parents))
                AND (l.round IS NOT ?2 OR l.state <> 'complete' OR l.cursor_from IS NOT NULL)
            """, proof.resource, end.round
        ) { Int($0.int(0)) } ?? 0
    }

    /// Nothing is proven; but the origin may have the word on a record, wherever that is.
    private func partly(
        _ findings: RoundFindings, _ transaction: borrowing Transaction
    ) throws -> RoundFindings {
        var findings = findings
        let before = try MissingRecordRows.load(proof.resource, transaction)
        let search = try proof.search(before, transaction)
        let asks = findings.unknown == 0 && terms.rule.recordPath != nil && !terms.rule.isPathBound
        guard asks, try !proof.isRedefined(transaction) else {
            try keep(search, before, transaction)
            findings.unproven = search.gone.count
            return findings
        }
        try proof.settle(search, transaction)
        try MissingRecordRows.replace(before, with: RecordIDs(search.gone.map(\.id)), of: proof.resource, transaction)
        findings.doubtful = try doubtful(search.gone.filter { !$0.isEdited }.map(\.id), transaction)
        return findings
    }

    /// What is on a page after all need not be looked for again and again.
    private func keep(
        _ search: DeletionReconciliation.Search, _ before: RecordIDs, _ transaction: borrowing Transaction
    ) throws {
        let left = RecordIDs(search.gone.map(\.id)).subtracting(before)
        guard search.departed > left.ids.count || !search.orphans.isEmpty else { return }
        try proof.settle(search, transaction)
        try PageMembers.depart(left, proof.resource, transaction)
    }

    private func doubtful(_ ids: [Int64], _ transaction: borrowing Transaction) throws -> UnconfirmedDeletions {
        var doubtful = UnconfirmedDeletions(keys: [])
        var isNew: Set<String> = []
        let records = try RecordsTable.load(proof.resource, transaction).rows
        var find = try transaction.prepare(
            """
            SELECT r.key, r.scope, a.asked_at IS NULL OR a.is_gone = 1 OR a.asked_at < ?3 OR a.asked_at > ?4,
                a.asked_at IS NULL OR a.is_gone = 1, a.asked_at IS NULL
            FROM \(records) r JOIN siding_absences a ON a.resource = ?2 AND a.scope = '' AND a.record = r.rowid
            WHERE r.rowid = ?1
            """)
        try find.bind(2, proof.resource)
        try find.bind(3, end.askedBefore.microseconds)
        try find.bind(4, proof.now.microseconds)
        for id in ids {
            try find.bind(1, id)
            guard try find.step() else { continue }
            let (key, scope) = (find.text(0), find.optionalText(1))
            if find.int(2) == 1, scope != nil || !terms.rule.isPathBound {
                doubtful.keys.append(key)
                doubtful.parents[key] = scope
                if find.int(3) == 1 { doubtful.unconfirmed += 1 }
                if find.int(4) == 1 { isNew.insert(key) }
            }
            find.reset()
        }
        doubtful.keys.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        doubtful.keys = doubtful.keys.filter(isNew.contains) + doubtful.keys.filter { !isNew.contains($0) }
        return doubtful
    }
}
