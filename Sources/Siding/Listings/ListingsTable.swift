internal import SidingChain
internal import SidingSQLite

/// Writes `siding_listings`, which has a row per listing: one for a resource, or one for each parent (`scope`). The row holds the
/// checkpoint, the cursor of the listing, and the fan-out pass that it belongs to.
enum ListingsTable {
    /// Begins a listing anew at its first page.
    ///
    /// - Returns: the listing's number.
    static func begin(
        _ opening: ListingOpening, of resource: Int64, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Int64 {
        let first = opening.first
        let listing = try transaction.first(
            """
            INSERT INTO siding_listings (resource, listing, state, next_url, next_number, next_offset, started_at,
                checkpoint_at, run, cursor_from, cursor_moves, scope, next_sent, root)
            VALUES (?1, 1, 'open', ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (resource, scope) DO UPDATE SET
                listing = listing + 1, state = 'open', next_url = excluded.next_url,
                next_number = excluded.next_number, next_offset = excluded.next_offset,
                started_at = excluded.started_at, checkpoint_at = excluded.checkpoint_at,
                run = excluded.run, cursor_from = excluded.cursor_from, cursor_moves = excluded.cursor_moves,
                cursor_reached = NULL, cursor_waits = 0, next_sent = excluded.next_sent, fresh_until = NULL,
                not_before = NULL, root = excluded.root, moved = 0, incomplete = NULL
            RETURNING listing
            """, resource, first.url.description, first.number, first.offset, now.microseconds, opening.run,
            opening.cursor.from, opening.cursor.moves, first.scope, first.body ?? "", opening.root
        ) { $0.int(0) }
        return listing ?? 1
    }

    /// Moves the checkpoint behind a page, or ends the listing with it.
    ///
    /// - Returns: false if another run has opened the listing anew.
    static func advance(
        _ page: PageCommit, _ progress: PageCommit.Progress, to next: PageRequest?, of resource: Int64, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        let (state, incomplete): (String, String?) =
            switch progress.next {
            case .cut(let why): ("incomplete", why)
            case .stopped: ("incomplete", nil)
            case .end: ("complete", nil)
            case .page: ("open", nil)
            }
        return try transaction.execute(
            """
            UPDATE siding_listings SET state = ?3, next_url = ?4, next_number = ?5, next_offset = ?6, next_sent = ?7,
                checkpoint_at = ?8, next_source = COALESCE(?9, next_source), fresh_until = ?10, not_before = ?11,
                incomplete = ?13
            WHERE resource = ?1 AND listing = ?2 AND scope = ?12 AND state = 'open'
            """,
            resource, page.listing, state, next?.url.description, next?.number, next?.offset, next?.body ?? "",
            now.microseconds, progress.nextPageSource?.rawValue, progress.freshness.freshUntil?.microseconds,
            progress.freshness.notBefore?.microseconds, page.page.scope, incomplete) == 1
    }

    /// Stores how far the cursor of a listing has come.
    static func set(
        _ cursor: CursorMove, of resource: Int64, scope: String, listing: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET cursor_reached = ?3, cursor_from = ?5, cursor_waits = ?6
            WHERE resource = ?1 AND listing = ?2 AND scope = ?4
            """, resource, listing, cursor.reached, scope, cursor.from, cursor.waits)
    }

    /// Nothing of the listing moves the cursor any more, and its parent stays due: a page showed a record that was not saved.
    static func holdCursor(of resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET parent_revision = NULL,
                cursor_moves = CASE cursor_moves WHEN 1 THEN -1 ELSE cursor_moves END
            WHERE resource = ?1 AND scope = ?2
            """, resource, scope)
    }

    static func holdsCursor(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws -> Bool {
        try transaction.first(
            "SELECT cursor_moves < 0 FROM siding_listings WHERE resource = ?1 AND scope = ?2", resource, scope
        ) { $0.int(0) == 1 } ?? false
    }

    /// Stores the fan-out pass of a listing that was opened.
    ///
    /// - Parameter takesRevision: whether it covers the parent as it is now; else the parent stays due.
    static func set(
        _ parent: ListingParent, of resource: Int64, scope: String, takesRevision: Bool,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET pass = ?3, parent_revision = CASE WHEN ?5 THEN ?4 ELSE parent_revision END
            WHERE resource = ?1 AND scope = ?2
            """, resource, scope, parent.pass, parent.revision, takesRevision)
    }

    /// A page of the listing shows a stored record that it did not show before: records may move while the pages are read.
    static func setMoved(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_listings SET moved = 1 WHERE resource = ?1 AND scope = ?2 AND moved = 0", resource, scope)
    }

    /// Ends open listings as incomplete.
    ///
    /// - Parameter scope: the key of the parent; nil for all listings.
    static func end(_ resource: Int64, scope: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET state = 'incomplete', next_url = NULL
            WHERE resource = ?1 AND (?2 IS NULL OR scope = ?2) AND state = 'open'
            """, resource, scope)
    }

    /// Deletes the listings of all parents, so that each is listed again.
    static func deleteParents(of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_listings WHERE resource = ?1 AND scope <> ''", resource)
    }
}
