// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The state of a record: its server copy, or that copy with pending edits applied.
struct RecordState: Hashable, Sendable {
    /// Nil if there is no record. A tombstone keeps its body.
    var body: JSONDocument?
    var deletedAt: Timestamp?

    static let nothing = RecordState()

    /// The body of a live record; nil for a tombstone.
    var living: JSONDocument? { deletedAt == nil ? body : nil }
}

/// The server copy of a record with pending edits.
struct ServerCopy: Hashable {
    var state: RecordState
    var etag: String?
    var cause: RecordCause
    /// The request that it came with; nil where none did.
    var request: Int64?

    /// In place of an ETag: the one in the record is not to be sent, until a page has shown the record again.
    static let noETag = ""
}

/// The table `siding_server_copies`: what the origin has of each record with pending edits.
enum ServerCopiesTable {
    static func load(
        _ resource: Int64, _ key: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ServerCopy? {
        try database.first(
            "SELECT body, deleted_at, etag, cause, request FROM siding_server_copies WHERE resource = ?1 AND key = ?2",
            resource, key
        ) { row in
            ServerCopy(
                state: RecordState(
                    body: try row.optionalBlob("body").map(Store.document),
                    deletedAt: try row.optionalTime("deleted_at")),
                etag: try row.optionalText("etag"), cause: try RecordCause(stored: row.text("cause")),
                request: try row.optionalInt("request"))
        }
    }

    /// Whether any record of the resource has one. Checked once per page, so that pages of other resources skip the projection.
    ///
    /// - Parameter withRecord: only copies of records that the origin has.
    static func hasAny(
        of resource: Int64, withRecord: Bool = false, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM siding_server_copies WHERE resource = ?1 AND (NOT ?2 OR body IS NOT NULL) LIMIT 1", resource,
            withRecord)
    }

    static func has(
        _ key: UnsafeRawBufferPointer, of resource: Int64, _ transaction: borrowing Transaction
    ) throws -> Bool {
        var find = try transaction.prepare("SELECT 1 FROM siding_server_copies WHERE resource = ?1 AND key = ?2")
        try find.bind(1, resource)
        try find.bindTextBytes(2, key)
        return try find.step()
    }

    /// The keys of the records that the origin does not have: their creation is not delivered.
    static func missingKeys(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query(
            "SELECT key FROM siding_server_copies WHERE resource = ?1 AND \(isMissing) ORDER BY key", resource
        ) { $0.text(0) }
    }

    /// Whether the origin does not have the record.
    static func isMissing(
        _ key: String, of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM siding_server_copies WHERE resource = ?1 AND key = ?2 AND \(isMissing)", resource, key)
    }

    private static let isMissing: SQL = "(body IS NULL OR deleted_at IS NOT NULL)"

    /// The ETag that a write to the record may send in `If-Match`; nil if none is known. A weak one never matches (RFC 9110
    /// §13.1.1), unless the record itself holds it at `path`, as in OData.
    static func etag(
        of key: String?, in resource: String?, at path: JSONPath?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        let found = try database.first(
            "SELECT etag, body FROM siding_server_copies WHERE resource = ?1 AND key = ?2",
            ResourcesTable.id(of: resource, database), key
        ) { (etag: try $0.optionalText("etag"), body: path == nil ? nil : try $0.optionalBlob("body")) }
        if let etag = found?.etag?.singleEntityTag, etag.hasPrefix("\"") { return etag }
        guard found?.etag != ServerCopy.noETag, let path,
            let value = try found?.body.map(Store.document)?.value(at: path), let text = value.string ?? value.digits,
            !text.isEmpty
        else { return nil }
        // A revision such as CouchDB's is an ETag without its quotes.
        let isQuoted = text.hasSuffix("\"") && (text.hasPrefix("\"") || text.hasPrefix("W/\""))
        let etag = isQuoted ? text : "\"\(text)\""
        return etag.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F } ? etag : nil
    }

    /// Inserts the stored record as its server copy, if it has none. A record that exists only locally has no body there.
    static func insertIfMissing(_ key: String, in table: RecordsTable, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_server_copies (resource, key, body, deleted_at, etag, cause, request)
            SELECT ?1, ?2, NULLIF(r.body, 'null'), CASE WHEN r.body <> 'null' THEN r.deleted_at END, r.etag,
                COALESCE(r.cause, 'never'), r.request
            FROM (SELECT 1) LEFT JOIN \(table.rows) r ON r.key = ?3
            WHERE NOT EXISTS (SELECT 1 FROM siding_server_copies WHERE resource = ?1 AND key = ?2)
            """, table.resource, key, table.key(key))
    }

    static func save(
        _ copy: ServerCopy, of key: String, in resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_server_copies (resource, key, body, deleted_at, etag, cause, request)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (resource, key) DO UPDATE SET body = excluded.body, deleted_at = excluded.deleted_at,
                etag = excluded.etag, cause = excluded.cause, request = excluded.request
            """, resource, key, copy.state.body.map { String(decoding: $0.bytes, as: UTF8.self) },
            copy.state.deletedAt?.microseconds, copy.etag, copy.cause.rawValue, copy.request)
    }

    /// Sets the ETag of a copy; nil forgets one that the origin has refused.
    static func setETag(
        _ etag: String?, of key: String, in resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_server_copies SET etag = ?3 WHERE resource = ?1 AND key = ?2 AND etag IS NOT ?3", resource,
            key, etag)
    }

    static func delete(_ key: String, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_server_copies WHERE resource = ?1 AND key = ?2", resource, key)
    }

    /// Rewrites the server copies of a resource, a batch at a time.
    ///
    /// - Parameter rewrite: nil keeps the copy.
    static func rewriteBodies(
        of resource: Int64, _ transaction: borrowing Transaction, by rewrite: ([UInt8]) throws -> [UInt8]?
    ) throws {
        try transaction.rewrite(
            """
            SELECT id, body AS value FROM siding_server_copies
            WHERE resource = ?1 AND body IS NOT NULL AND id > ?2 ORDER BY id LIMIT 200
            """, of: resource, update: "UPDATE siding_server_copies SET body = ?2 WHERE id = ?1"
        ) { try rewrite($0).map { SQLiteValue.text(String(decoding: $0, as: UTF8.self)) } }
    }
}
