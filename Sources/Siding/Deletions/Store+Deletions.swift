internal import SidingSQLite

extension Store {
    /// Keys of living records that the last complete listing lacked, in key order.
    public func missingKeys(of resource: String, limit: Int) async throws(StoreError) -> [String] {
        try await read { snapshot in
            guard let id = try Self.resourceRow(resource, snapshot)?.id else { return [] }
            let records = try RecordsTable.load(id, snapshot).rows
            return try snapshot.query(
                """
                SELECT DISTINCT r.key FROM siding_absences a JOIN \(records) r ON r.rowid = a.record
                WHERE a.resource = ?1 AND r.deleted_at IS NULL ORDER BY r.key LIMIT ?2
                """, id, limit
            ) { $0.text(0) }
        }
    }

    /// What the last complete listing lacked, and was not asked about since `moment`. Of a resource with a listing per parent
    /// the end of a round tells it.
    public func doubtful(
        of resource: String, askedBefore moment: Timestamp
    ) async throws(StoreError) -> UnconfirmedDeletions {
        let now = clock.now
        return try await read { snapshot in
            try VerificationRows.doubtful(resource, since: moment, now: now, snapshot)
        }
    }

    /// Whether the mass-deletion guard would block the deletion of so many records of a resource at once.
    func isBlocked(
        deleting count: Int, of resource: String, _ terms: DeletionTerms
    ) async throws(StoreError) -> Bool {
        guard count > 0, !terms.isAccepted else { return false }
        return try await read { snapshot in
            guard let row = try Self.resourceRow(resource, snapshot) else { return false }
            return try DeletionGuard(of: row.id, terms, snapshot).withholds(count)
        }
    }

    /// Notes what the origin said of such records; deletes those that are gone, where the terms are given and allow it.
    ///
    /// - Returns: what was deleted and withheld, and the requests.
    public func settle(_ findings: VerificationFindings) async throws(StoreError) -> RunCounters {
        let me = try ownerID()
        let now = clock.now
        let counters = try await write { transaction in
            try Self.check(findings.lease, owner: me, transaction)
            return try VerificationRows.settle(findings, now: now, transaction)
        }
        if counters.deleted > 0 { changeSignal.fire() }
        return counters
    }

    /// Takes back the tombstones that a run made; records that have been written since stay as they are.
    ///
    /// What was taken back stays until the origin shows it again and then lacks it.
    /// - Returns: how many, by resource.
    public func undelete(_ run: RunID) async throws(StoreError) -> [String: Int] {
        let now = clock.now
        let counts = try await write { transaction in try Tombstones.undelete(run, now: now, transaction) }
        if !counts.isEmpty { changeSignal.fire() }
        return counts
    }
}
