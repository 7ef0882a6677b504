internal import SidingChain
internal import SidingSQLite

/// When every record of a resource was last asked for: ``ResourceRow/allListedAt``.
///
/// A record that no listing shows may belong to a parent that is not stored here. So missing records of a fan-out pass count
/// only if all parents were listed before it.
enum CompleteListings {
    /// Sets the time after the only listing of a resource is complete: it asked for everything, or for all changes since then.
    static func complete(_ resource: Int64, now: Timestamp, _ transaction: borrowing Transaction) throws {
        guard let listing = try ListingsTable.load(resource, scope: "", transaction) else { return }
        let isOfAll =
            listing.cursor.from == nil
            ? try PagesTable.unknownListings(of: resource, transaction) == 0
            : try ResourcesTable.load(resource, transaction)?.allListedAt != nil
        if isOfAll { try ResourcesTable.set(allListedAt: now, of: resource, transaction) }
    }

    /// Sets the time after a pass over all parents is complete. The caller knows that the parents were listed.
    static func complete(
        _ resource: Int64, pass: Int64, over parent: Int64, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        guard let row = try ResourcesTable.load(resource, transaction),
            try PagesTable.unknownListings(of: resource, transaction) == 0
        else { return }
        let parents = try RecordsTable.load(parent, transaction)
        let hasOthers = try transaction.first(
            """
            SELECT 1 FROM \(parents.rows) p LEFT JOIN siding_listings l ON l.resource = ?1 AND l.scope = CAST(p.key AS TEXT)
            WHERE p.deleted_at IS NULL AND \(ParentCompiler.isAtOrigin("p", in: parents))
                AND (l.pass IS NOT ?2 OR l.state <> 'complete' OR l.cursor_from IS NOT NULL AND ?3)
            LIMIT 1
            """, resource, pass, row.allListedAt == nil
        ) { _ in true }
        if hasOthers == nil { try ResourcesTable.set(allListedAt: now, of: resource, transaction) }
    }

    /// Whether all parents were listed since the last complete pass of `resource`, and are stored as the origin has them. A
    /// parent in quarantine or with pending edits may lead to another address.
    ///
    /// - Parameter parent: the name of the resource of the parents.
    static func areParentsListed(
        _ parent: String, since resource: ResourceRow, _ transaction: borrowing Transaction
    ) throws -> Bool {
        guard let parent = try ResourcesTable.load(named: parent, transaction), let listedAt = parent.allListedAt else {
            return false
        }
        return try listedAt > resource.completedAt ?? Timestamp(microseconds: -1)
            && !QuarantineTable.hasAny(of: parent.id, transaction)
            && !ServerCopiesTable.hasAny(of: parent.id, withRecord: true, transaction)
    }
}
