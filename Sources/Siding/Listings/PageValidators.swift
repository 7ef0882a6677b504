internal import SidingSQLite

/// Forgets the validators of stored pages, inside a transaction: a 304 says that a page is as it was when it was last had, and
/// confirms what was written of its records since without being asked. What has none is asked for whole by the next listing.
struct PageValidators {
    let resource: Int64

    /// Of all pages.
    ///
    /// - Parameter scope: nil for those of all listings.
    func forget(scope: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute("\(Self.forget) AND (?2 IS NULL OR scope = ?2)", resource, scope)
    }

    /// Of pages of which not all records are known, though their listing asks for all there is: a 304 would leave them so for
    /// ever.
    ///
    /// - Parameter scope: nil for those of all listings.
    func forgetUnknown(scope: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            \(Self.forget) AND (?2 IS NULL OR scope = ?2) AND members IS NULL
                AND scope IN (SELECT scope FROM siding_listings WHERE resource = ?1 AND cursor_from IS NULL)
            """, resource, scope)
    }

    /// After the records `ids` were written otherwise than by their own page.
    ///
    /// Where it is known which records a page shows, only theirs are forgotten, else all of the resource.
    func forget(showing ids: [Int64], _ transaction: borrowing Transaction) throws {
        guard !ids.isEmpty else { return }
        try transaction.execute("\(Self.forget) AND members IS NULL", resource)
        let written = RecordIDs(ids)
        for page in try known(transaction) where page.members.subtracting(written).ids.count < page.members.ids.count {
            try transaction.execute(
                "\(Self.forget) AND scope = ?2 AND url = ?3 AND sent = ?4", resource, page.scope, page.url, page.sent)
        }
    }

    /// After the record under `key` was.
    func forget(showing key: String, _ transaction: borrowing Transaction) throws {
        let row = try RecordsTable.load(resource, transaction).row(of: key, transaction)
        if let row { try forget(showing: [row], transaction) }
    }

    /// Of the page that a record was quarantined from, once it is stored: the page shows one more than it is known to.
    func forget(whereQuarantined record: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            \(Self.forget) AND members IS NOT NULL
                AND (scope, url, sent) IN (SELECT scope, url, sent FROM siding_quarantine WHERE id = ?2)
            """, resource, record)
    }

    /// What all of them begin with; pages without validators are not written.
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
