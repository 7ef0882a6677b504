internal import SidingSQLite

/// Decides, in the transaction that ends a listing or a round of them, which records are gone.
///
/// Once is not proof enough where pages shift while they are asked for: a record can slip from a page not yet asked for to one
/// that was, or from one parent's listing to another's. So two complete listings in succession must lack it, or one that was
/// not interrupted, of pages that do not shift.
struct DeletionReconciliation {
    let resource: Int64
    /// The resource whose records have a listing each; nil where there is one listing only.
    var parent: Int64?
    let run: RunID
    let now: Timestamp
    /// The resource's revision once this transaction has committed.
    let revision: Int64
    let terms: DeletionTerms

    /// What came of a search that counts.
    struct Verdict {
        /// What was deleted and withheld.
        var counters = RunCounters()
        /// Records that the one before lacked, too, whatever is said of them.
        var lackedTwice: [Int64] = []
        /// All that are lacked and that no edits lie on.
        var lacked: [Int64] = []
    }

    // MARK: One listing

    /// What a complete listing was like.
    private struct Standing {
        /// Whether it asked for all there is.
        var isWhole: Bool
        /// Whether it was not interrupted.
        var isOfThisRun: Bool
        /// Whether it had one page, as the complete one before it had: one of several may have lost its way to the others.
        var isSingle: Bool
    }

    /// With the last page of the only listing.
    ///
    /// - Returns: how many were deleted, and how many were withheld.
    func settleListing(_ transaction: borrowing Transaction) throws -> RunCounters {
        guard let standing = try standing(transaction), standing.isWhole else { return RunCounters() }
        guard try unknownListings(transaction) == 0 else {
            try startOver(transaction)
            return RunCounters()
        }
        let isEnough = standing.isOfThisRun && (terms.isStable || standing.isSingle)
        // Where the origin can be asked for each record, it has the word.
        return try judge(isEnough: isEnough, deletes: terms.rule.recordPath == nil, transaction).counters
    }

    private func standing(_ transaction: borrowing Transaction) throws -> Standing? {
        let found = try transaction.first(
            """
            SELECT cursor_from IS NULL, run = ?2, pages = 1 AND was_single
            FROM siding_listings WHERE resource = ?1 AND scope = ''
            """, resource, run
        ) { row in
            Standing(isWhole: row.int(0) == 1, isOfThisRun: row.int(1) == 1, isSingle: row.int(2) == 1)
        }
        try transaction.execute(
            """
            UPDATE siding_listings SET was_single = (pages = 1)
            WHERE resource = ?1 AND scope = '' AND cursor_from IS NULL AND was_single <> (pages = 1)
            """, resource)
        return found
    }

    // MARK: Pages of which not all is known

    /// How many listings have pages of which not all records are known.
    func unknownListings(_ transaction: borrowing Transaction) throws -> Int {
        try transaction.first(
            "SELECT COUNT(DISTINCT scope) FROM siding_pages WHERE resource = ?1 AND members IS NULL", resource
        ) { Int($0.int(0)) } ?? 0
    }

    /// Nothing is proven, and what was lacked must be lacked twice more: it may be on such a page.
    func startOver(_ transaction: borrowing Transaction) throws {
        try PageMembers.lookAnew(resource, transaction)
        try PageValidators(resource: resource).forgetUnknown(scope: nil, transaction)
    }

    // MARK: The verdict

    /// Settles what no page shows: all there is has been asked for, and all pages are known.
    ///
    /// - Parameters:
    ///   - isEnough: whether lacking it once is proof.
    ///   - deletes: whether proof is enough; else the origin is to be asked.
    func judge(
        isEnough: Bool, deletes: Bool, _ transaction: borrowing Transaction
    ) throws -> Verdict {
        let before = try MissingRecordRows.load(resource, transaction)
        let search = try search(before, transaction)
        try settle(search, transaction)
        let isFirst = try isFirstSinceRedefinition(transaction)
        let gone = search.gone
        guard !gone.isEmpty || !before.isEmpty else { return Verdict() }
        var again = Candidates(RecordIDs(gone.map(\.id)))
        again.find(before)
        let once = Set(again.left)
        var verdict = Verdict()
        verdict.lacked = gone.filter { !$0.isEdited }.map(\.id)
        verdict.lackedTwice = isFirst ? [] : verdict.lacked.filter { !once.contains($0) }
        let proven = !deletes || isFirst ? [] : isEnough ? verdict.lacked : verdict.lackedTwice
        let isWithheld =
            try !terms.isAccepted && DeletionGuard(of: resource, terms, transaction).withholds(proven.count)
        let deleted = isWithheld ? [] : proven
        try Tombstones.bury(deleted, of: resource, run: run, now: now, revision: revision, transaction)
        let left = RecordIDs(gone.map(\.id)).subtracting(RecordIDs(deleted))
        if isFirst, asksAtOnce {
            try MissingRecordRows.replace(before, with: .none, of: resource, transaction)
            try PageMembers.depart(left, resource, transaction)
        } else {
            try MissingRecordRows.replace(before, with: left, of: resource, transaction)
        }
        verdict.counters.deleted = deleted.count
        verdict.counters.withheld = isWithheld ? proven.count : 0
        return verdict
    }

    /// Whether the origin is asked about what one listing lacks. The first one under a changed definition may lack what it does
    /// not show any more, and elsewhere records may not be where they are asked for: so it leaves that to the next.
    private var asksAtOnce: Bool { terms.rule.recordPath != nil && !terms.rule.isPathBound }

    /// Whether no listing, or round, was complete since the definition changed.
    func isRedefined(_ transaction: borrowing Transaction) throws -> Bool {
        try transaction.first("SELECT redefined_run IS NOT NULL FROM siding_resources WHERE id = ?1", resource) {
            $0.int(0) == 1
        } ?? false
    }

    /// A changed definition may show less, or elsewhere: the first complete listing under it is the first of two.
    private func isFirstSinceRedefinition(_ transaction: borrowing Transaction) throws -> Bool {
        try transaction.execute(
            "UPDATE siding_resources SET redefined_run = NULL WHERE id = ?1 AND redefined_run IS NOT NULL", resource)
            > 0
    }

    // MARK: What is gone

    /// A record that no page shows.
    struct Gone {
        let id: Int64
        /// Whether edits of the user's own lie on it: then it is left until they are settled.
        let isEdited: Bool
    }

    /// What looking for records on all pages found out.
    struct Search {
        /// The living records that a page showed once, or that were lacked before, and that no page shows now.
        var gone: [Gone] = []
        /// Those of them whose parent is gone, by its key: the absence of a parent proves nothing of them.
        var orphans: [String: [Int64]] = [:]
        /// How many departed records were looked for.
        var departed = 0
    }

    func search(_ before: RecordIDs, _ transaction: borrowing Transaction) throws -> Search {
        var search = Search()
        var departed: [Int64] = []
        let isAsked = try isAsked(transaction)
        try transaction.forEach("SELECT members FROM siding_departures WHERE \(isAsked)", resource, parent) { row in
            departed += try row.withBytes(0) { bytes throws(StoreError) in try RecordIDs(packed: bytes) }.ids
        }
        let sought = RecordIDs(departed + before.ids)
        guard !sought.isEmpty else { return search }
        search.departed = departed.count
        var candidates = Candidates(sought)
        try PageMembers.forEachPage(of: resource, transaction) { candidates.find($0) }
        try sort(candidates.left, into: &search, transaction)
        return search
    }

    /// What was looked for is looked for no more; what belongs to parents that are gone waits until they are back.
    func settle(_ search: Search, _ transaction: borrowing Transaction) throws {
        guard search.departed > 0 || !search.orphans.isEmpty else { return }
        try transaction.execute(
            "DELETE FROM siding_departures WHERE \(isAsked(transaction))", resource, parent)
        for (scope, ids) in search.orphans {
            try PageMembers.depart(RecordIDs(ids), resource, scope: scope, transaction)
        }
    }

    /// The departures that are looked at: all, but for those of parents that are gone.
    private func isAsked(_ transaction: borrowing Transaction) throws -> SQL {
        let parents = try RecordsTable.load(parent ?? 0, transaction)
        return """
            resource = ?1 AND (?2 IS NULL OR scope = '' OR EXISTS (
                SELECT 1 FROM \(parents.rows) p
                WHERE p.key = \(parents.key(ofText: "siding_departures.scope")) AND p.deleted_at IS NULL))
            """
    }

    private func sort(_ ids: [Int64], into search: inout Search, _ transaction: borrowing Transaction) throws {
        guard !ids.isEmpty else { return }
        let (table, parents) = (
            try RecordsTable.load(resource, transaction), try RecordsTable.load(parent ?? 0, transaction)
        )
        var find = try transaction.prepare(
            """
            SELECT pending > 0, CASE WHEN ?2 IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM \(parents.rows) p
                WHERE p.key = r.scope AND p.deleted_at IS NULL) THEN r.scope END
            FROM \(table.rows) r WHERE r.rowid = ?1 AND r.deleted_at IS NULL
            """)
        try find.bind(2, parent)
        for id in ids {
            try find.bind(1, id)
            guard try find.step() else { continue }
            if let scope = find.optionalText(1) {
                search.orphans[scope, default: []].append(id)
            } else {
                search.gone.append(Gone(id: id, isEdited: find.int(0) == 1))
            }
            find.reset()
        }
    }
}
