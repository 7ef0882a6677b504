internal import SidingChain
internal import SidingSQLite

/// Which records a page shows, inside a transaction: `siding_pages.members`.
///
/// They are kept for every page. A 304 shows the records that the page showed before; whoever writes a record otherwise finds by them
/// the page to ask for whole (``PageValidators``); and ``DeletionReconciliation`` finds by them the records that no page shows.
struct PageMembers {
    let resource: Int64
    let page: PageRequest

    /// The records that a page shows.
    struct Shown {
        /// The rows of its records; also of those that broke the contract, if their key can be read.
        var ids: [Int64] = []
        /// Those of `ids` that were inserted, or live again.
        var fresh: [Int64] = []
        /// Whether there are records on it that cannot be told from others.
        var hasUnknown = false
    }

    /// Stores which records the page shows now.
    ///
    /// - Parameter isStored: whether the page has a row; one of an ad-hoc listing has none.
    func replace(with shown: Shown, isStored: Bool, _ transaction: borrowing Transaction) throws {
        let exempt = try MissingTable.remove(shown: shown.ids, of: resource, transaction)
        guard isStored else { return }
        let now = shown.hasUnknown ? nil : RecordIDs(shown.ids)
        let before = try stored(transaction)
        guard before != now else { return }
        if let now, let before {
            let moved = now.subtracting(before).subtracting(RecordIDs(shown.fresh + exempt))
            if !moved.isEmpty { try setMoved(transaction) }
        }
        try write(now, transaction)
        try Self.setChanged(resource, transaction)
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

    /// A record was on another page before: records move while the pages are read.
    private func setMoved(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_listings SET moved = 1 WHERE resource = ?1 AND scope = ?2 AND moved = 0", resource,
            page.scope)
    }

    // MARK: All pages

    /// The pages show other records than when they were last reconciled.
    static func setChanged(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET reconciled_revision = -1 WHERE id = ?1 AND reconciled_revision >= 0", resource)
    }

    /// How many records the pages show, each counted once.
    static func count(_ resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        try all(of: resource, database).ids.count
    }

    /// The records that any page shows.
    static func all(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> RecordIDs {
        var ids: [Int64] = []
        try forEachPage(of: resource, database) { ids += $0.ids }
        return RecordIDs(ids)
    }

    /// Calls `body` with the records of each page of which they are known.
    static func forEachPage(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable, _ body: (RecordIDs) -> Void
    ) throws {
        try database.forEach(
            "SELECT members FROM siding_pages WHERE resource = ?1 AND length(members) > 0", resource
        ) { row in
            body(try row.withBytes(0) { bytes throws(StoreError) in try RecordIDs(packed: bytes) })
        }
    }
}
