// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_cursors`: the stored cursor of each listing.
enum CursorsTable {
    static func load(
        of resource: ResourceRow, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> StoredCursor? {
        try database.first(
            "SELECT value, moved_at FROM siding_cursors WHERE resource = ?1 AND scope = ?2", resource.id, scope
        ) { row in
            StoredCursor(
                value: try row.text("value"), movedAt: try row.time("moved_at"),
                definition: resource.definition,
                root: try ListingsTable.load(resource.id, scope: scope, database)?.root)
        }
    }

    /// The cursors of parents' listings; the one that moved least recently first.
    static func loadScoped(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [ScopedCursor] {
        try database.query(
            "SELECT scope, value, moved_at FROM siding_cursors WHERE resource = ?1 AND scope <> '' ORDER BY moved_at, scope",
            resource
        ) { row in
            ScopedCursor(scope: try row.text("scope"), value: try row.text("value"), movedAt: try row.time("moved_at"))
        }
    }

    static func forget(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_cursors WHERE resource = ?1", resource)
    }

    static func forget(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_cursors WHERE resource = ?1 AND scope = ?2", resource, scope)
    }

    /// The keys of the parents that have a cursor.
    static func scopes(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query("SELECT scope FROM siding_cursors WHERE resource = ?1 AND scope <> ''", resource) {
            $0.text(0)
        }
    }

    /// Deletes the cursors of parents that are gone, and returns how many there were.
    static func delete(
        _ resource: Int64, ofGone parents: RecordsTable, _ transaction: borrowing Transaction
    ) throws -> Int {
        let isGone = parents.isGone("siding_cursors.scope")
        return try transaction.execute(
            "DELETE FROM siding_cursors WHERE resource = ?1 AND scope <> '' AND \(isGone)", resource)
    }

    /// Stores the cursor values of a page, in the transaction that saves the page.
    static func move(
        _ cursor: CursorMove, of resource: Int64, scope: String, listing: Int64, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws {
        try ListingsTable.set(cursor, of: resource, scope: scope, listing: listing, transaction)
        guard let moved = cursor.moved else {
            if cursor.takesBack { try forget(resource, scope: scope, transaction) }
            return
        }
        try save(moved, of: resource, scope: scope, now: now, transaction)
    }

    /// Sets or deletes the cursor, as an operator action. Open listings end, and their retained fetches are superseded.
    static func set(
        _ value: String?, of name: String, _ queue: QueueTransitions, _ transaction: borrowing Transaction
    ) throws {
        let resource = try Store.records(of: name, transaction).resource
        if let value {
            try save(value, of: resource, scope: "", now: queue.now, transaction)
            // The range behind the new cursor may never have been listed.
            try ResourcesTable.set(allListedAt: nil, of: resource, transaction)
        } else {
            try forget(resource, transaction)
        }
        try ResourcesTable.forgetFreshness(resource, transaction)
        try ListingOpener.discardAll(
            of: resource, named: name, because: "the cursor was set by hand", queue, transaction)
        // Parents' listings are deleted too, so that each begins again. Where their next pages were found is forgotten with them,
        // without which a 304 of a last page could hide the page behind it.
        try PassesTable.forget(resource, transaction)
        try PageValidators(resource: resource).forget(scope: nil, transaction)
    }

    private static func save(
        _ value: String, of resource: Int64, scope: String, now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_cursors (resource, scope, value, moved_at) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (resource, scope) DO UPDATE SET value = excluded.value, moved_at = excluded.moved_at
            """, resource, scope, value, now.microseconds)
    }
}
