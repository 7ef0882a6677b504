// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Keys of missing records, in key order.
    func missingKeys(of resource: String, limit: Int) async throws(StoreError) -> [String] {
        try await read(resource) { try MissingTable.keys(of: $0, limit: limit, $1) } ?? []
    }

    /// What the last complete listing of a resource lacks.
    ///
    /// - Parameter countsLiving: whether live records are counted, for which every row is read; else 0.
    func missing(of resource: String, countsLiving: Bool) async throws(StoreError) -> MissingRecords {
        try await read(resource) { table, snapshot in
            let counts = try MissingTable.counts(of: table, snapshot)
            return MissingRecords(
                living: countsLiving ? try table.countLiving(snapshot) : 0, missing: counts.missing,
                waiting: counts.waiting,
                unlisted: table.row.unlisted)
        } ?? MissingRecords()
    }

    /// Missing records that the origin was not asked about since `moment`.
    ///
    /// - Parameters:
    ///   - passes: the least number of complete listings in a row without the record.
    ///   - withParent: only records that were seen in the listing of a parent.
    func unconfirmedDeletions(
        of resource: String, passes: Int = 1, withParent: Bool = false, askedBefore moment: Timestamp
    ) async throws(StoreError) -> UnconfirmedDeletions {
        let now = clock.now
        return try await read(resource) { table, snapshot in
            try MissingTable.unconfirmed(
                table, passes: passes, withParent: withParent, askedBefore: moment, now: now, snapshot)
        } ?? UnconfirmedDeletions()
    }

    /// Whether the mass-deletion guard would block this many deletions of a resource at once.
    func isBlocked(deleting count: Int, of resource: String, _ terms: DeletionTerms) async throws(StoreError) -> Bool {
        try await read(resource) { try DeletionGuard.blocks(count, of: $0.resource, terms, $1) } ?? false
    }

    /// Deletes the confirmed records unless the guard blocks it, and stores when the others were verified.
    ///
    /// - Returns: the numbers of deleted records, blocked deletions, requests and bytes.
    func apply(_ findings: VerificationFindings) async throws(StoreError) -> RunCounters {
        let counters = try await write(under: findings.lease) { queue, transaction in
            try RecordsTable.load(named: findings.resource, transaction).map { table in
                try Self.apply(findings, to: table, now: queue.now, transaction)
            } ?? RunCounters()
        }
        if counters.deleted > 0 { changeSignal.fire() }
        return counters
    }

    private static func apply(
        _ findings: VerificationFindings, to table: RecordsTable, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        let resource = table.resource
        var deleted: [Int64] = []
        for (key, isDeleted) in findings.isDeleted {
            guard isDeleted else {
                let row = try table.row(of: key, transaction)
                try MissingTable.setChecked(row, of: resource, at: now, transaction)
                continue
            }
            guard let record = try table.find(key, transaction), record.deletedAt == nil, record.pending == 0,
                record.changedAt <= findings.since,
                try MissingTable.isCounted(record.row, of: resource, transaction)
            else { continue }
            deleted.append(record.row)
        }
        var counters = findings.counters
        if try DeletionGuard.blocks(deleted.count, of: resource, findings.terms, transaction) {
            counters.deletionsBlocked = deleted.count
            // They count as unconfirmed again, so that the guard also blocks their next verification.
            for id in deleted { try MissingTable.setChecked(id, of: resource, at: nil, transaction) }
        } else {
            counters.deleted = deleted.count
            try TombstonesTable.insert(
                for: deleted, in: table, cause: .missing, run: findings.run, now: now,
                revision: table.row.revision + 1, transaction)
        }
        try RunResourcesTable.add(counters, to: findings.resource, in: findings.run, transaction)
        return counters
    }

    /// Restores the records that a run deleted; records written since stay as they are.
    ///
    /// A restored record is exempt from deletion until a page shows it.
    /// - Returns: the number of restored records by resource.
    package func undelete(_ run: RunID) async throws(StoreError) -> [String: Int] {
        let now = clock.now
        var counts: [String: Int] = [:]
        for deleted in try await read({ try TombstonesTable.deleted(by: run, $0) }) {
            // Also if a later batch fails.
            defer { changeSignal.fire() }
            let restored = try await inBatches(of: deleted.records) { records, transaction in
                try TombstonesTable.restore(
                    records, of: run, in: RecordsTable.load(deleted.resource, transaction), now: now, transaction)
            }
            if !restored.isEmpty { counts[deleted.name] = restored.count }
        }
        return counts
    }

    /// How many of the records that a run deleted are not kept any longer, so that ``undelete(_:)`` cannot restore them.
    package func removedDeletions(of run: RunID) async throws(StoreError) -> Int {
        try await read { try TombstonesTable.countRemoved(of: run, $0) }
    }
}

/// How many records the last complete listing of a resource lacks.
struct MissingRecords: Sendable, Hashable {
    /// The number of live records.
    var living = 0
    /// The number of missing records, where `deletes` counts them.
    var missing = 0
    /// How many of ``missing`` need another complete listing to be deleted.
    var waiting = 0
    /// The number of missing records, where nothing deletes them.
    var unlisted = 0
}

/// Missing records that are to be verified by GET.
struct UnconfirmedDeletions: Sendable, Hashable {
    /// Those that were never asked about first, then those asked about longest ago; without those that have pending edits.
    var keys: [String] = []
    /// How many were never verified: up to this many may be deleted at once.
    var unchecked = 0
    /// The parents whose listings showed the records last, by record key.
    var parents: [String: String] = [:]
}

/// The origin's answers for single missing records.
struct VerificationFindings: Sendable {
    var resource: String
    var lease: Lease
    var run: RunID
    /// Whether a record is deleted at the origin, by key.
    var isDeleted: [String: Bool]
    /// The requests and bytes of the answers.
    var counters: RunCounters
    /// When the first of them was asked about: an answer says nothing of a record that was written later.
    var since: Timestamp
    /// How the deletions are limited.
    var terms: DeletionTerms
}
