// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

struct StoredEdit {
    var recordKey: String
    /// Nil if the entry was purged.
    var terms: EditTerms?
    var temporaryID: String?
    /// The server copy when the edit was made, as JSON, empty for no record; nil if it has not changed since. Of a delivered
    /// edit, the one that it replaced.
    var base: [UInt8]?
}

/// The table `siding_outbox_edits`: what writes do to local records.
enum OutboxEditsTable {
    static func load(_ entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> StoredEdit? {
        try database.first(
            """
            SELECT record_key, terms, temporary_id, base FROM siding_outbox_edits
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry
        ) { row in
            let terms = try row.optionalText("terms").map {
                try Store.decode(EditTerms.self, $0, as: "the edit of queue entry \(entry)")
            }
            return StoredEdit(
                recordKey: try row.text("record_key"), terms: terms, temporaryID: try row.optionalText("temporary_id"),
                base: try row.optionalBlob("base"))
        }
    }

    /// Inserts the edit of a new entry, to be applied after all earlier ones.
    static func insert(
        _ terms: EditTerms, of recordKey: String, isTemporary: Bool, entry: String,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_outbox_edits (entry, record_key, edit_order, terms, temporary_id)
            SELECT seq, ?2, seq, ?3, ?4 FROM siding_outbox WHERE id = ?1
            """, entry, recordKey, try Store.json(terms), isTemporary ? recordKey : nil)
    }

    /// Inserts copies of the edits of replaced entries.
    ///
    /// - Parameter keepsBase: false makes the present server copy their base.
    static func insert(replacing ids: ReplacedIDs, keepsBase: Bool, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_outbox_edits (entry, record_key, edit_order, terms, temporary_id, base)
            SELECT new.seq, record_key, edit_order, terms, temporary_id,
                CASE WHEN ?2 THEN base END
            FROM json_each(?1) JOIN siding_outbox AS old ON old.id = value ->> 0
                JOIN siding_outbox_edits ON entry = old.seq JOIN siding_outbox AS new ON new.id = value ->> 1
            """, ids.json, keepsBase)
    }

    /// Records that the entries were completed: their edits are not applied any more.
    static func complete(_ entries: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_edits SET pending = 0 WHERE entry IN (
                SELECT seq FROM siding_outbox WHERE id IN (SELECT value FROM json_each(?1)))
            """, try Store.json(entries))
    }

    /// The records that the entries edit.
    static func records(
        of entries: [String], _ transaction: borrowing Transaction
    ) throws -> [(resource: String, key: String)] {
        try transaction.query(
            """
            SELECT DISTINCT resource, record_key FROM siding_outbox JOIN siding_outbox_edits ON entry = seq
            WHERE id IN (SELECT value FROM json_each(?1)) AND terms IS NOT NULL ORDER BY resource
            """, try Store.json(entries)
        ) { (resource: try $0.text("resource"), key: try $0.text("record_key")) }
    }

    // MARK: Bases

    /// Keeps the old server copy as the base of the record's pending edits that were made for it.
    static func setBase(
        _ base: [UInt8], of key: String, in resource: String, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_edits SET base = ?3
            WHERE record_key = ?2 AND pending = 1 AND base IS NULL
                AND (SELECT resource FROM siding_outbox WHERE seq = entry) = ?1
            """, resource, key, SQLiteValue.blob(base))
    }

    /// Makes the present server copy the base of all pending edits of a record.
    static func clearBases(of key: String, in resource: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_edits SET base = NULL
            WHERE record_key = ?2 AND pending = 1 AND (SELECT resource FROM siding_outbox WHERE seq = entry) = ?1
            """, resource, key)
    }

    /// Sets the base of an edit: of a delivered one, the server copy that it replaced; nil makes the present server copy the base.
    static func setBase(_ base: [UInt8]?, ofEntry entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_outbox_edits SET base = ?2 WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)",
            entry, base.map(SQLiteValue.blob) ?? .null)
    }

    /// The entries of the edits of a resource that were delivered in this time and replaced a record, by the record's key.
    static func delivered(
        to resource: String, from: Timestamp, to: Timestamp, _ transaction: borrowing Transaction
    ) throws -> [String: [String]] {
        let rows = try transaction.query(
            """
            SELECT record_key, id FROM siding_outbox JOIN siding_outbox_edits ON entry = seq
            WHERE completed_at > ?2 AND completed_at <= ?3 AND state = 'done' AND resource = ?1 AND base IS NOT NULL
            """, resource, from.microseconds, to.microseconds
        ) { (key: try $0.text("record_key"), entry: try $0.text("id")) }
        return Dictionary(grouping: rows, by: \.key).mapValues { $0.map(\.entry) }
    }

    // MARK: Temporary ids

    static func isTaken(temporaryID: String, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.exists("SELECT 1 FROM siding_outbox_edits WHERE temporary_id = ?1", temporaryID)
    }

    /// The records of a resource that are yet to be created, and those whose edits wait for such a record, of any
    /// resource.
    ///
    /// A draft without a real id is found by its key, in the index of pending edits.
    static func keysWithTemporaryIDs(
        of resource: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [String] {
        try database.query(
            """
            WITH creations (entry) AS (
                SELECT entry FROM siding_outbox_edits
                WHERE pending = 1 AND \(TemporaryID.range(of: "record_key"))
                UNION SELECT entry FROM siding_outbox_edits WHERE temporary_id IS NOT NULL AND real_id IS NULL)
            SELECT DISTINCT record_key FROM siding_outbox_edits JOIN siding_outbox ON seq = entry
            WHERE pending = 1 AND resource = ?1 AND entry IN (
                SELECT entry FROM creations
                UNION SELECT child.seq FROM creations JOIN siding_outbox AS maker ON maker.seq = creations.entry
                    JOIN siding_outbox_dependencies AS d ON d.parent = maker.id
                    JOIN siding_outbox AS child ON child.id = d.entry)
            ORDER BY record_key
            """, resource
        ) { $0.text(0) }
    }

    static func setRealID(_ id: String, of entry: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_outbox_edits SET real_id = ?2 WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)",
            entry, id)
    }

    /// Moves the pending edits of a record to another key.
    static func moveEdits(
        of key: String, to other: String, in resource: String, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_edits SET record_key = ?3
            WHERE record_key = ?2 AND pending = 1 AND (SELECT resource FROM siding_outbox WHERE seq = entry) = ?1
            """, resource, key, other)
    }

    // MARK: Deletion

    /// Deletes what purged entries did, except the ids: later writes may still name the temporary ones.
    static func clear(_ entries: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_outbox_edits SET pending = 0, terms = NULL, base = NULL
            WHERE entry IN (SELECT seq FROM siding_outbox WHERE id IN (SELECT value FROM json_each(?1)))
            """, try Store.json(entries))
    }

    /// Rewrites the stored bases of the edits of a resource, a batch at a time; nil keeps a base.
    static func rewriteBases(
        ofResource resource: String, _ transaction: borrowing Transaction, by rewrite: ([UInt8]) throws -> [UInt8]?
    ) throws {
        try transaction.rewrite(
            """
            SELECT entry AS id, base AS value FROM siding_outbox_edits JOIN siding_outbox ON seq = entry
            WHERE resource = ?1 AND length(base) > 0 AND entry > ?2 ORDER BY entry LIMIT 200
            """, of: resource, update: "UPDATE siding_outbox_edits SET base = ?2 WHERE entry = ?1"
        ) { try rewrite($0).map(SQLiteValue.blob) }
    }

    // MARK: Maintenance

    /// Selects pending edits of records that have no server copy.
    static let editsWithoutServerCopy: SQL = """
        SELECT q.id FROM siding_outbox_entries q JOIN siding_resources s ON s.name = q.resource
        WHERE q.pending = 1
            AND NOT EXISTS (SELECT 1 FROM siding_server_copies b WHERE b.resource = s.id AND b.key = q.record_key)
        LIMIT 10
        """

    /// Selects server copies of records that have no pending edits.
    static let serverCopiesWithoutEdit: SQL = """
        SELECT b.key FROM siding_server_copies b JOIN siding_resources s ON s.id = b.resource
        WHERE NOT EXISTS (SELECT 1 FROM siding_outbox_entries q
            WHERE q.resource = s.name AND q.record_key = b.key AND q.pending = 1)
        LIMIT 10
        """

    /// Selects the pending edits whose entry is completed, and the open edits that are not pending.
    static let wronglyPendingEdits: SQL =
        "SELECT id FROM siding_outbox_entries WHERE pending <> (completed_at IS NULL) LIMIT 10"
}
