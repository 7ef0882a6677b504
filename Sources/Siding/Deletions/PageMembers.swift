internal import SidingChain
internal import SidingSQLite

/// Keeps which records each page shows, inside a transaction.
///
/// Where absent records count as deleted, it keeps those too that a page does not show any more. A record that any page ever showed is among the members of a page, or has departed from one; so a complete listing need look
/// at nothing else, and one in which nothing changed at nothing at all.
struct PageMembers {
    let resource: Int64
    let page: PageRequest

    /// What was found on a page.
    struct Shown {
        /// The rows of its records; also of those that broke the contract, where their key can be read.
        var ids: [Int64] = []
        /// Those of `ids` that were inserted, or live again.
        var fresh: [Int64] = []
        /// Whether there are records on it of which nobody can say which they are.
        var hasUnknown = false
    }

    /// Notes what the page shows now.
    ///
    /// - Parameters:
    ///   - isWhole: whether its listing asks for all there is.
    ///   - isKept: whether the page has a row; one of a listing of its own has none.
    func replace(
        with shown: Shown, isWhole: Bool, isKept: Bool, _ transaction: borrowing Transaction
    ) throws {
        let now = RecordIDs(shown.ids)
        // What is seen was not lacked twice in succession.
        let returned = try MissingRecordRows.forget(now.ids, of: resource, transaction)
        let isKnown = isWhole && isKept && !shown.hasUnknown
        let before = isKept ? try stored(transaction) : nil
        var departed = (before ?? .none).subtracting(isKnown ? now : .none).ids
        if !isKnown { departed += isWhole && isKept ? now.ids : shown.fresh + returned }
        try Self.depart(RecordIDs(departed), resource, transaction)
        guard isKept, before != (isKnown ? now : nil) else { return }
        try write(isKnown ? now : nil, transaction)
    }

    /// Notes what the page shows now, where nobody asks which records are absent: who writes a record otherwise finds the page
    /// by it that is to be asked for whole (``PageValidators``).
    func keep(_ shown: Shown, _ transaction: borrowing Transaction) throws {
        let now = shown.hasUnknown ? nil : RecordIDs(shown.ids)
        guard try stored(transaction) != now else { return }
        try write(now, transaction)
    }

    private func write(_ members: RecordIDs?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_pages SET members = ?5 WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4",
            resource, page.scope, page.url.description, page.body ?? "", members.map { SQLiteValue.blob($0.packed) })
    }

    private func stored(_ transaction: borrowing Transaction) throws -> RecordIDs? {
        try transaction.first(
            """
            SELECT members FROM siding_pages
            WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4 AND members IS NOT NULL
            """, resource, page.scope, page.url.description, page.body ?? ""
        ) { row in try row.withBytes(0) { bytes throws(StoreError) in try RecordIDs(packed: bytes) } }
    }

    /// Before pages are forgotten.
    ///
    /// - Parameters:
    ///   - scope: nil for all.
    ///   - listing: whose pages stay; nil where none do.
    static func release(
        of resource: Int64, scope: String?, except listing: Int64? = nil, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_departures (resource, scope, members)
            SELECT resource, '', members FROM siding_pages
            WHERE resource = ?1 AND (?2 IS NULL OR scope = ?2) AND (?3 IS NULL OR listing <> ?3) AND length(members) > 0
            """, resource, scope, listing)
    }

    /// Forgets what pages showed: records under another key are none of theirs.
    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_departures WHERE resource = ?1", resource)
        try transaction.execute("DELETE FROM siding_absences WHERE resource = ?1", resource)
        try transaction.execute("UPDATE siding_listings SET was_single = 0 WHERE resource = ?1", resource)
    }

    /// Before a changed definition begins: no page is left, and what the listings of parents had that are gone is looked for
    /// like all else, as there may be no parents any more, or others.
    static func redefine(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try release(of: resource, scope: nil, transaction)
        try lookAnew(resource, transaction)
        try transaction.execute(
            "UPDATE siding_departures SET scope = '' WHERE resource = ?1 AND scope <> ''", resource)
        try transaction.execute("UPDATE siding_listings SET was_single = 0 WHERE resource = ?1", resource)
    }

    /// What was lacked must be lacked twice more, and is asked about anew.
    static func lookAnew(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        let lacked = try MissingRecordRows.load(resource, transaction)
        guard !lacked.isEmpty else { return }
        try depart(lacked, resource, transaction)
        try transaction.execute("DELETE FROM siding_absences WHERE resource = ?1", resource)
    }

    /// How many records the pages show, each counted once where several of them have it.
    static func count(_ resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        var ids: [Int64] = []
        try forEachPage(of: resource, database) { ids += $0.ids }
        return RecordIDs(ids).ids.count
    }

    /// Tells the records of each page of which they are known.
    static func forEachPage(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable, _ body: (RecordIDs) -> Void
    ) throws {
        try database.forEach(
            "SELECT members FROM siding_pages WHERE resource = ?1 AND length(members) > 0", resource
        ) { row in
            body(try row.withBytes(0) { bytes throws(StoreError) in try RecordIDs(packed: bytes) })
        }
    }

    // MARK: Beginning and ending

    /// Begins to keep the members of pages, or ends it, where the config says otherwise than before.
    ///
    /// From pages that were stored before nothing is known but that they had records: so they are asked for whole once, and
    /// all that came from the origin is looked for on them.
    static func track(
        _ isWanted: Bool, _ resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        let isKept = try transaction.first("SELECT tracks_members FROM siding_resources WHERE id = ?1", resource) {
            $0.int(0) == 1
        }
        guard isKept != isWanted else { return }
        try transaction.execute("UPDATE siding_resources SET tracks_members = ?2 WHERE id = ?1", resource, isWanted)
        try transaction.execute(
            "UPDATE siding_pages SET members = NULL WHERE resource = ?1 AND members IS NOT NULL", resource)
        guard isWanted else { return try forget(resource, transaction) }
        try PageValidators(resource: resource).forget(scope: nil, transaction)
        let known = try transaction.query(
            """
            SELECT rowid FROM \(RecordsTable.load(resource, transaction).rows)
            WHERE deleted_at IS NULL AND run > 0 ORDER BY rowid
            """
        ) { $0.int(0) }
        try depart(RecordIDs(known), resource, transaction)
    }

    private static let chunk = 4096
    /// So many rows of departed records are not too many.
    private static let fewRows = 16

    /// Makes few rows of many: a page of which not all records are known puts the same ones down with each sync.
    static func compact(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        let rows = try transaction.first(
            "SELECT COUNT(*) FROM siding_departures WHERE resource = ?1 AND scope = ''", resource
        ) { Int($0.int(0)) }
        guard let rows, rows > fewRows else { return }
        var ids: [Int64] = []
        try transaction.forEach(
            "SELECT members FROM siding_departures WHERE resource = ?1 AND scope = ''", resource
        ) { row in
            ids += try row.withBytes(0) { bytes throws(StoreError) in try RecordIDs(packed: bytes) }.ids
        }
        let all = RecordIDs(ids)
        guard 2 * (all.ids.count / chunk + 1) <= rows else { return }
        try transaction.execute("DELETE FROM siding_departures WHERE resource = ?1 AND scope = ''", resource)
        try depart(all, resource, transaction)
    }

    /// Puts records down to be looked for by the next complete listing or round.
    ///
    /// - Parameter scope: the parent that is gone, and whose return is waited for.
    static func depart(
        _ records: RecordIDs, _ resource: Int64, scope: String = "", _ transaction: borrowing Transaction
    ) throws {
        var rest = records.ids[...]
        while !rest.isEmpty {
            try transaction.execute(
                "INSERT INTO siding_departures (resource, scope, members) VALUES (?1, ?2, ?3)", resource, scope,
                SQLiteValue.blob(RecordIDs(Array(rest.prefix(chunk))).packed))
            rest = rest.dropFirst(chunk)
        }
    }
}
