internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Resumes the open fan-out pass, or begins a new one: if none is open, if it is older than
    /// ``ListingOpening/resumeWithin``, or if everything is listed again.
    ///
    /// A changed definition first deletes all listings.
    package func openPass(_ opening: PassOpening) async throws(StoreError) -> PassPosition {
        let me = try ownerID()
        let now = clock.now
        return try await write { transaction in
            try Self.check(opening.listing.lease, owner: me, transaction)
            return try PassRows.open(opening, owner: me, now: now, transaction)
        }
    }

    /// Ends the fan-out pass. Deletes the listings of parents that are gone, and supersedes retained fetches of parents outside
    /// of this pass. Adds deletions and blocked deletions to the run's counters.
    ///
    /// - Returns: the counters, and the missing records that were kept.
    @discardableResult
    package func endPass(_ pass: PassEnd) async throws(StoreError) -> PassFindings {
        let me = try ownerID()
        let now = clock.now
        let findings = try await write { transaction in
            try Self.check(pass.lease, owner: me, transaction)
            return try PassRows.end(pass, QueueTransitions(owner: me, now: now), transaction)
        }
        if findings.counters.deleted > 0 { changeSignal.fire() }
        return findings
    }

    /// The live parents that are due, in the order of their keys.
    package func parents(_ selection: ParentSelection) async throws(StoreError) -> [Parent] {
        try await read { snapshot in
            let statement = try ParentCompiler(selection, snapshot).due()
            return try snapshot.query(statement) { row in
                Parent(
                    key: row.text(0), body: row.blob(1), revision: row.int(2), checkpoint: PageRequest(row, at: 3),
                    checkpointAt: row.optionalInt(8).map(Timestamp.init), root: row.optionalText(9))
            }
        }
    }

    /// The number of parents, and why they are due; ignores ``ParentSelection/limit``.
    package func outlook(_ selection: ParentSelection) async throws(StoreError) -> ParentOutlook {
        try await read { snapshot in
            let statement = try ParentCompiler(selection, snapshot).outlook()
            return try snapshot.query(statement) { row in
                ParentOutlook(
                    all: Int(row.int(0)), due: Int(row.int(1)), new: Int(row.int(2)), unfinished: Int(row.int(3)),
                    changed: Int(row.int(4)))
            }.first ?? ParentOutlook()
        }
    }

    /// The values of a statement's first column.
    ///
    /// - Throws: ``StoreError/Kind/invalidQuery`` if the statement does more than read, or the store has no SQL.
    package func keys(ofQuery sql: String) async throws(StoreError) -> [String] {
        let keys = GatheredKeys()
        do {
            try await query(sql, columns: { _ in }, row: { keys.add($0.first) })
        } catch { throw StoreError(mapping: error) }
        return keys.all
    }

    /// The cursor of each parent's listing; the one that moved least recently first.
    package func scopedCursors(of resource: String) async throws(StoreError) -> [ScopedCursor] {
        try await read { snapshot in
            try snapshot.query(
                """
                SELECT scope, value, moved_at FROM siding_cursors
                WHERE resource = (SELECT id FROM siding_resources WHERE name = ?1) AND scope <> ''
                ORDER BY moved_at, scope
                """, resource
            ) { ScopedCursor(scope: $0.text(0), value: $0.text(1), movedAt: Timestamp(microseconds: $0.int(2))) }
        }
    }
}

/// Collects the keys in the rows of a statement: text unchanged, integers as digits.
final class GatheredKeys: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// The keys in byte order.
    var all: [String] {
        keys.withLock { $0 }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func add(_ cell: QueryCell?) {
        switch cell {
        case .text(let text): keys.withLock { _ = $0.insert(text) }
        case .integer(let integer): keys.withLock { _ = $0.insert(String(integer)) }
        case .real, .blob, .null, nil: break
        }
    }
}
