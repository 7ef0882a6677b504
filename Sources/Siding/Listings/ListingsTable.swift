// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging
internal import SidingSQLite

/// Reads and writes `siding_listings`, which has a row per listing: one for a resource, or one for each parent (`scope`). The row holds the
/// checkpoint, the cursor of the listing, and the fan-out pass that it belongs to. `next_page` and `cursor` are JSON.
enum ListingsTable {
    /// The newest listing of a scope; nil if there never was one.
    static func load(
        _ resource: Int64, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ListingRow? {
        try database.first(
            """
            SELECT listing, state, next_source, next_page ->> 'url' AS next_url, next_page ->> 'sent' AS next_sent,
                scope, next_page ->> 'number' AS next_number, next_page ->> 'offset' AS next_offset, started_at,
                checkpoint_at, run, cursor ->> 'moves' AS cursor_moves, cursor ->> 'from' AS cursor_from,
                cursor ->> 'reached' AS cursor_reached, cursor ->> 'waits' AS cursor_waits,
                cursor ->> 'began' AS cursor_began, fresh_until, not_before, root, moved, pages_since_loss, page_size,
                incomplete
            FROM siding_listings WHERE resource = ?1 AND scope = ?2
            """, resource, scope, map: ListingRow.init)
    }

    static func nextPageSource(
        _ resource: Int64, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> NextPageSource? {
        try database.first(
            "SELECT next_source FROM siding_listings WHERE resource = ?1 AND scope = ?2", resource, scope
        ) { $0.optionalText(0).flatMap(NextPageSource.init) } ?? nil
    }

    /// Whether any listing of a resource is open, or its only one is incomplete though it was read to its end.
    static func isUnfinished(_ resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM siding_listings
            WHERE resource = ?1 AND (state = 'open' OR incomplete IS NOT NULL AND scope = '') LIMIT 1
            """, resource
        ) { _ in true } ?? false
    }

    /// Why a listing of a fan-out pass is incomplete, or with nil the only listing of the resource; nil if none is.
    static func incomplete(
        _ resource: Int64, pass: Int64?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> String? {
        try database.first(
            """
            SELECT incomplete FROM siding_listings
            WHERE resource = ?1 AND incomplete IS NOT NULL AND pass IS ?2 ORDER BY scope LIMIT 1
            """, resource, pass
        ) { $0.text(0) }
    }

    /// Whether all listings of a resource are complete, asked for every record, and began at `moment` or later.
    ///
    /// - Parameter scope: that of the only listing to ask about; nil for all.
    static func areOfAll(
        _ resource: Int64, scope: String? = nil, since moment: Timestamp,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.first(
            """
            SELECT COUNT(*) > 0 AND MIN(state = 'complete' AND cursor ->> 'from' IS NULL AND started_at >= ?2)
            FROM siding_listings WHERE resource = ?1 AND (?3 IS NULL OR scope = ?3)
            """, resource, moment.microseconds, scope
        ) { $0.int(0) == 1 } ?? false
    }

    /// Begins a listing anew at its first page.
    ///
    /// - Returns: the listing's number.
    static func begin(
        _ opening: ListingOpening, of resource: Int64, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Int64 {
        let first = opening.first
        let listing = try transaction.first(
            """
            INSERT INTO siding_listings (resource, listing, state, next_page, started_at, checkpoint_at, run, cursor,
                scope, root, is_unchanged)
            VALUES (?1, 1, 'open', json_object('url', ?2, 'sent', ?10, 'number', ?3, 'offset', ?4), ?5, ?5, ?6,
                json_object('from', ?7, 'moves', ?8, 'waits', 0), ?9, ?11, 1)
            ON CONFLICT (resource, scope) DO UPDATE SET
                listing = listing + 1, state = 'open', next_page = excluded.next_page,
                started_at = excluded.started_at, checkpoint_at = excluded.checkpoint_at, run = excluded.run,
                cursor = excluded.cursor, fresh_until = NULL, not_before = NULL, root = excluded.root, moved = 0,
                incomplete = NULL, is_unchanged = 1
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
        _ listing: Int64, of resource: Int64, by listed: ListedPage, now: Timestamp,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        let (state, incomplete): (String, String?) =
            switch listed.step {
            case .incomplete(let why, _): ("incomplete", why)
            case .stopped, .ignored: ("incomplete", nil)
            case .end: ("complete", nil)
            case .page: ("open", listed.shortfall)
            }
        let (page, next) = (listed.page, listed.step.next)
        return try transaction.execute(
            """
            UPDATE siding_listings SET state = ?3, next_page = CASE WHEN ?4 IS NOT NULL
                    THEN json_object('url', ?4, 'sent', ?7, 'number', ?5, 'offset', ?6) END,
                checkpoint_at = ?8, next_source = COALESCE(?9, next_source), fresh_until = ?10, not_before = ?11,
                incomplete = ?13, page_size = ?14, pages_since_loss = ?15
            WHERE resource = ?1 AND listing = ?2 AND scope = ?12 AND state = 'open'
            """,
            resource, listing, state, next?.url.description, next?.number, next?.offset, next?.body ?? "",
            now.microseconds, page.nextPageSource?.rawValue, listed.freshness.freshUntil?.microseconds,
            listed.freshness.notBefore?.microseconds, page.request.scope, incomplete, listed.sizing?.size,
            listed.sizing?.pagesSinceLoss) == 1
    }

    /// Whether all pages of the newest listing are unchanged so far, so that their rows are those of the listing before.
    static func isUnchanged(
        _ resource: Int64, scope: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.first(
            "SELECT is_unchanged FROM siding_listings WHERE resource = ?1 AND scope = ?2", resource, scope
        ) { $0.int(0) == 1 } ?? false
    }

    /// Records that a page of the listing is not as the listing before had it.
    static func setChanged(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_listings SET is_unchanged = 0 WHERE resource = ?1 AND scope = ?2", resource, scope)
    }

    static func set(
        _ sizing: PageSizing, of resource: Int64, scope: String, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_listings SET page_size = ?3, pages_since_loss = ?4 WHERE resource = ?1 AND scope = ?2",
            resource, scope, sizing.size, sizing.pagesSinceLoss)
    }

    /// Stores how far the cursor of a listing has come.
    static func set(
        _ cursor: CursorMove, of resource: Int64, scope: String, listing: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_listings
            SET cursor = json_set(cursor, '$.reached', ?3, '$.from', ?5, '$.waits', ?6, '$.began', ?7)
            WHERE resource = ?1 AND listing = ?2 AND scope = ?4
            """, resource, listing, cursor.reached, scope, cursor.from, cursor.waits, cursor.began?.microseconds)
    }

    /// Nothing of the listing moves the cursor any more, and its parent stays due: a page showed a record that was not saved.
    static func holdCursor(of resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET parent_revision = NULL,
                cursor = CASE cursor ->> 'moves' WHEN 1 THEN json_set(cursor, '$.moves', -1) ELSE cursor END
            WHERE resource = ?1 AND scope = ?2
            """, resource, scope)
    }

    /// Stores the fan-out pass of a listing that was opened; without one the listing stays in that of an earlier opening.
    ///
    /// - Parameter takesRevision: whether it covers the parent as it is now; else the parent stays due.
    static func set(
        _ parent: ListingParent, of resource: Int64, scope: String, takesRevision: Bool,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET pass = COALESCE(?3, pass), parent_revision = CASE WHEN ?5 THEN ?4 ELSE parent_revision END
            WHERE resource = ?1 AND scope = ?2
            """, resource, scope, parent.pass, parent.revision, takesRevision)
    }

    /// A page of the listing shows a stored record that it did not show before: records may move while the pages are read.
    static func setMoved(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_listings SET moved = 1 WHERE resource = ?1 AND scope = ?2 AND moved = 0", resource, scope)
    }

    /// Ends open listings as incomplete. The number of the next page stays: the pages before it were answered.
    ///
    /// - Parameter scope: the key of the parent; nil for all listings.
    static func end(_ resource: Int64, scope: String?, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET state = 'incomplete', next_page = json_remove(next_page, '$.url')
            WHERE resource = ?1 AND (?2 IS NULL OR scope = ?2) AND state = 'open'
            """, resource, scope)
    }

    /// The keys of the parents that have a listing.
    static func scopes(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query("SELECT scope FROM siding_listings WHERE resource = ?1 AND scope <> ''", resource) {
            $0.text(0)
        }
    }

    /// Deletes the listing of one parent.
    static func delete(_ resource: Int64, scope: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_listings WHERE resource = ?1 AND scope = ?2", resource, scope)
    }

    /// Deletes the listings of parents that are gone, and returns how many there were.
    static func delete(
        _ resource: Int64, ofGone parents: RecordsTable, _ transaction: borrowing Transaction
    ) throws -> Int {
        let isGone = parents.isGone("siding_listings.scope")
        return try transaction.execute(
            "DELETE FROM siding_listings WHERE resource = ?1 AND scope <> '' AND \(isGone)", resource)
    }

    /// The records of a forgotten resource begin at revision 0 again: each is due for the resources that list by it.
    static func forgetRevisions(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_listings SET parent_revision = NULL WHERE resource = ?1", resource)
    }

    /// Deletes the listings of all parents, so that each is listed again.
    static func deleteParents(of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_listings WHERE resource = ?1 AND scope <> ''", resource)
    }
}

/// A listing as it is stored.
struct ListingRow {
    let number: Int64
    let isOpen: Bool
    let nextPageSource: NextPageSource?
    /// The checkpoint of an open listing.
    let next: PageRequest?
    let startedAt: Timestamp
    let checkpointAt: Timestamp
    let run: RunID
    let cursor: ListingCursor
    /// Whether nothing of the listing moves the cursor any more; see ``ListingsTable/holdCursor(of:scope:_:)``.
    let holdsCursor: Bool
    /// As its first page reported it.
    let freshness: ListingFreshness
    let root: String?
    let hasMoved: Bool
    /// Why it is incomplete, or will be; nil if it is not known to be.
    let incomplete: String?
    /// How its pages got through so far; nil before its first page.
    let sizing: PageSizing?

    /// Whether it began at another first URL than `root`.
    func isElsewhere(than root: String?) -> Bool { root != nil && self.root != nil && root != self.root }

    init(_ row: borrowing Row) throws {
        number = try row.int("listing")
        isOpen = try row.text("state") == "open"
        nextPageSource = try row.optionalText("next_source").flatMap(NextPageSource.init)
        next = try PageRequest(row)
        startedAt = try row.time("started_at")
        checkpointAt = try row.time("checkpoint_at")
        run = try row.int("run")
        let moves = try row.int("cursor_moves")
        cursor = ListingCursor(
            from: try row.optionalText("cursor_from"), reached: try row.optionalText("cursor_reached"),
            moves: moves == 1, waits: try row.isTrue("cursor_waits"), began: try row.optionalTime("cursor_began"))
        holdsCursor = moves < 0
        freshness = try ListingFreshness(row)
        root = try row.optionalText("root")
        hasMoved = try row.isTrue("moved")
        incomplete = try row.optionalText("incomplete")
        let pagesSinceLoss = try row.optionalInt("pages_since_loss").map(Int.init)
        sizing = try row.optionalInt("page_size").map { PageSizing(size: Int($0), pagesSinceLoss: pagesSinceLoss) }
    }
}

extension ResourceFreshness {
    /// It counts no records.
    init(_ row: ResourceRow, _ snapshot: borrowing Snapshot) throws {
        self.init(
            definition: row.definition, completedAt: row.completedAt, reported: row.freshness,
            isUnfinished: try row.wasCursorSet || ListingsTable.isUnfinished(row.id, snapshot),
            schema: row.schemaIfReadable, source: row.source)
    }
}

extension PageRequest {
    /// Reads `next_url`, `next_sent`, `next_number`, `next_offset` and `scope`; nil if the URL is null or invalid.
    init?(_ row: borrowing Row) throws {
        guard let text = try row.optionalText("next_url"), let url = try? HTTPURL(text) else { return nil }
        let body = try row.text("next_sent")
        self.init(
            url: url, body: body.isEmpty ? nil : body, scope: try row.text("scope"),
            number: Int(try row.int("next_number")), offset: Int(try row.int("next_offset")))
    }
}
