internal import SidingChain
internal import SidingSQLite

/// When every record of a resource was last asked for: `all_listed_at` of `siding_resources`.
///
/// A record that no listing shows may belong to a parent that is not stored here. So missing records of a fan-out pass count
/// only if all parents were listed before it.
enum CompleteListings {
    /// Sets the time after the only listing of a resource is complete: it asked for everything, or for all changes since then.
    static func complete(_ resource: Int64, now: Timestamp, _ transaction: borrowing Transaction) throws {
        let isOfAll = try transaction.first(
            """
            SELECT CASE WHEN l.cursor_from IS NOT NULL THEN r.all_listed_at IS NOT NULL
                ELSE NOT EXISTS (SELECT 1 FROM siding_pages WHERE resource = ?1 AND members IS NULL) END
            FROM siding_listings l JOIN siding_resources r ON r.id = l.resource
            WHERE l.resource = ?1 AND l.scope = ''
            """, resource
        ) { $0.int(0) == 1 }
        if isOfAll == true { try ResourcesTable.set(allListedAt: now, of: resource, transaction) }
    }

    /// Sets the time after a pass over all parents is complete. The caller knows that the parents were listed.
    static func complete(
        _ resource: Int64, pass: Int64, over parent: Int64, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        let parents = try RecordsTable.load(parent, transaction)
        let isOfAll = try transaction.first(
            """
            SELECT NOT EXISTS (SELECT 1 FROM siding_pages WHERE resource = ?1 AND members IS NULL) AND NOT EXISTS (
                SELECT 1 FROM \(parents.rows) p
                LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope = CAST(p.key AS TEXT)
                WHERE p.deleted_at IS NULL AND \(ParentCompiler.isAtOrigin("p", in: parents))
                    AND (l.pass IS NOT ?2 OR l.state <> 'complete' OR l.cursor_from IS NOT NULL AND r.all_listed_at IS NULL))
            FROM siding_resources r WHERE r.id = ?1
            """, resource, pass
        ) { $0.int(0) == 1 }
        if isOfAll == true { try ResourcesTable.set(allListedAt: now, of: resource, transaction) }
    }

    /// Whether all parents were listed since the last complete pass of `resource`, and are stored as the origin has them. A
    /// parent in quarantine or with pending edits may lead to another address.
    ///
    /// - Parameter parent: the name of the resource of the parents.
    static func areParentsListed(
        _ parent: String, since resource: String, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.first(
            """
            SELECT p.all_listed_at > COALESCE(c.completed_at, -1)
                AND NOT EXISTS (SELECT 1 FROM siding_quarantine WHERE resource = p.id)
                AND NOT EXISTS (SELECT 1 FROM siding_server_copies WHERE resource = p.id AND body IS NOT NULL)
            FROM siding_resources p, siding_resources c
            WHERE p.name = ?1 AND c.name = ?2 AND p.all_listed_at IS NOT NULL
            """, parent, resource
        ) { $0.int(0) == 1 } ?? false
    }
}
