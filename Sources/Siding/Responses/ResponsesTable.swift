// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_responses` of a response cache.
enum ResponsesTable {
    /// A row without its body.
    struct FoundResponse: Sendable {
        var id: Int64
        var usedAt: Timestamp
        var head: CachedHead
    }

    /// The row that answers `request`: same key, and a matching variant. There is at most one, as all rows of a key
    /// vary on the same fields.
    static func find(_ request: CacheRequest, _ snapshot: borrowing Snapshot) throws -> FoundResponse? {
        let key = request.key
        return try snapshot.query(
            """
            SELECT id, used_at, variant, status, etag, last_modified, headers, answered_url, stored_at, initial_age_us
            FROM siding_responses WHERE account = ?1 AND method = ?2 AND url = ?3
            """, key.account, key.method, key.url
        ) { row in
            let head = CachedHead(
                key: key, variant: try ResponseFields.variant(row.text("variant")), status: Int(try row.int("status")),
                headerFields: try ResponseFields.headerFields(
                    row.text("headers"), etag: row.optionalText("etag"),
                    lastModified: row.optionalText("last_modified")),
                url: try row.text("answered_url"),
                storedAt: try row.time("stored_at").secondsSince1970,
                initialAge: .microseconds(try row.int("initial_age_us")))
            return FoundResponse(id: try row.int("id"), usedAt: try row.time("used_at"), head: head)
        }.first { $0.head.variant.matches(request) }
    }

    static func body(_ id: Int64, _ snapshot: borrowing Snapshot) throws -> [UInt8] {
        try snapshot.first("SELECT body FROM siding_responses WHERE id = ?1", id) { $0.blob(0) } ?? []
    }

    static func exists(_ key: CacheKey, _ snapshot: borrowing Snapshot) throws -> Bool {
        try snapshot.exists(
            "SELECT 1 FROM siding_responses WHERE account = ?1 AND method = ?2 AND url = ?3",
            key.account, key.method, key.url)
    }

    static func remove(_ key: CacheKey, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "DELETE FROM siding_responses WHERE account = ?1 AND method = ?2 AND url = ?3",
            key.account, key.method, key.url)
    }

    static func removeAll(ofAccount account: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_responses WHERE account = ?1", account)
    }

    static func setUsed(_ row: Int64, at now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_responses SET used_at = ?2 WHERE id = ?1", row, now.microseconds)
    }

    /// Removes the rows of the key that vary on other fields than `head`.
    static func removeOtherVariants(of head: CachedHead, _ transaction: borrowing Transaction) throws {
        let key = head.key
        let rows = try transaction.query(
            "SELECT id, variant FROM siding_responses WHERE account = ?1 AND method = ?2 AND url = ?3",
            key.account, key.method, key.url
        ) { (id: try $0.int("id"), variant: try ResponseFields.variant($0.text("variant"))) }
        for row in rows where !row.variant.hasNames(of: head.variant) {
            try transaction.execute("DELETE FROM siding_responses WHERE id = ?1", row.id)
        }
    }

    /// - Returns: the id of the row.
    static func insert(
        _ response: CachedResponse, usedAt now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Int64 {
        let head = response.head
        let id = try transaction.first(
            """
            INSERT INTO siding_responses
                (account, method, url, variant, status, etag, last_modified, headers, answered_url, initial_age_us,
                 stored_at, used_at, bytes, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            ON CONFLICT (account, method, url, variant) DO UPDATE SET
                status = excluded.status, etag = excluded.etag, last_modified = excluded.last_modified,
                headers = excluded.headers, answered_url = excluded.answered_url,
                initial_age_us = excluded.initial_age_us, stored_at = excluded.stored_at, used_at = excluded.used_at,
                bytes = excluded.bytes, body = excluded.body
            RETURNING id
            """,
            head.key.account, head.key.method, head.key.url, try ResponseFields.text(head.variant), head.status,
            head.etag, head.lastModified, try ResponseFields.text(head.headerFields), head.url,
            head.initialAge.wholeMicroseconds, Timestamp(secondsSince1970: head.storedAt).microseconds,
            now.microseconds, response.byteCount, response.body
        ) { $0.int(0) }
        guard let id else { throw StoreError(.inputOutput, "an answer that was stored has no row") }
        return id
    }

    /// Replaces the head of a row, unless the row has other validators than `validated`.
    static func refresh(
        _ head: CachedHead, validated: CachedHead, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.execute(
            """
            UPDATE siding_responses SET
                etag = ?5, last_modified = ?6, headers = ?7, initial_age_us = ?8, stored_at = ?9,
                bytes = length(body) + ?12
            WHERE account = ?1 AND method = ?2 AND url = ?3 AND variant = ?4
                AND etag IS ?10 AND last_modified IS ?11
            """,
            head.key.account, head.key.method, head.key.url, try ResponseFields.text(head.variant), head.etag,
            head.lastModified, try ResponseFields.text(head.headerFields), head.initialAge.wholeMicroseconds,
            Timestamp(secondsSince1970: head.storedAt).microseconds, validated.etag, validated.lastModified,
            head.byteCount) == 1
    }

    /// Deletes the least recently used rows until at most `bytes` are left. `spared` always stays, as a clock that was
    /// set back would make the newest row look old.
    static func shrink(to bytes: Int, sparing spared: Int64?, _ transaction: borrowing Transaction) throws {
        var excess =
            try transaction.count("SELECT coalesce(sum(bytes), 0) FROM siding_responses")
        excess -= bytes
        guard excess > 0 else { return }
        // The oldest rows whose sizes add up to the excess.
        try transaction.execute(
            """
            DELETE FROM siding_responses WHERE id IN (
                SELECT id FROM (
                    SELECT id, sum(bytes) OVER (ORDER BY used_at, id) - bytes AS freed
                    FROM siding_responses WHERE id IS NOT ?2)
                WHERE freed < ?1)
            """, excess, spared)
    }
}
