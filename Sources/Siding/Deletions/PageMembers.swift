internal import SidingChain
internal import SidingSQLite

/// The page membership, inside a transaction: which records a page shows (`siding_pages.members`).
///
/// It is kept for every page. A 304 shows the same records as before; any other write of a record uses it to find the page to
/// fetch in full (``PageValidators``); and ``DeletionReconciliation`` uses it to find missing records.
struct PageMembers {
    let resource: Int64
    /// The key of the parent; empty if the resource has a single listing.
    let scope: String
    let url: String
    /// The body of the page's request; empty for none.
    let sent: String

    /// The records that a page shows.
    struct Shown {
        /// The row ids of its records, including those that broke the contract if their key can be read.
        var ids: [Int64] = []
        /// Those of `ids` that were inserted or restored.
        var fresh: [Int64] = []
        /// Whether some of its records cannot be identified.
        var hasUnknown = false
    }

    /// Stores the page's current membership.
    ///
    /// - Parameter isStored: whether the page has a row; a page of an ad-hoc listing has none.
    func replace(with shown: Shown, isStored: Bool, _ transaction: borrowing Transaction) throws {
        let ids = RecordIDs(shown.ids)
        let removed = try MissingTable.remove(shown: ids, of: resource, transaction)
        guard isStored else {
            if removed.count > 0 { try Self.setChanged(resource, transaction) }
            return
        }
        let now = shown.hasUnknown ? nil : ids
        let before = try stored(transaction)
        guard before != now else { return }
        if let now {
            let moved = now.subtracting(before ?? RecordIDs([])).subtracting(RecordIDs(shown.fresh + removed.exempt))
            if !moved.isEmpty { try setMoved(transaction) }
        }
        try write(now, transaction)
        try Self.setChanged(resource, transaction)
    }

    private func write(_ members: RecordIDs?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_pages SET members = ?5 WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4",
            resource, scope, url, sent, members.map { SQLiteValue.blob($0.packed) })
    }

    private func stored(_ transaction: borrowing Transaction) throws -> RecordIDs? {
        try transaction.first(
            """
            SELECT members FROM siding_pages
            WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4 AND members IS NOT NULL
            """, resource, scope, url, sent
        ) { row in try row.withBytes(0) { bytes throws(StoreError) in try RecordIDs(packed: bytes) } }
    }

    /// The page shows a stored record that it did not show before: records may move while the pages are read.
    private func setMoved(_ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_listings SET moved = 1 WHERE resource = ?1 AND scope = ?2 AND moved = 0", resource,
            scope)
    }

    // MARK: All pages

    /// The pages show other records than when they were last reconciled.
    static func setChanged(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET reconciled_revision = -1 WHERE id = ?1 AND reconciled_revision >= 0", resource)
    }

    /// The records that any page shows.
    static func all(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> RecordIDs {
        var ids: [Int64] = []
        try forEachPage(of: resource, database) { ids += $0.ids }
        return RecordIDs(ids)
    }

    /// Calls `body` with the records of each page whose membership is known.
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

/// Deletes the validators of stored pages, inside a transaction. A 304 means that a page is as last fetched, so it would
/// wrongly confirm records written since by other means. The next listing fetches a page without validators in full.
struct PageValidators {
    let resource: Int64

    /// Deletes those of all pages.
    ///
    /// - Parameter scope: the key of the parent; nil for all listings.
    func forget(scope: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute("\(Self.forget) AND (?2 IS NULL OR scope = ?2)", resource, scope)
    }

    /// Deletes those of pages whose records are not all known although their listing requests everything: a 304 would leave
    /// them unknown for ever.
    ///
    /// - Parameter scope: the key of the parent; nil for all listings.
    func forgetUnknown(scope: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            \(Self.forget) AND (?2 IS NULL OR scope = ?2) AND members IS NULL
                AND scope IN (SELECT scope FROM siding_listings WHERE resource = ?1 AND cursor_from IS NULL)
            """, resource, scope)
    }

    /// Deletes those of the pages that show the records `ids`, which were written by other means than their page.
    ///
    /// Pages whose records are not all known lose theirs too.
    func forget(showing ids: [Int64], _ transaction: borrowing Transaction) throws {
        guard !ids.isEmpty else { return }
        try transaction.execute("\(Self.forget) AND members IS NULL", resource)
        let written = RecordIDs(ids)
        for page in try known(transaction) where page.members.subtracting(written).ids.count < page.members.ids.count {
            try transaction.execute(
                "\(Self.forget) AND scope = ?2 AND url = ?3 AND sent = ?4", resource, page.scope, page.url, page.sent)
        }
    }

    /// Deletes those of the pages that show the record `key`.
    func forget(showing key: String, _ transaction: borrowing Transaction) throws {
        let row = try RecordsTable.load(resource, transaction).row(of: key, transaction)
        if let row { try forget(showing: [row], transaction) }
    }

    /// Deletes those of the page from which a record was quarantined, once the record is stored: the page now shows one more
    /// record.
    func forget(whereQuarantined record: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            \(Self.forget) AND members IS NOT NULL
                AND (scope, url, sent) IN (SELECT scope, url, sent FROM siding_quarantine WHERE id = ?2)
            """, resource, record)
    }

    /// The common part of all statements. It skips pages without validators.
    private static let forget: SQL = """
        UPDATE siding_pages SET etag = NULL, last_modified = NULL
        WHERE resource = ?1 AND (etag IS NOT NULL OR last_modified IS NOT NULL)
        """

    private func known(
        _ transaction: borrowing Transaction
    ) throws -> [(scope: String, url: String, sent: String, members: RecordIDs)] {
        try transaction.query(
            """
            SELECT scope, url, sent, members FROM siding_pages
            WHERE resource = ?1 AND members IS NOT NULL AND (etag IS NOT NULL OR last_modified IS NOT NULL)
            """, resource
        ) { row in
            (
                scope: row.text(0), url: row.text(1), sent: row.text(2),
                members: try row.withBytes(3) { bytes throws(StoreError) in try RecordIDs(packed: bytes) }
            )
        }
    }
}
