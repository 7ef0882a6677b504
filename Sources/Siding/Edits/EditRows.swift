internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Reads the rows of pending edits.
enum EditRows {
    /// The pending edits of a record, in the order in which they apply.
    static func edits(
        of resource: String, _ key: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [PendingEdit] {
        try database.query(
            """
            SELECT \(QueueRows.columns), \(contents) FROM siding_outbox
            WHERE resource = ?1 AND record_key = ?2 AND edit IS NOT NULL AND settled_at IS NULL ORDER BY edit_order, seq
            """, resource, key, map: edit)
    }

    /// What the origin and a pending edit each make of a record; nil if `entry` is not one of its pending edits.
    static func sides(
        of entry: String, on key: String, in resource: Int64, named name: String,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> EditSides? {
        let now = try ServerCopy.load(resource, key, database)?.state ?? .nothing
        return EditSides(of: entry, among: try edits(of: name, key, database), now: now)
    }

    /// The edit of an entry, completed or not; nil if it has none.
    static func edit(
        of entry: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (resource: String, key: String, edit: PendingEdit)? {
        try database.first(
            """
            SELECT \(QueueRows.columns), \(contents), record_key FROM siding_outbox WHERE id = ?1 AND edit IS NOT NULL
            """, entry
        ) { row in
            let edit = try edit(row)
            return (edit.entry.resource ?? "", row.text(QueueRows.count + 4), edit)
        }
    }

    private static let contents: SQL = "edit, body, temporary_id, base"

    private static func edit(_ row: borrowing Row) throws -> PendingEdit {
        let first = QueueRows.count
        let entry = try QueueRows.entry(row)
        guard let terms = Store.decode(EditTerms.self, row.optionalText(first)) else {
            throw StoreError(.corrupt, "queue entry \(entry.id) has an edit that cannot be read")
        }
        return PendingEdit(
            entry: entry, terms: terms,
            body: terms.change == .delete || row.isNull(first + 1) ? nil : try document(row.blob(first + 1)),
            temporaryID: row.optionalText(first + 2),
            identity: row.optionalText(first + 2).map { JSONDocument(string: $0) },
            base: row.isNull(first + 3) ? nil : try state(ofBase: row.blob(first + 3)))
    }

    /// Empty bytes mean that there was no record.
    private static func state(ofBase bytes: [UInt8]) throws -> RecordState {
        bytes.isEmpty ? .nothing : RecordState(body: try document(bytes))
    }

    /// Parses stored bytes without limits: they were checked under the limits of the time they were stored.
    static func document(_ bytes: [UInt8]) throws -> JSONDocument {
        let limits = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)
        do { return try JSONDocument(bytes, limits: limits) } catch {
            throw StoreError(.corrupt, "a stored record or edit is not JSON: \(error)")
        }
    }
}

/// The server copy of a record with pending edits.
struct ServerCopy: Hashable {
    var state: RecordState
    var etag: String?
    /// The request that it came with; nil if unknown.
    var request: Int64?

    static func load(
        _ resource: Int64, _ key: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ServerCopy? {
        try database.first(
            "SELECT body, deleted_at, etag, request FROM siding_server_copies WHERE resource = ?1 AND key = ?2",
            resource, key
        ) { row in
            ServerCopy(
                state: RecordState(
                    body: row.isNull(0) ? nil : try EditRows.document(row.blob(0)),
                    deletedAt: row.optionalInt(1).map(Timestamp.init)),
                etag: row.optionalText(2), request: row.optionalInt(3))
        }
    }
}
