internal import SidingSQLite

/// Decides, in the transaction that saves a listing's last page, which records are gone.
///
/// Once is not proof enough where pages shift while they are asked for: a record can slip from a page not yet asked for to one
/// that was. So two complete listings in succession must lack it, or one that was not interrupted, of pages that do not shift.
struct AbsenceProof {
    let resource: Int64
    let scope: String
    let run: RunID
    let now: Timestamp
    /// The resource's revision once this transaction has committed.
    let revision: Int64
    let terms: DeletionTerms

    /// What a complete listing was like.
    private struct Standing {
        /// Whether it asked for all there is.
        var isWhole: Bool
        var run: RunID
        /// Whether it had one page, as the complete one before it had: one of several may have lost its way to the others.
        var isSingle: Bool
        /// When the definition changed last.
        var redefined: RunID?
    }

    /// - Returns: how many were deleted, and how many were withheld.
    func settle(_ transaction: borrowing Transaction) throws -> RunCounters {
        let none = RunCounters()
        guard let standing = try standing(transaction), standing.isWhole else { return none }
        guard try isKnown(transaction) else {
            try startOver(transaction)
            return none
        }
        let before = try AbsenceRows.load(resource, scope: scope, transaction)
        let gone = try gone(before, transaction)
        try transaction.execute("DELETE FROM siding_departures WHERE resource = ?1 AND scope = ?2", resource, scope)
        guard !gone.isEmpty || !before.isEmpty else { return none }
        let proven = try proven(gone, standing, before, transaction)
        let isWithheld =
            try !terms.isAccepted && DeletionGuard(of: resource, scope, run, terms, transaction).withholds(proven.count)
        let deleted = isWithheld ? [] : proven
        try Tombstones.bury(deleted, of: resource, run: run, now: now, revision: revision, transaction)
        let left = RecordIDs(gone.map(\.id)).subtracting(RecordIDs(deleted))
        try AbsenceRows.replace(before, with: left, of: resource, scope: scope, transaction)
        var counters = RunCounters()
        counters.deleted = deleted.count
        counters.withheld = isWithheld ? proven.count : 0
        return counters
    }

    private func standing(_ transaction: borrowing Transaction) throws -> Standing? {
        let found = try transaction.first(
            """
            SELECT l.cursor_from IS NULL, l.run, l.pages = 1 AND l.was_single, r.redefined_run
            FROM siding_listings l JOIN siding_resources r ON r.id = l.resource WHERE l.resource = ?1 AND l.scope = ?2
            """, resource, scope
        ) { row in
            Standing(
                isWhole: row.int(0) == 1, run: row.int(1), isSingle: row.int(2) == 1, redefined: row.optionalInt(3))
        }
        try transaction.execute(
            """
            UPDATE siding_listings SET was_single = (pages = 1)
            WHERE resource = ?1 AND scope = ?2 AND cursor_from IS NULL AND was_single <> (pages = 1)
            """, resource, scope)
        return found
    }

    // MARK: Pages of which not all is known

    private func isKnown(_ transaction: borrowing Transaction) throws -> Bool {
        try transaction.first(
            "SELECT 1 FROM siding_pages WHERE resource = ?1 AND scope = ?2 AND members IS NULL LIMIT 1", resource, scope
        ) { _ in false } ?? true
    }

    /// The listing proves nothing, and what it lacked must be lacked twice more. Its unknown pages are asked for whole the next
    /// time, as a 304 would leave them unknown.
    private func startOver(_ transaction: borrowing Transaction) throws {
        let lacked = try AbsenceRows.load(resource, scope: scope, transaction)
        if !lacked.isEmpty {
            try transaction.execute(
                "INSERT INTO siding_departures (resource, scope, members) VALUES (?1, ?2, ?3)", resource, scope,
                SQLiteValue.blob(lacked.packed))
            try transaction.execute("DELETE FROM siding_absences WHERE resource = ?1 AND scope = ?2", resource, scope)
        }
        try transaction.execute(
            """
            UPDATE siding_pages SET etag = NULL, last_modified = NULL
            WHERE resource = ?1 AND scope = ?2 AND members IS NULL
            """, resource, scope)
    }

    // MARK: What is gone

    /// A record that no page shows.
    private struct Gone {
        let id: Int64
        /// Whether edits of the user's own lie on it: then it is left until they are settled.
        let isEdited: Bool
    }

    private func gone(_ before: RecordIDs, _ transaction: borrowing Transaction) throws -> [Gone] {
        var sought = before.ids
        try each("SELECT members FROM siding_departures WHERE resource = ?1 AND scope = ?2", transaction) {
            sought += $0.ids
        }
        guard !sought.isEmpty else { return [] }
        var candidates = Candidates(RecordIDs(sought))
        try each("SELECT members FROM siding_pages WHERE resource = ?1 AND scope = ?2", transaction) {
            candidates.find($0)
        }
        guard !candidates.left.isEmpty else { return [] }
        // What belongs to other scopes as well is theirs to lack.
        for table in ["siding_pages", "siding_departures"] {
            try each(
                """
                SELECT members FROM \(identifier: table) WHERE resource = ?1 AND scope <> ?2 AND members IS NOT NULL
                """, transaction
            ) { candidates.find($0) }
        }
        let elsewhere = try transaction.query(
            "SELECT record FROM siding_absences WHERE resource = ?1 AND scope <> ?2", resource, scope
        ) { $0.int(0) }
        candidates.find(RecordIDs(elsewhere))
        return try living(candidates.left, transaction)
    }

    private func each(
        _ sql: SQL, _ transaction: borrowing Transaction, _ body: (RecordIDs) -> Void
    ) throws {
        try transaction.forEach(sql, resource, scope) { row in
            body(try row.withBytes(0) { bytes throws(StoreError) in try RecordIDs(packed: bytes) })
        }
    }

    private func living(_ ids: [Int64], _ transaction: borrowing Transaction) throws -> [Gone] {
        var find = try transaction.prepare(
            "SELECT pending > 0 FROM siding_records WHERE id = ?1 AND resource = ?2 AND deleted_at IS NULL")
        try find.bind(2, resource)
        var living: [Gone] = []
        for id in ids {
            try find.bind(1, id)
            guard try find.step() else { continue }
            living.append(Gone(id: id, isEdited: find.int(0) == 1))
            find.reset()
        }
        return living
    }

    // MARK: What is proven

    private func proven(
        _ gone: [Gone], _ standing: Standing, _ before: RecordIDs, _ transaction: borrowing Transaction
    ) throws -> [Int64] {
        // Where the origin can be asked for each record, it has the word.
        guard terms.rule.recordPath == nil else { return [] }
        guard standing.redefined != run, standing.redefined != standing.run else { return [] }
        // Elsewhere, too, records may be that nobody knows of.
        let isUnsure =
            try transaction.first(
                "SELECT 1 FROM siding_pages WHERE resource = ?1 AND scope <> ?2 AND members IS NULL LIMIT 1", resource,
                scope
            ) { _ in true } ?? false
        guard !isUnsure else { return [] }
        let isEnough = standing.run == run && (terms.isStable || standing.isSingle)
        var again = Candidates(RecordIDs(gone.map(\.id)))
        again.find(before)
        let once = Set(again.left)
        return gone.filter { !$0.isEdited && (isEnough || !once.contains($0.id)) }.map(\.id)
    }
}
