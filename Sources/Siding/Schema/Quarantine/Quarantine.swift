public import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// A quarantined record, which broke its contract.
public struct QuarantinedRecord: Sendable, Hashable {
    /// The number for commands; it stays while the origin sends the same bytes at the same position.
    public var id: Int64
    public var resource: String
    /// Nil if it has no usable key.
    public var key: String?
    /// Why it was quarantined, as a message.
    public var reason: String
    /// The broken rule: `new_field`, `type_change`, `missing_key`, `key_type`, `duplicate_name`, …
    public var code: String
    /// The run that last received it.
    public var run: RunID
    /// The URL of its page.
    public var url: String
    /// Its byte offset in the page.
    public var position: Int
    /// When the origin first sent these bytes.
    public var createdAt: Timestamp
    /// When the origin last sent them.
    public var seenAt: Timestamp
    /// The number of bytes.
    public var size: Int
    /// The original bytes; empty in lists.
    public var body: [UInt8]
}

/// A selection of quarantined records: all, or those that match every given criterion.
public struct QuarantineSelection: Sendable, Hashable {
    public var ids: [Int64]
    public var resources: [String]
    /// Nil for no limit; oldest first.
    public var limit: Int?

    public init(ids: [Int64] = [], resources: [String] = [], limit: Int? = nil) {
        self.ids = ids
        self.resources = resources
        self.limit = limit
    }
}

/// The result of retrying a quarantined record.
public struct QuarantineChange: Sendable, Hashable {
    public var record: QuarantinedRecord
    /// Why it stays in quarantine; nil if it was saved.
    public var refusal: String?
    /// The holder of its resource's lease, in which case nothing was done; nil otherwise.
    public var heldBy: LeaseHolder?
}

extension Store {
    /// The selected records, oldest first, without their bytes.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a selected id that does not exist.
    package func quarantined(_ selection: QuarantineSelection) async throws(StoreError) -> [QuarantinedRecord] {
        try await read { try QuarantineRows.find(selection, $0) }
    }

    /// One record with its bytes.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if there is none.
    package func quarantined(_ id: Int64) async throws(StoreError) -> QuarantinedRecord? {
        try await read { try QuarantineRows.find(QuarantineSelection(ids: [id]), withBodies: true, $0).first }
    }

    /// Removes quarantined records with their bytes; the origin may send them again.
    package func dropQuarantined(_ selection: QuarantineSelection) async throws(StoreError) -> [QuarantinedRecord] {
        try await write { transaction in
            let meant = try QuarantineRows.find(selection, transaction)
            for record in meant { try QuarantineRows.remove(record.id, transaction) }
            return meant
        }
    }
}

/// Reads and removes rows of `siding_quarantine`.
enum QuarantineRows {
    static func find(
        _ selection: QuarantineSelection, withBodies: Bool = false, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QuarantinedRecord] {
        let body: SQL = withBodies ? "q.body" : "NULL"
        let found = try database.query(
            """
            SELECT q.id, r.name, q.key, q.reason, q.code, q.run, q.url, q.position, q.created_at, q.seen_at,
                length(q.body), \(body)
            FROM siding_quarantine q JOIN siding_resources r ON r.id = q.resource
            WHERE (?1 IS NULL OR q.id IN (SELECT value FROM json_each(?1)))
                AND (?2 IS NULL OR r.name IN (SELECT value FROM json_each(?2)))
            ORDER BY q.created_at, q.id LIMIT ?3
            """, selection.ids.isEmpty ? nil : try Store.json(selection.ids),
            selection.resources.isEmpty ? nil : try Store.json(selection.resources), selection.limit ?? -1
        ) { row in
            QuarantinedRecord(
                id: row.int(0), resource: row.text(1), key: row.optionalText(2), reason: row.text(3),
                code: row.text(4), run: row.int(5), url: row.text(6), position: Int(row.int(7)),
                createdAt: Timestamp(microseconds: row.int(8)), seenAt: Timestamp(microseconds: row.int(9)),
                size: Int(row.int(10)), body: row.blob(11))
        }
        let missing = selection.ids.first { id in !found.contains { $0.id == id } }
        if let missing, selection.limit == nil {
            throw StoreError(
                .notFound, "nothing with the number \(missing) is in quarantine",
                hint: "'siding quarantine list' shows what is; what the origin has mended is there no more")
        }
        return found
    }

    static func remove(_ id: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_quarantine WHERE id = ?1", id)
    }
}
