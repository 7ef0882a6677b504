internal import SidingSQLite

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
