// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// A stored request with its last answer.
struct StoredRequest {
    var method: String
    var url: String
    var headers: String
    /// The accepted body, without the mark that a delivery probe looks for.
    var body: [UInt8]?
    /// The statuses that mean a conflict, as JSON; nil for the default ones.
    var conflictOn: String?
    /// Whether 404 and 410 count as success; nil if not declared.
    var goneIsDone: Bool?
    var probe: WriteProbe?
    var answer: WriteAnswer?

    // Lists and operator actions read no more of an entry than they need, so that they work where a part is unreadable.

    /// - Throws: ``StoreError/Kind/corrupt``
    func headerFields() throws -> HTTPFields {
        try HeaderFieldsText.fields(headers, as: "the header fields of a queue entry")
    }

    /// - Throws: ``StoreError/Kind/corrupt``
    func conflictStatuses() throws -> Set<Int>? {
        try conflictOn.map { try Store.decode(Set<Int>.self, $0, as: "the conflict statuses of a queue entry") }
    }

    /// The body that is sent.
    func outgoingBody(of entry: String, key: String) -> [UInt8]? {
        probe?.marked(body, entry: entry, key: key) ?? body
    }
}

/// The table `siding_outbox_requests`: what each entry sends, and what came back.
enum OutboxRequestsTable {
    static func load(_ entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> StoredRequest? {
        try database.first(
            """
            SELECT method, url, headers, body, conflict_on, gone_is_done, probe, status, answer_type,
                CASE WHEN answer_etag IS NULL THEN answer END AS answer
            FROM siding_outbox_requests WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry
        ) { row in
            let (status, type) = (Int(try row.int("status")), try row.optionalText("answer_type"))
            return StoredRequest(
                method: try row.text("method"), url: try row.text("url"), headers: try row.text("headers"),
                body: try row.optionalBlob("body"),
                conflictOn: try row.optionalText("conflict_on"),
                goneIsDone: try row.optionalInt("gone_is_done").map { $0 == 1 },
                // An unreadable one is none: a write in doubt is then parked instead of probed (``WriteClaimer``).
                probe: Store.decodeIfReadable(WriteProbe.self, try row.optionalText("probe")),
                answer: try row.optionalBlob("answer").map { WriteAnswer(status: status, contentType: type, body: $0) })
        }
    }

    /// Inserts the request of a write.
    static func insert(_ write: WriteRequest, of entry: String, _ transaction: borrowing Transaction) throws {
        // A write that may be sent twice needs no delivery probe.
        let probe = write.method.isIdempotent ? nil : write.probe
        try transaction.execute(
            """
            INSERT INTO siding_outbox_requests (entry, method, url, headers, body, probe, conflict_on, gone_is_done,
                operation)
            SELECT seq, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM siding_outbox WHERE id = ?1
            """, entry, write.method.rawValue, write.url.description, try HeaderFieldsText.json(write.headerFields),
            write.body.map(SQLiteValue.blob), try probe.map { try Store.json($0) },
            try write.conflictStatuses.map { try Store.json($0.sorted()) }, write.goneIsDone, write.operation)
    }

    /// Inserts copies of the requests of replaced entries, with the parts that `change` has.
    ///
    /// - Parameter isResolved: false keeps the origin's refusal of those in a conflict, which still stands.
    static func insert(
        replacing ids: ReplacedIDs, changedBy change: WriteChange, isResolved: Bool,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_outbox_requests (entry, method, url, headers, body, probe, conflict_on, gone_is_done,
                operation, replaces, error)
            SELECT new.seq, method, COALESCE(?2, url), COALESCE(?3, headers), COALESCE(?4, body), probe, conflict_on,
                gone_is_done, operation, old.id, CASE WHEN old.reason = 'conflict' AND NOT ?5 THEN error END
            FROM json_each(?1) JOIN siding_outbox AS old ON old.id = value ->> 0
                JOIN siding_outbox_requests ON entry = old.seq JOIN siding_outbox AS new ON new.id = value ->> 1
            """, ids.json, change.url?.description, try change.headerFields.map { try HeaderFieldsText.json($0) },
            change.body.map(SQLiteValue.blob), isResolved)
    }

    /// Those of the entries whose request may name a temporary id.
    static func namingTemporaryIDs(
        _ entries: some Sequence<String>, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Set<String> {
        Set(
            try database.query(
                """
                SELECT siding_outbox.id FROM siding_outbox JOIN siding_outbox_requests ON entry = seq
                WHERE id IN (SELECT value FROM json_each(?1))
                    AND (instr(url, ?2) OR instr(CAST(body AS BLOB), CAST(?2 AS BLOB)))
                """, try Store.json(Array(entries)), TemporaryID.prefix
            ) { $0.text(0) })
    }

    /// What arrived of the answer to a retained fetch; nil if nothing that can be resumed.
    static func partial(_ entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> PartialAnswer? {
        try database.first(
            """
            SELECT url, answer_etag, answer FROM siding_outbox_requests
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1) AND answer_etag IS NOT NULL
            """, entry
        ) { row in
            PartialAnswer(
                url: try row.text("url"), etag: try row.text("answer_etag"), bytes: try row.optionalBlob("answer") ?? []
            )
        }
    }

    /// Inserts or updates the request of a fetch, with the error of its last try and what arrived of the answer.
    static func save(
        _ fetch: (method: String, url: String, body: [UInt8]?, pageNumber: Int), _ error: RecordedError,
        _ partial: PartialAnswer?, of entry: String, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_outbox_requests (entry, method, url, body, page_number, error, status, answer, answer_etag)
            SELECT seq, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM siding_outbox WHERE id = ?1
            ON CONFLICT (entry) DO UPDATE SET method = excluded.method, url = excluded.url, body = excluded.body,
                page_number = excluded.page_number, error = excluded.error, status = excluded.status,
                answer = excluded.answer, answer_etag = excluded.answer_etag
            """, entry, fetch.method, fetch.url, fetch.body.map(SQLiteValue.blob), fetch.pageNumber,
            try Store.json(error), error.status, partial.map { SQLiteValue.blob($0.bytes) }, partial?.etag)
    }

    /// Updates URL, header fields, body and probe of a write.
    static func update(_ request: StoredRequest, of entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_requests SET url = ?2, headers = ?3, body = ?4, probe = ?5
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry, request.url, request.headers, request.body.map(SQLiteValue.blob),
            try request.probe.map { try Store.json($0) })
    }

    // MARK: The last try

    /// Stores the answer that completes an entry.
    static func setAnswer(
        _ answer: WriteAnswer, body: [UInt8], of entry: String, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_requests SET status = ?2, answer = ?3, answer_type = ?4
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry, answer.status, SQLiteValue.blob(body), answer.contentType)
    }

    /// Forgets the answer to a try that failed, or what arrived of it, once an operator says that the origin has the write, or
    /// drops the fetch.
    static func clearAnswer(of entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_requests SET answer = NULL, answer_type = NULL, answer_etag = NULL, status = NULL
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry)
    }

    /// Forgets the last error of an entry that is done or whose conflict is resolved, and that it was in doubt.
    static func clearError(of entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_requests
            SET error = NULL, unknown_since = NULL, status = CASE WHEN answer IS NOT NULL THEN status END,
                answer = CASE WHEN answer_etag IS NULL THEN answer END, answer_etag = NULL
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry)
    }

    /// Stores the error of a try, with the answer that it came with.
    static func setError(
        _ error: RecordedError, _ answer: WriteAnswer? = nil, body: [UInt8]? = nil, of entry: String,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_requests SET error = ?2, status = ?3, answer = ?4, answer_type = ?5
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry, try Store.json(error), answer?.status ?? error.status, body.map(SQLiteValue.blob),
            answer?.contentType)
    }

    /// Sets since when an entry is in doubt; nil ends the doubt.
    static func setUnknownSince(_ moment: Timestamp?, of entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_requests SET unknown_since = ?2
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry, moment?.microseconds)
    }

    // MARK: Deletion

    /// Deletes what purged entries sent, except method and URL, and what came back.
    static func clear(_ entries: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_requests SET headers = '[]', body = NULL, answer = NULL, answer_type = NULL, answer_etag = NULL,
                status = NULL, error = NULL, unknown_since = NULL, probe = NULL
            WHERE entry IN (SELECT seq FROM siding_outbox WHERE id IN (SELECT value FROM json_each(?1)))
            """, try Store.json(entries))
    }

    /// Rewrites the stored answers to the writes of a resource, a batch at a time; nil keeps an answer.
    static func rewriteAnswers(
        ofResource resource: String, _ transaction: borrowing Transaction, by rewrite: ([UInt8]) throws -> [UInt8]?
    ) throws {
        try transaction.rewrite(
            """
            SELECT entry AS id, answer AS value FROM siding_outbox_requests JOIN siding_outbox ON seq = entry
            WHERE resource = ?1 AND kind = 'write' AND length(answer) > 0 AND entry > ?2 ORDER BY entry LIMIT 200
            """, of: resource, update: "UPDATE siding_outbox_requests SET answer = ?2 WHERE entry = ?1"
        ) { try rewrite($0).map(SQLiteValue.blob) }
    }
}
