internal import SidingChain
internal import SidingSQLite

/// A row of `siding_provenance`: the request that brought bodies.
struct RequestRow {
    enum Cause: String {
        case page, write, delete, quarantine
    }

    private var cause: Cause
    private var run: RunID?
    private var method: String
    private var url: String
    private var page: Int?
    private var status: Int?
    private var etag: String?
    private var lastModified: String?
    private var at: Timestamp
    private var entry: String?
    private var scope = ""
    /// The body of the page's request.
    private var sent = ""

    /// The request of the page being saved.
    init(page commit: PageCommit, at now: Timestamp) {
        (cause, run, at) = (.page, commit.run, now)
        (method, url, page) = (commit.exchange?.method ?? "GET", commit.page.url.description, commit.page.number)
        (scope, sent) = (commit.page.scope, commit.page.body ?? "")
        status = commit.exchange?.status ?? commit.progress?.status
        etag = commit.exchange?.etag ?? commit.progress?.etag
        lastModified = commit.exchange?.lastModified ?? commit.progress?.lastModified
    }

    /// The request of a record saved from quarantine, as the origin last sent it.
    init(quarantined record: QuarantinedRecord, run: RunID) {
        (cause, self.run, at) = (.quarantine, run, record.seenAt)
        (method, url) = ("GET", record.url)
    }

    /// The answer to a pending edit.
    private init(answer: WriteAnswer?, to edit: PendingEdit, at now: Timestamp) {
        cause = edit.terms.change == .delete ? .delete : .write
        (method, url, at) = (edit.entry.method, edit.entry.url, now)
        (status, etag, entry) = (answer?.status, answer?.etag, edit.entry.id)
    }

    /// The id of the next row, needed before it is known whether a record will refer to it.
    static func nextID(_ transaction: borrowing Transaction) throws -> Int64 {
        try transaction.first("SELECT COALESCE(MAX(id), 0) + 1 FROM siding_provenance") { $0.int(0) } ?? 1
    }

    /// - Returns: the new row's id.
    static func insert(
        _ answer: WriteAnswer?, to edit: PendingEdit, _ overlay: EditProjection, _ transaction: borrowing Transaction
    ) throws -> Int64 {
        let id = try nextID(transaction)
        try RequestRow(answer: answer, to: edit, at: overlay.now).insert(as: id, of: overlay.resource, transaction)
        return id
    }

    func insert(as id: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_provenance (id, resource, cause, run, method, url, page, status, etag, last_modified, at, entry,
                scope, sent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """, id, resource, cause.rawValue, run, method, url, page, status, etag, lastModified, at.microseconds,
            entry,
            scope, sent)
    }
}

extension RunCounters {
    /// The number of records written.
    var changed: Int { inserted + updated + deleted }
}
