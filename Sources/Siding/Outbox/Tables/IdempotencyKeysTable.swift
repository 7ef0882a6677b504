// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// The table `siding_idempotency_keys`: the key of each write. It outlives the request of a purged entry for as long as the
/// origin may remember it.
enum IdempotencyKeysTable {
    struct Key {
        /// The key as it is sent.
        var key: String
        /// The field that carries the key; nil if it is not sent.
        var field: HTTPField.Name?
        /// Whether the origin honours the key.
        var isHonoured: Bool
        var lifetime: Duration?

        /// The origin's promise to honour the key; nil if there is none.
        var promise: Idempotency? {
            guard isHonoured, let field, let lifetime else { return nil }
            return Idempotency(field: field, lifetime: lifetime)
        }
    }

    static func load(_ entry: String, _ database: borrowing some Queryable & ~Copyable) throws -> Key? {
        try database.first(
            """
            SELECT COALESCE(sent_as, key) AS key, field, is_honoured, lifetime_us FROM siding_idempotency_keys
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry
        ) { row in
            Key(
                key: try row.text("key"), field: try row.optionalText("field").flatMap { HTTPField.Name($0) },
                isHonoured: try row.isTrue("is_honoured"),
                lifetime: try row.optionalInt("lifetime_us").map { .microseconds($0) })
        }
    }

    /// The entry that was accepted under this key, and the digest of its request if it was changed since, or purged.
    static func find(
        _ key: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (entry: String, digest: String?)? {
        try database.first(
            "SELECT id, digest FROM siding_idempotency_keys JOIN siding_outbox ON seq = entry WHERE key = ?1", key
        ) { (entry: try $0.text("id"), digest: try $0.optionalText("digest")) }
    }

    /// Inserts the key of a write, or a new random one.
    static func insert(_ write: WriteRequest, of entry: String, _ transaction: borrowing Transaction) throws {
        let isSent = write.idempotency != nil || write.method == .post || write.method == .patch
        try transaction.execute(
            """
            INSERT INTO siding_idempotency_keys (key, entry, field, is_honoured, lifetime_us)
            SELECT ?2, seq, ?3, ?4, ?5 FROM siding_outbox WHERE id = ?1
            """, entry, write.key ?? random(),
            isSent ? (write.idempotency?.field ?? Idempotency.standardField).rawName : nil,
            write.idempotency != nil, write.idempotency?.lifetime.wholeMicroseconds)
    }

    /// Inserts new random keys for entries that replace others, with the promises of the old ones.
    static func insert(replacing ids: ReplacedIDs, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_idempotency_keys (key, entry, field, is_honoured, lifetime_us)
            SELECT value ->> 2, new.seq, field, is_honoured, lifetime_us
            FROM json_each(?1) JOIN siding_outbox AS old ON old.id = value ->> 0
                JOIN siding_idempotency_keys ON entry = old.seq JOIN siding_outbox AS new ON new.id = value ->> 1
            """, ids.json)
    }

    /// Sends an entry under a new random key from now on: a changed request must not be sent under the old one, which stays
    /// reserved.
    ///
    /// - Parameter digest: of the request before its first change.
    static func replaceSentKey(of entry: String, digest: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_idempotency_keys SET sent_as = ?2, digest = COALESCE(digest, ?3)
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry, random(), digest)
    }

    /// Keeps the key of a purged entry taken.
    static func reserve(
        _ entry: String, until moment: Timestamp, digest: String, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_idempotency_keys SET kept_until = ?2, digest = COALESCE(digest, ?3)
            WHERE entry = (SELECT seq FROM siding_outbox WHERE id = ?1)
            """, entry, moment.microseconds, digest)
    }

    /// Whether the key of a purged entry is remembered by no origin any more.
    static func hasExpired(_ now: Timestamp, _ snapshot: borrowing Snapshot) throws -> Bool {
        try snapshot.exists(
            "SELECT 1 FROM siding_idempotency_keys WHERE kept_until <= ?1 LIMIT 1", now.microseconds)
    }

    static func random() -> String { UUID().uuidString.lowercased() }
}
