internal import SidingChain
internal import SidingSQLite

/// A row of `siding_provenance`: the request that brought bodies.
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

    /// The id of the next row, needed before it is known whether a record will refer to it. No id is used twice, so ids tell
    /// later requests from earlier ones.
    static func nextID(_ database: borrowing some Queryable & ~Copyable) throws -> Int64 {
        try database.first("SELECT seq + 1 FROM sqlite_sequence WHERE name = 'siding_provenance'") { $0.int(0) } ?? 1
    }

    /// - Returns: the new row's id.
    func insert(of resource: Int64, _ transaction: borrowing Transaction) throws -> Int64 {
        let id = try Self.nextID(transaction)
        try insert(as: id, of: resource, transaction)
        return id
    }

    func insert(as id: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_provenance (id, resource, cause, run, method, url, page, status, etag, last_modified, at, entry,
                scope, sent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """, id, resource, cause.rawValue, run, method, url, page, status, etag, lastModified, at.microseconds,
            entry, scope, sent)
    }
}

/// Removes rows of `siding_provenance` that nothing in their resource refers to.
///
/// An index from requests to records would slow down every write, so unused rows are found by scanning the resource's records.
/// That happens after a complete listing, if the rows have at least doubled since the last scan and grown by a thousand: the
/// scan is then cheap compared with the pages.
struct RequestPruning {
    static let least: Int64 = 1_000

    let resource: Int64

    func removeUnused(_ transaction: borrowing Transaction) throws {
        let count = try transaction.first("SELECT COUNT(*) FROM siding_provenance WHERE resource = ?1", resource) {
            $0.int(0)
        }
        let kept = try ResourcesTable.load(resource, transaction)?.requestsKept
        guard let count, let kept, count >= 2 * kept + Self.least else { return }
        // After a first listing all rows are in use.
        if kept > 0 { try remove(transaction) }
        try ResourcesTable.countRequests(of: resource, transaction)
    }

    private func remove(_ transaction: borrowing Transaction) throws {
        let records = try RecordsTable.load(resource, transaction).rows
        try transaction.execute(
            """
            DELETE FROM siding_provenance
            WHERE resource = ?1 AND id NOT IN (
                SELECT request FROM \(records) WHERE request IS NOT NULL
                UNION SELECT request FROM siding_history WHERE resource = ?1 AND request IS NOT NULL
                UNION SELECT request FROM siding_server_copies WHERE resource = ?1 AND request IS NOT NULL)
            """, resource)
    }
}
