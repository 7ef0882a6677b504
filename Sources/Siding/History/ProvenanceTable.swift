// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// A request that brought bodies, as it is stored.
struct RequestRow {
    /// `page`, `write` or `quarantine`.
    var cause: RecordCause
    var run: RunID?
    var method: String
    var url: String
    var page: Int?
    var status: Int?
    var etag: String?
    var lastModified: String?
    var at: Timestamp
    var entry: String?
    var scope = ""
    /// The body of the page's request.
    var sent = ""
}

extension RequestRow {
    init(_ row: borrowing Row) throws {
        self.init(
            cause: try RecordCause(stored: row.text("cause")), run: try row.optionalInt("run"),
            method: try row.text("method"), url: try row.text("url"), page: try row.optionalInt("page").map(Int.init),
            status: try row.optionalInt("status").map(Int.init), etag: try row.optionalText("etag"),
            lastModified: try row.optionalText("last_modified"), at: try row.time("at"),
            entry: try row.optionalText("entry"), scope: try row.text("scope"), sent: try row.text("sent"))
    }
}

/// The table `siding_provenance`: the requests that brought bodies.
enum ProvenanceTable {
    static func load(
        _ id: Int64, of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RequestRow? {
        try database.first(
            "SELECT * FROM siding_provenance WHERE resource = ?1 AND id = ?2", resource, id, map: RequestRow.init)
    }

    static func insert(
        _ request: RequestRow, as id: Int64, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_provenance (id, resource, cause, run, method, url, page, status, etag, last_modified, at,
                entry, scope, sent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """, id, resource, request.cause.rawValue, request.run, request.method, request.url, request.page,
            request.status, request.etag, request.lastModified, request.at.microseconds, request.entry, request.scope,
            request.sent)
        try ResourcesTable.set(requests: id, of: resource, transaction)
    }

    /// The least growth for which unused rows are looked for.
    private static let least: Int64 = 1_000

    /// Removes rows that nothing in their resource refers to.
    ///
    /// An index from requests to records would slow down every write, so unused rows are found by scanning the resource's records.
    /// That happens after a complete listing, if the rows have at least doubled since the last scan and grown by a thousand: the
    /// scan is then cheap compared with the pages.
    static func removeUnused(of table: RecordsTable, _ transaction: borrowing Transaction) throws {
        let (resource, row) = (table.resource, table.row)
        guard row.requests >= row.requestsDue ?? least else { return }
        // After a first listing all rows are in use.
        if row.requestsDue != nil {
            try transaction.execute(
                """
                DELETE FROM siding_provenance
                WHERE resource = ?1 AND id NOT IN (
                    SELECT request FROM \(table.rows) WHERE request IS NOT NULL
                    UNION SELECT request FROM siding_history WHERE resource = ?1 AND request IS NOT NULL
                    UNION SELECT request FROM siding_server_copies WHERE resource = ?1 AND request IS NOT NULL)
                """, resource)
        }
        let kept = try transaction.count("SELECT COUNT(*) FROM siding_provenance WHERE resource = ?1", resource)
        try ResourcesTable.set(requestsDue: row.requests + Int64(kept) + least, of: resource, transaction)
    }
}
