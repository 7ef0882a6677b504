internal import SidingSQLite

/// Whether all records are here that a resource has at the origin: `known_at` of `siding_resources`, `knows_all` of
/// `siding_listings`.
///
/// A record that no listing shows may be with a parent that is not here: one in quarantine, one from before the first changes that
/// were asked for, one whose own parent could not be asked about. So absence in a round over parents counts only where they are all
/// known.
enum CompleteListings {
    /// A page without a list of records says of none that it is not there.
    static func lose(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_listings SET knows_all = 0 WHERE resource = ?1 AND scope = ?2", resource, scope)
    }

    /// Until a listing of all there is, or a round that asks all parents, nothing is known.
    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET known_at = NULL WHERE id = ?1", resource)
    }

    /// The only listing of a resource is complete.
    static func complete(_ resource: Int64, now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_resources SET known_at = ?2 WHERE id = ?1 AND EXISTS (
                SELECT 1 FROM siding_listings WHERE resource = ?1 AND scope = '' AND knows_all = 1)
            """, resource, now.microseconds)
    }

    /// A round over all parents is complete, and they are known: so are the records, where each parent's listing was of this round.
    static func complete(
        _ resource: Int64, round: Int64, over parent: Int64, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        let parents = try RecordsTable.load(parent, transaction)
        try transaction.execute(
            """
            UPDATE siding_resources SET known_at = ?3 WHERE id = ?1 AND NOT EXISTS (
                SELECT 1 FROM \(parents.rows) p
                LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope = CAST(p.key AS TEXT)
                WHERE p.deleted_at IS NULL AND \(ParentCompiler.isAtOrigin("p", in: parents))
                    AND (l.round IS NOT ?2 OR l.state <> 'complete' OR l.knows_all = 0))
            """, resource, round, now.microseconds)
    }

    /// Whether all parents were known, as the origin has them, at a moment since the last complete round of `resource`: a stored
    /// version of one in quarantine, or one with own edits on it, may lead to another address than the origin's.
    ///
    /// - Parameter parent: the name of the resource whose records they are.
    static func areKnown(
        _ parent: String, since resource: String, _ transaction: borrowing Transaction
    ) throws -> Bool {
        try transaction.first(
            """
            SELECT p.known_at > COALESCE(c.completed_at, -1)
                AND NOT EXISTS (SELECT 1 FROM siding_quarantine WHERE resource = p.id)
                AND NOT EXISTS (SELECT 1 FROM siding_bases WHERE resource = p.id AND body IS NOT NULL)
            FROM siding_resources p, siding_resources c
            WHERE p.name = ?1 AND c.name = ?2 AND p.known_at IS NOT NULL
            """, parent, resource
        ) { $0.int(0) == 1 } ?? false
    }
}
