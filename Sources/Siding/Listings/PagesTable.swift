// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Writes `siding_pages`, which has a row per page of the last listing: its validators, its next page, and the records that it
/// shows.
enum PagesTable {
    /// The row of a page; nil if there is none.
    ///
    /// - Parameter source: where the pages of its listing name their next page.
    private static func load(
        _ page: PageRequest, of resource: Int64, nextPageSource source: NextPageSource?,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> StoredPage? {
        try database.first(
            """
            SELECT scope, etag, last_modified, next_url, next_sent, next_number, next_offset, records, read_at,
                high_water_mark, digest
            FROM siding_pages WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4
            """, resource, page.scope, page.url.description, page.body ?? ""
        ) { row in
            StoredPage(
                etag: try row.optionalText("etag"), lastModified: try row.optionalText("last_modified"),
                next: try PageRequest(row), recordCount: Int(try row.int("records")), nextPageSource: source,
                readAt: try row.optionalTime("read_at"), highWaterMark: try row.optionalText("high_water_mark"),
                digest: try row.optionalInt("digest").map(UInt64.init(bitPattern:)))
        }
    }

    /// The rows of a page and of those that follow it as they are stored, by their addresses.
    ///
    /// - Parameter limit: the most rows.
    static func load(
        from page: PageRequest, limit: Int, of resource: Int64, nextPageSource source: NextPageSource?,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> [PageRequest.Address: StoredPage] {
        var rows: [PageRequest.Address: StoredPage] = [:]
        var next: PageRequest? = page
        while let page = next, rows.count < limit, rows[page.address] == nil,
            let stored = try load(page, of: resource, nextPageSource: source, database)
        {
            rows[page.address] = stored
            next = stored.next
        }
        return rows
    }

    /// Stores a page that was fetched, with its validators and the page behind it.
    ///
    /// A page that cuts its listing short keeps no validators, as a 304 would make it the last one. Neither does an answer without
    /// a list, as a 304 would be evidence of missing records. A 304 does not bring back validators that were forgotten while the
    /// page was under way: an own write has changed a record of the page.
    static func save(
        _ listed: ListedPage, of resource: Int64, listing: Int64, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        let (page, following) = (listed.page, listed.step.next)
        let isForgotten = page.hasNoList || (following == nil && listed.step != .end)
        let next = following ?? listed.behind
        try transaction.execute(
            """
            INSERT INTO siding_pages (resource, url, listing, status, etag, last_modified, next_url, next_number,
                next_offset, records, fetched_at, scope, sent, next_sent, read_at, high_water_mark, digest)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
            ON CONFLICT (resource, scope, url, sent) DO UPDATE SET
                listing = excluded.listing, status = excluded.status,
                etag = CASE WHEN ?18 OR etag IS NOT NULL OR last_modified IS NOT NULL THEN excluded.etag END,
                last_modified = CASE WHEN ?18 OR etag IS NOT NULL OR last_modified IS NOT NULL
                    THEN excluded.last_modified END, next_url = excluded.next_url,
                next_number = excluded.next_number, next_offset = excluded.next_offset, records = excluded.records,
                fetched_at = excluded.fetched_at, next_sent = excluded.next_sent,
                read_at = COALESCE(excluded.read_at, read_at),
                high_water_mark = excluded.high_water_mark, digest = excluded.digest
            """,
            resource, page.request.url.description, listing, page.status, isForgotten ? nil : page.etag,
            isForgotten ? nil : page.lastModified, next?.url.description, next?.number, next?.offset,
            page.content.recordCount, now.microseconds, page.request.scope, page.request.body ?? "", next?.body ?? "",
            page.content.isWhole ? now.microseconds : nil, listed.highWaterMark,
            page.digest.map(Int64.init(bitPattern:)), page.content.isWhole)
    }

    /// The pages to which the stored next pages lead from the first one (?3, ?4) to the last one (?5, ?6) of a scope.
    private static let shown: SQL = """
        WITH RECURSIVE shown (url, sent) AS (
            SELECT ?3, ?4
            UNION
            SELECT p.next_url, p.next_sent FROM shown s
            JOIN siding_pages p ON p.resource = ?1 AND p.scope = ?2 AND p.url = s.url AND p.sent = s.sent
            WHERE p.next_url IS NOT NULL AND NOT (s.url = ?5 AND s.sent = ?6))
        """

    /// How many pages the stored next pages lead over, from `first` to `last`; nil if they do not lead there.
    static func countShown(
        from first: PageRequest, to last: PageRequest, of resource: Int64,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> Int? {
        try database.first(
            "\(Self.shown) SELECT COUNT(*), MAX(url = ?5 AND sent = ?6) FROM shown",
            resource, last.scope, first.url.description, first.body ?? "", last.url.description, last.body ?? ""
        ) { $0.int(1) == 1 ? Int($0.int(0)) : nil } ?? nil
    }

    /// Counts the rows of the pages from `first` to `last` as shown by the listing: 304s left them as the listing before had
    /// them.
    ///
    /// Where the stored next pages do not lead there, all rows count, and the next listing fetches them whole: a row too many only
    /// keeps records, a row too few would delete them.
    static func setShown(
        from first: PageRequest, to last: PageRequest, by listing: Int64, of resource: Int64,
        _ transaction: borrowing Transaction
    ) throws {
        guard try countShown(from: first, to: last, of: resource, transaction) != nil else {
            try transaction.execute(
                "UPDATE siding_pages SET listing = ?3 WHERE resource = ?1 AND scope = ?2", resource, last.scope, listing
            )
            return try PageValidators(resource: resource).forget(scope: last.scope, transaction)
        }
        try transaction.execute(
            """
            UPDATE siding_pages SET listing = ?7
            WHERE resource = ?1 AND scope = ?2 AND (url, sent) IN (\(Self.shown) SELECT url, sent FROM shown)
            """, resource, last.scope, first.url.description, first.body ?? "", last.url.description, last.body ?? "",
            listing)
    }

    /// How many pages of a listing have a row.
    static func count(
        of resource: Int64, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Int {
        try database.count("SELECT COUNT(*) FROM siding_pages WHERE resource = ?1 AND scope = ?2", resource, scope)
    }

    /// When the page of a request was last answered, and how; nil if it has no row. An unchanged page of an unchanged listing
    /// counts as answered with the last commit of that listing.
    static func answer(
        to request: RequestRow, of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (at: Timestamp, status: Int, etag: String?, lastModified: String?)? {
        try database.first(
            """
            SELECT IIF(is_confirmed, checkpoint_at, fetched_at) AS fetched_at, IIF(is_confirmed, 304, status) AS status,
                etag, last_modified
            FROM (
                SELECT p.*, l.checkpoint_at, COALESCE(l.is_unchanged AND l.listing <> p.listing
                    AND (l.state = 'complete' OR p.next_number <= l.next_page ->> 'number'), 0) AS is_confirmed
                FROM siding_pages p LEFT JOIN siding_listings l ON l.resource = p.resource AND l.scope = p.scope
                WHERE p.resource = ?1 AND p.scope = ?2 AND p.url = ?3 AND p.sent = ?4)
            """, resource, request.scope, request.url, request.sent
        ) { row in
            (
                at: try row.time("fetched_at"), status: Int(try row.int("status")), etag: try row.optionalText("etag"),
                lastModified: try row.optionalText("last_modified")
            )
        }
    }

    /// How many listings have pages whose records are not all known.
    static func unknownListings(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        try database.count(
            "SELECT COUNT(DISTINCT scope) FROM siding_pages WHERE resource = ?1 AND members IS NULL", resource)
    }

    /// The records that a page shows; nil if they are not all known.
    static func members(of page: PageMembers, _ transaction: borrowing Transaction) throws -> RowIDs? {
        try transaction.first(
            """
            SELECT members FROM siding_pages
            WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4 AND members IS NOT NULL
            """, page.resource, page.scope, page.url, page.sent
        ) { try $0.rowIDs("members") }
    }

    /// Calls `body` with the records of each page that is known to show any, in the order of the scopes.
    static func forEachMembers(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable, _ body: (_ scope: String, RowIDs) -> Void
    ) throws {
        try database.forEach(
            "SELECT scope, members FROM siding_pages WHERE resource = ?1 AND length(members) > 0 ORDER BY scope",
            resource
        ) { body(try $0.text("scope"), try $0.rowIDs("members")) }
    }

    /// Stores which records a page shows; nil if they are not all known.
    static func set(_ members: RowIDs?, of page: PageMembers, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_pages SET members = ?5 WHERE resource = ?1 AND scope = ?2 AND url = ?3 AND sent = ?4",
            page.resource, page.scope, page.url, page.sent, members.map { SQLiteValue.blob($0.packed) })
    }

    /// The keys of the parents that have pages.
    static func scopes(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query("SELECT DISTINCT scope FROM siding_pages WHERE resource = ?1 AND scope <> ''", resource) {
            $0.text(0)
        }
    }

    /// Deletes the pages of a resource.
    ///
    /// - Parameter scope: the key of the parent; nil for all listings.
    static func delete(_ resource: Int64, scope: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "DELETE FROM siding_pages WHERE resource = ?1 AND (?2 IS NULL OR scope = ?2)", resource, scope)
    }

    /// Deletes the pages of parents that are gone, and returns how many there were.
    static func delete(
        _ resource: Int64, ofGone parents: RecordsTable, _ transaction: borrowing Transaction
    ) throws -> Int {
        let isGone = parents.isGone("siding_pages.scope")
        return try transaction.execute(
            "DELETE FROM siding_pages WHERE resource = ?1 AND scope <> '' AND \(isGone)", resource)
    }

    /// Deletes the pages that a complete listing did not show, as their tokens will not come back.
    ///
    /// - Returns: whether there were any.
    static func deleteOthers(
        than listing: Int64, of resource: Int64, scope: String, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.execute(
            "DELETE FROM siding_pages WHERE resource = ?1 AND scope = ?3 AND listing <> ?2", resource, listing, scope)
            > 0
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
                AND scope IN (SELECT scope FROM siding_listings WHERE resource = ?1 AND cursor ->> 'from' IS NULL)
            """, resource, scope)
    }

    /// Deletes those of the pages that show the records `ids`, which were written by other means than their page.
    ///
    /// Pages whose records are not all known lose theirs too.
    func forget(showing ids: [Int64], _ transaction: borrowing Transaction) throws {
        guard !ids.isEmpty else { return }
        try transaction.execute("\(Self.forget) AND members IS NULL", resource)
        let written = RowIDs(ids)
        for page in try known(transaction) where page.members.subtracting(written).ids.count < page.members.ids.count {
            try transaction.execute(
                "\(Self.forget) AND scope = ?2 AND url = ?3 AND sent = ?4", resource, page.scope, page.url, page.sent)
        }
    }

    /// Deletes those of the pages that show the record `key`.
    static func forget(showing key: String, in table: RecordsTable, _ transaction: borrowing Transaction) throws {
        guard let row = try table.row(of: key, transaction) else { return }
        try PageValidators(resource: table.resource).forget(showing: [row], transaction)
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
    ) throws -> [(scope: String, url: String, sent: String, members: RowIDs)] {
        try transaction.query(
            """
            SELECT scope, url, sent, members FROM siding_pages
            WHERE resource = ?1 AND members IS NOT NULL AND (etag IS NOT NULL OR last_modified IS NOT NULL)
            """, resource
        ) { row in
            (
                scope: try row.text("scope"), url: try row.text("url"), sent: try row.text("sent"),
                members: try row.rowIDs("members")
            )
        }
    }
}
