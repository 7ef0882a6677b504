internal import SidingSQLite

/// What the origin said of records that complete listings lacked: the columns `asked_at` and `is_gone` of `siding_absences`.
enum VerificationRows {
    /// Keys that were not asked about since `moment`, and those that were said to be gone: they may be back. What was asked in
    /// the future was so by a clock that has been set back.
    static func doubtful(
        _ resource: String, since moment: Timestamp, now: Timestamp, _ snapshot: borrowing Snapshot
    ) throws -> UnconfirmedDeletions {
        let id = try Store.resourceRow(resource, snapshot)?.id ?? 0
        let records = try RecordsTable.load(id, snapshot).rows
        let found = try snapshot.query(
            """
            SELECT r.key, a.asked_at IS NULL OR a.is_gone = 1 FROM siding_absences a JOIN \(records) r ON r.rowid = a.record
            WHERE a.resource = ?1 AND r.deleted_at IS NULL AND r.pending = 0
                AND (a.asked_at IS NULL OR a.is_gone = 1 OR a.asked_at < ?2 OR a.asked_at > ?3)
            ORDER BY a.asked_at IS NOT NULL, r.key
            """, id, moment.microseconds, now.microseconds
        ) { (key: $0.text(0), isUnconfirmed: $0.int(1) == 1) }
        var doubtful = UnconfirmedDeletions(keys: found.map(\.key))
        doubtful.unconfirmed = found.count { $0.isUnconfirmed }
        return doubtful
    }

    /// - Returns: what was deleted and withheld.
    static func settle(
        _ findings: VerificationFindings, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        guard let resource = try ResourceRow.load(named: findings.resource, transaction) else { return RunCounters() }
        let table = try RecordsTable.load(resource.id, transaction)
        for (key, isGone) in findings.isGone {
            try transaction.execute(
                "UPDATE siding_absences SET asked_at = ?3, is_gone = ?4 WHERE resource = ?1 AND record = ?2",
                resource.id,
                try table.row(of: key, transaction), now.microseconds, isGone)
        }
        var counters = RunCounters()
        if let terms = findings.terms { counters = try bury(findings, terms, resource, now, transaction) }
        counters.requests = findings.requests
        try RunCounting.add(counters, to: findings.resource, in: findings.run, transaction)
        return counters
    }

    private static func bury(
        _ findings: VerificationFindings, _ terms: DeletionTerms, _ resource: ResourceRow, _ now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        var counters = RunCounters()
        let records = try RecordsTable.load(resource.id, transaction).rows
        let gone = try transaction.query(
            """
            SELECT r.rowid FROM siding_absences a JOIN \(records) r ON r.rowid = a.record
            WHERE a.resource = ?1 AND a.is_gone = 1 AND a.asked_at >= ?2 AND r.deleted_at IS NULL AND r.pending = 0
            """, resource.id, findings.since.microseconds
        ) { $0.int(0) }
        let limit = try DeletionGuard(of: resource.id, terms, transaction)
        guard terms.isAccepted || !limit.withholds(gone.count) else {
            counters.withheld = gone.count
            return counters
        }
        try Tombstones.bury(
            gone, of: resource.id, run: findings.run, now: now, revision: resource.revision + 1, transaction)
        for id in gone {
            try transaction.execute(
                "DELETE FROM siding_absences WHERE resource = ?1 AND record = ?2", resource.id, id)
        }
        counters.deleted = gone.count
        return counters
    }
}

extension DeletionGuard {
    /// The guard of what may go at once, of all listings of a resource together.
    init(
        of resource: Int64, _ terms: DeletionTerms, _ database: borrowing some Queryable & ~Copyable
    ) throws {
        self.init(listed: try PageMembers.count(resource, database), most: terms.rule.most)
    }
}
