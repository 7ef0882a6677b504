internal import SidingChain
internal import SidingSQLite

/// The rows of `siding_cursors`: the stored cursor of each listing.
enum CursorRows {
    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_cursors WHERE resource = ?1", resource)
    }

    static func forget(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_cursors WHERE resource = ?1 AND scope = ?2", resource, scope)
    }

    /// Stores the cursor values of a page, in the transaction that saves the page.
    static func move(
        _ cursor: CursorMove, of resource: Int64, scope: String, listing: Int64, run: RunID, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET cursor_reached = ?3, cursor_from = ?5, cursor_waits = ?6
            WHERE resource = ?1 AND listing = ?2 AND scope = ?4
            """, resource, listing, cursor.reached, scope, cursor.from, cursor.waits)
        guard let moved = cursor.moved else {
            if cursor.takesBack { try forget(resource, scope: scope, transaction) }
            return
        }
        try save(moved, of: resource, scope: scope, run: run, now: now, transaction)
    }

    /// Sets or deletes the cursor, as an operator action. Open listings end, and their retained fetches are superseded.
    static func set(
        _ value: String?, of name: String, owner: String, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        let resource = try transaction.first("SELECT id FROM siding_resources WHERE name = ?1", name) { $0.int(0) }
        guard let resource else {
            throw StoreError(.notFound, "nothing is stored of a resource '\(name)'")
        }
        if let value {
            try save(value, of: resource, scope: "", run: nil, now: now, transaction)
            // The range behind the new cursor may never have been listed.
            try CompleteListings.forget(resource, transaction)
        } else {
            try forget(resource, transaction)
        }
        try FreshnessRows.askAnew(resource, transaction)
        try ListingOpener.discardAll(
            of: resource, named: name, because: "the cursor was set by hand", QueueTransitions(owner: owner, now: now),
            transaction)
        // Parents' listings are deleted too, so that each begins again.
        try PassRows.forget(resource, transaction)
    }

    private static func save(
        _ value: String, of resource: Int64, scope: String, run: RunID?, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_cursors (resource, scope, value, moved_at, run) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (resource, scope) DO UPDATE SET
                value = excluded.value, moved_at = excluded.moved_at, run = excluded.run
            """, resource, scope, value, now.microseconds, run)
    }
}
